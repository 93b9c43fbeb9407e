/**
 * Runs git for a hook in a repository other than the one that contains the hook's folder. Arguments: the two
 * that `createGitWorld` gets, the folder whose `.git` was found, and git's own arguments.
 */
import { spawnSync } from 'node:child_process'
import { createGitWorld } from './git-world.ts'

const [above = '', prepared = '', folder = '', ...words] = process.argv.slice(2)
const { GIT_DIR: _dir, GIT_WORK_TREE: _tree, ...env } = process.env
const { status, signal } = spawnSync('git', words, {
  stdio: 'inherit',
  env: { ...env, ...createGitWorld(above, prepared).env(folder), PATH: env['PATH'] },
})
if (signal !== null) process.kill(process.pid, signal)
process.exitCode = status ?? 1
