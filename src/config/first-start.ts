import { accessSync, constants, copyFileSync, cpSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ProblemError } from '../model/problem.ts'

/** The folder that holds package.json, from the sources as well as from dist. */
export const packageRoot = (): string => {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder)
    if (parent === folder) throw new Error('hookgate cannot find its own package.json')
    folder = parent
  }
  return folder
}

const unwritable = (path: string, variable: string, error: unknown): ProblemError =>
  new ProblemError({
    code: 'folder.unwritable',
    message: `Expected ${path} to be a folder that can be made and written, but ${error instanceof Error ? error.message : 'it cannot'}.`,
    fix: `Make it writable, or name another with ${variable}=/path.`,
  })

const make = (path: string, mode: number, variable: string): void => {
  try {
    mkdirSync(path, { recursive: true, mode })
    accessSync(path, mode & 0o200 ? constants.R_OK | constants.W_OK | constants.X_OK : constants.X_OK)
  } catch (error) {
    throw unwritable(path, variable, error)
  }
}

const copyNew = (from: string, to: string): void => {
  // Exclusive, so that a dangling link in the workspace cannot lead the copy elsewhere.
  if (!existsSync(to)) copyFileSync(from, to, constants.COPYFILE_EXCL)
}

const copyDefaults = (root: string, workspace: string): void => {
  const proposals = join(workspace, 'config', 'shell_hooks.yaml')
  const isFirst = !existsSync(proposals)
  copyNew(join(root, 'config', 'agent.yaml'), join(workspace, 'config', 'agent.yaml'))
  if (!isFirst) return
  cpSync(join(root, 'config', 'context'), join(workspace, 'config', 'context'), { recursive: true, force: false })
  cpSync(join(root, 'examples'), join(workspace, 'examples'), { recursive: true, force: false })
  // The last one: while it is missing, a first start that was cut short is done again.
  copyNew(join(root, 'config', 'shell_hooks.yaml'), proposals)
}

/** Makes the gate's folder and the workspace, and copies the defaults into a workspace that has none. Overwrites nothing. */
export const prepareFolders = (home: string, workspace: string): void => {
  make(home, 0o711, 'HOOKGATE_HOME')
  make(join(home, 'secrets'), 0o700, 'HOOKGATE_HOME')
  make(join(home, 'seal'), 0o755, 'HOOKGATE_HOME')
  make(join(home, 'run'), 0o711, 'HOOKGATE_HOME')
  make(join(home, 'run', 'empty'), 0o555, 'HOOKGATE_HOME')
  make(join(workspace, 'config'), 0o755, 'HOOKGATE_WORKSPACE')
  try {
    copyDefaults(packageRoot(), workspace)
  } catch (error) {
    throw unwritable(workspace, 'HOOKGATE_WORKSPACE', error)
  }
}
