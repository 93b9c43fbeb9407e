import { cp, mkdir, readFile, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { execa } from 'execa'
import { linkPackages } from '../packages.ts'

/** The tree that this file is in. */
export const here = resolve(import.meta.dirname, '../..')

/**
 * Lays out another revision in a folder, with the packages and the bench of this tree: the same measurement
 * over other sources. Resolves with the revision's short name. Rejects when git does not know it.
 */
export const layOut = async (revision: string, folder: string): Promise<string> => {
  const name = await execa(
    'git',
    ['rev-parse', '--short', '--verify', '--end-of-options', `${revision}^{commit}`],
    {
      cwd: here,
    },
  )
  await mkdir(folder)
  // An index of its own, so that nothing of this repository changes.
  const git = { cwd: here, env: { GIT_INDEX_FILE: join(folder, '.index') } }
  await execa('git', ['read-tree', name.stdout], git)
  await execa('git', ['checkout-index', '--all', `--prefix=${folder}/`], git)
  await rm(join(folder, 'test/bench'), { recursive: true, force: true })
  await cp(join(here, 'test/bench'), join(folder, 'test/bench'), { recursive: true })
  linkPackages(here, folder)
  return name.stdout
}

/** True when the other tree names the same packages as this one. */
export const hasSamePackages = async (folder: string): Promise<boolean> => {
  const [ours, theirs] = await Promise.all(
    [here, folder].map((tree) => readFile(join(tree, 'package-lock.json'), 'utf8').catch(() => '')),
  )
  return ours === theirs
}
