import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
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

/** In the workspace (`$1`), from hookgate's own folder (`$2`). A folder comes whole or not at all; the proposals come last. */
const copyScript = `umask 022; cd "$1" && mkdir -p config && [ -w config ] || exit 1
copy() {
  [ ! -d "$1" ] || [ ! -e "$2" ] || [ -d "$2" ] || { echo "$2 is no folder"; exit 1; }
  [ ! -e "$2" ] || return 0
  [ ! -L "$2" ] || { echo "$2 is a link that leads nowhere"; exit 1; }
  rm -rf "$2.new" && cp -R "$1" "$2.new" && mv "$2.new" "$2" || exit 1
}
copy "$2/config/agent.yaml" config/agent.yaml
[ ! -e config/shell_hooks.yaml ] || exit 0
for name in config/context examples config/shell_hooks.yaml; do copy "$2/$name" "$name"; done`

/** Runs a shell script with the agent's rights; what it said when it failed. */
export type AsAgent = (script: string, args: readonly string[], input?: string) => string | undefined

/** Copies the defaults into a workspace that has none. Overwrites nothing. Until the proposals are there it is done again. */
export const copyDefaults = (workspace: string, asAgent: AsAgent): void => {
  if (['agent.yaml', 'shell_hooks.yaml'].every((name) => existsSync(join(workspace, 'config', name)))) return
  const why = asAgent(copyScript, [workspace, packageRoot()])
  if (why !== undefined) throw unwritable(workspace, 'HOOKGATE_WORKSPACE', new Error(why))
}

/** Makes the gate's folder and the workspace. */
export const prepareFolders = (home: string, workspace: string): void => {
  make(home, 0o711, 'HOOKGATE_HOME')
  make(join(home, 'secrets'), 0o700, 'HOOKGATE_HOME')
  make(join(home, 'seal'), 0o755, 'HOOKGATE_HOME')
  // Named by their hashes: whoever can open one knew it.
  make(join(home, 'files'), 0o711, 'HOOKGATE_HOME')
  make(join(home, 'run'), 0o711, 'HOOKGATE_HOME')
  make(join(home, 'run', 'empty'), 0o555, 'HOOKGATE_HOME')
  make(workspace, 0o755, 'HOOKGATE_WORKSPACE')
}
