import { copyFileSync, cpSync, existsSync, mkdirSync } from 'node:fs'
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

const make = (path: string, mode: number, variable: string): void => {
  try {
    mkdirSync(path, { recursive: true, mode })
  } catch (error) {
    throw new ProblemError({
      code: 'folder.unwritable',
      message: `Expected ${path} to be a folder that can be made and written, but ${error instanceof Error ? error.message : 'it cannot'}.`,
      fix: `Make it writable, or name another with ${variable}=/path.`,
    })
  }
}

const copyNew = (from: string, to: string): void => {
  if (!existsSync(to)) copyFileSync(from, to)
}

/** Makes the gate's folder and the workspace, and copies the defaults into a workspace that has none. Overwrites nothing. */
export const prepareFolders = (home: string, workspace: string): void => {
  make(home, 0o711, 'HOOKGATE_HOME')
  make(join(home, 'secrets'), 0o700, 'HOOKGATE_HOME')
  make(join(home, 'seal'), 0o755, 'HOOKGATE_HOME')
  make(join(home, 'run'), 0o711, 'HOOKGATE_HOME')
  make(join(home, 'run', 'empty'), 0o555, 'HOOKGATE_HOME')
  make(join(workspace, 'config'), 0o755, 'HOOKGATE_WORKSPACE')
  const root = packageRoot()
  const isFirst = !existsSync(join(workspace, 'config', 'shell_hooks.yaml'))
  copyNew(join(root, 'config', 'shell_hooks.yaml'), join(workspace, 'config', 'shell_hooks.yaml'))
  copyNew(join(root, 'config', 'agent.yaml'), join(workspace, 'config', 'agent.yaml'))
  if (!isFirst) return
  cpSync(join(root, 'config', 'context'), join(workspace, 'config', 'context'), { recursive: true, force: false })
  cpSync(join(root, 'examples'), join(workspace, 'examples'), { recursive: true, force: false })
}
