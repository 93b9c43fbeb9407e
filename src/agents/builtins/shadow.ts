import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { access, lstat, mkdir, realpath, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { BuiltinError, type Git, type GitResult } from './git.ts'

/**
 * A git repository of the agent's own that remembers the working tree, outside of it and beside the person's own .git,
 * which is never touched. Paths are bytes, held as latin1 text, so that a name in no encoding stays what it is.
 */
export interface Shadow {
  readonly root: string
  readonly folder: string
  /** Rejects with words where git fails. */
  run(
    args: readonly string[],
    options?: { readonly stdin?: string; readonly index?: string },
  ): Promise<string>
  /** Every path that the tree's .gitignore files leave; a repository inside it ends in a slash. */
  list(): Promise<readonly string[]>
}

const maxPaths = 20_000

export const latin1Path = (root: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')])
export const lines = (text: string): readonly string[] => text.split('\0').filter((line) => line !== '')
export const zeroed = (paths: readonly string[]): string => paths.map((path) => `${path}\0`).join('')

/** Bytes as they are: no attribute of the tree may change them on their way in or out. */
const attributes = '* -text -ident -filter -eol -working-tree-encoding -crlf\n'

const must = ({ code, stdout, stderr, isCut }: GitResult, what: string): string => {
  if (isCut)
    throw new BuiltinError(
      'Expected a working tree whose list of files is at most 8 MB, got more; add to .gitignore what need not be kept.',
    )
  if (code !== 0)
    throw new BuiltinError(`git ${what} failed in the snapshots: ${stderr.trim().slice(0, 300)}`)
  return stdout.toString('latin1')
}

/** Opens the shadow of one folder for one agent; it is made when there is none. */
export const openShadow = async (
  git: Git,
  stateFolder: string,
  agentId: string,
  cwd: string,
): Promise<Shadow> => {
  const root = await realpath(cwd)
  const key = createHash('sha256')
    .update(JSON.stringify([agentId, root]))
    .digest('hex')
    .slice(0, 32)
  const parent = join(stateFolder, 'snapshots')
  const folder = join(parent, `${key}.git`)
  await mkdir(parent, { recursive: true, mode: 0o700 })
  if (
    await access(join(folder, 'info', 'attributes')).then(
      () => false,
      () => true,
    )
  ) {
    must(await git({ args: ['init', '--quiet', '--bare', '--template=', folder], cwd: parent }), 'init')
    await mkdir(join(folder, 'info'), { recursive: true })
    // When the tree holds the state folder, the snapshots are not part of the snapshots.
    const inside = relative(root, await realpath(stateFolder))
    await writeFile(
      join(folder, 'info', 'exclude'),
      inside === '' ? '/*\n' : inside.startsWith('..') ? '' : `/${inside}/\n`,
    )
    await writeFile(join(folder, 'info', 'attributes'), attributes)
  }
  // Only one host works here at a time: what lies there is left from one that was killed.
  for (const lock of ['index.lock', 'undo.index.lock', 'packed-refs.lock'])
    await rm(join(folder, lock), { force: true })

  const run: Shadow['run'] = async (args, { stdin = '', index = 'index' } = {}) =>
    must(
      await git({
        args,
        cwd: root,
        stdin: Buffer.from(stdin, 'latin1'),
        env: { GIT_DIR: folder, GIT_WORK_TREE: root, GIT_INDEX_FILE: join(folder, index) },
      }),
      args[0] ?? '',
    )

  const list = async (): Promise<readonly string[]> => {
    // Against an index that does not exist everything counts as new.
    const paths = lines(await run(['ls-files', '-z', '--others', '--exclude-standard'], { index: 'none' }))
    if (paths.length > maxPaths)
      throw new BuiltinError(
        `Expected a working tree of at most ${maxPaths} files, got ${paths.length}; add to .gitignore what need not be kept.`,
      )
    return paths
  }
  return { root, folder, run, list }
}

export const maxFileBytes = 2 * 1024 * 1024

/** True for what a snapshot keeps: a link, or a regular file of at most 2 MiB that can be read. */
export const isKept = async (path: Buffer): Promise<boolean> => {
  const stat = await lstat(path).catch(() => undefined)
  if (stat === undefined) return false
  if (stat.isSymbolicLink()) return true
  return (
    stat.isFile() &&
    stat.size <= maxFileBytes &&
    (await access(path, constants.R_OK).then(
      () => true,
      () => false,
    ))
  )
}
