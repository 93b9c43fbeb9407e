import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { execa } from 'execa'
import { linkPackages } from '../packages.ts'

/** The tree that this file is in. */
export const here = resolve(import.meta.dirname, '../..')

const git = async (tree: string, ...args: readonly string[]): Promise<string> =>
  (await execa('git', args, { cwd: tree })).stdout

/**
 * The release before this commit: the last tag of a version. Before the first one it is the last commit that
 * changed the version in package.json.
 */
export const findRelease = async (tree = here): Promise<string> => {
  const ways = [
    ['describe', '--tags', '--abbrev=0', '--match=v*', 'HEAD^'],
    ['log', '-1', '--format=%H', '-G^  "version":', 'HEAD^', '--', 'package.json'],
  ]
  for (const way of ways) {
    const found = await git(tree, ...way).catch(() => '')
    if (found !== '') return found
  }
  throw new Error('Expected a release before this commit, got none. Name a revision.')
}

/** A file that has another name there is found by its name of today, too. The bench is that of this tree. */
const leadToOldNames = async (revision: string, folder: string, tree: string): Promise<void> => {
  // Few lines of a file may be left, so any likeness counts. A wrong one gives a row no figures.
  const renamed = ['diff', '-M10%', '-l0', '--diff-filter=R', '--name-status', revision, '--']
  for (const line of (await git(tree, ...renamed, 'src/*.ts', 'test/*.ts')).split('\n')) {
    const [, then = '', now = ''] = line.split('\t')
    if (now === '' || now.startsWith('test/bench/')) continue
    const stub = join(folder, now)
    await mkdir(dirname(stub), { recursive: true })
    await writeFile(stub, `export * from './${relative(dirname(stub), join(folder, then))}'\n`)
  }
}

/**
 * Lays out another revision in a folder, with the packages and the bench of this tree: the same measurement
 * over other sources. Resolves with the revision's short name. Rejects when git does not know it.
 */
export const layOut = async (revision: string, folder: string, tree = here): Promise<string> => {
  const name = await git(tree, 'rev-parse', '--short', '--verify', '--end-of-options', `${revision}^{commit}`)
  await mkdir(folder)
  // An index of its own, so that nothing of this repository changes.
  const env = { GIT_INDEX_FILE: join(folder, '.index') }
  await execa('git', ['read-tree', name], { cwd: tree, env })
  await execa('git', ['checkout-index', '--all', `--prefix=${folder}/`], { cwd: tree, env })
  await rm(join(folder, 'test/bench'), { recursive: true, force: true })
  await leadToOldNames(name, folder, tree)
  // The bench, and what it needs of the tests. What tests of that revision had stays theirs.
  await cp(join(tree, 'test'), join(folder, 'test'), {
    recursive: true,
    force: false,
    filter: (from) => basename(from) !== 'node_modules',
  })
  if (!existsSync(join(folder, 'build.ts')))
    await rename(join(folder, 'test/bench/old-build.ts'), join(folder, 'build.ts'))
  linkPackages(tree, folder)
  return name
}

/** True when the other tree names the same packages as this one. */
export const hasSamePackages = async (folder: string): Promise<boolean> => {
  const [ours, theirs] = await Promise.all(
    [here, folder].map((tree) => readFile(join(tree, 'package-lock.json'), 'utf8').catch(() => '')),
  )
  return ours === theirs
}
