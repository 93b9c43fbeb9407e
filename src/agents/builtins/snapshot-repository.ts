import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { access, lstat, realpath, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { ensureFolder } from '../tools/folders.ts'
import { BuiltinError, type Git, type GitResult } from './git.ts'

/**
 * A git repository of hookgate's that stores the states of a working tree. It lies outside the tree and never
 * changes the person's own .git. Paths are bytes in latin1 strings, so that a name in no valid encoding is
 * kept exactly.
 */
export interface SnapshotRepository {
  readonly root: string
  readonly folder: string
  /** Runs git. Rejects with an error text when git fails. */
  run(
    args: readonly string[],
    options?: { readonly stdin?: string; readonly index?: string },
  ): Promise<string>
  /**
   * Lists every path that the tree's .gitignore files do not exclude. A repository inside the tree ends in a
   * slash.
   */
  list(): Promise<readonly string[]>
}

const maxPaths = 20_000

/** True for what the agent host keeps in its workspace, such as the conversation. It is in no snapshot. */
export const isHosts = (path: string): boolean => path.startsWith('.hookgate/')

export const latin1Path = (root: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')])
export const lines = (text: string): readonly string[] => text.split('\0').filter((line) => line !== '')
export const zeroed = (paths: readonly string[]): string => paths.map((path) => `${path}\0`).join('')

/** No attribute of the tree may change a file's bytes on their way in or out. */
const attributes = '* -text -ident -filter -eol -working-tree-encoding -crlf\n'

const outputOf = ({ code, stdout, stderr, isCut }: GitResult, what: string): string => {
  if (isCut)
    throw new BuiltinError(
      'The list of your files is longer than 8 MB. Add files that need no snapshot to .gitignore.',
    )
  if (code !== 0)
    throw new BuiltinError(`git ${what} failed in the snapshot repository: ${stderr.trim().slice(0, 300)}`)
  return stdout.toString('latin1')
}

/** Opens the snapshot repository of one folder for one agent, and creates it when there is none. */
export const openSnapshotRepository = async (
  git: Git,
  stateFolder: string,
  agentId: string,
  cwd: string,
): Promise<SnapshotRepository> => {
  const root = await realpath(cwd)
  const key = createHash('sha256')
    .update(JSON.stringify([agentId, root]))
    .digest('hex')
    .slice(0, 32)
  const parent = join(stateFolder, 'snapshots')
  const folder = join(parent, `${key}.git`)
  ensureFolder(parent, 0o700)
  if (
    await access(join(folder, 'info', 'attributes')).then(
      () => false,
      () => true,
    )
  ) {
    outputOf(await git({ args: ['init', '--quiet', '--bare', '--template=', folder], cwd: parent }), 'init')
    ensureFolder(join(folder, 'info'))
    // When the tree contains the state folder, the snapshots must not contain themselves.
    const inside = relative(root, await realpath(stateFolder))
    await writeFile(
      join(folder, 'info', 'exclude'),
      inside === '' ? '/*\n' : inside.startsWith('..') ? '' : `/${inside}/\n`,
    )
    await writeFile(join(folder, 'info', 'attributes'), attributes)
  }
  // Only one host uses this folder at a time, so a lock file is left from a host that was killed.
  for (const lock of ['index.lock', 'undo.index.lock', 'packed-refs.lock'])
    await rm(join(folder, lock), { force: true })

  const run: SnapshotRepository['run'] = async (args, { stdin = '', index = 'index' } = {}) =>
    outputOf(
      await git({
        args,
        cwd: root,
        stdin: Buffer.from(stdin, 'latin1'),
        env: { GIT_DIR: folder, GIT_WORK_TREE: root, GIT_INDEX_FILE: join(folder, index) },
      }),
      args[0] ?? '',
    )

  const list = async (): Promise<readonly string[]> => {
    // With an index that does not exist, every file counts as new.
    const found = await run(['ls-files', '-z', '--others', '--exclude-standard'], { index: 'none' })
    const paths = lines(found).filter((path) => !isHosts(path))
    if (paths.length > maxPaths)
      throw new BuiltinError(
        `There are ${paths.length} files, and a snapshot takes at most ${maxPaths}. Add files that need no snapshot to .gitignore.`,
      )
    return paths
  }
  return { root, folder, run, list }
}

export const maxFileBytes = 2 * 1024 * 1024

/** True for a path that a snapshot stores: a link, or a readable regular file of at most 2 MiB. */
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
