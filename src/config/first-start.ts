import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ProblemError } from '../core/model/gate/problem.ts'
import type { GalleryJob } from '../shared/hooks/gallery.ts'

/** Returns the folder that holds package.json. It works from the sources and from dist. */
export const packageRoot = (): string => {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder)
    if (parent === folder) throw new Error('hookgate cannot find its own package.json')
    folder = parent
  }
  return folder
}

/** Reads the hooks for single jobs that hookgate ships. */
export const readGallery = (): readonly GalleryJob[] =>
  JSON.parse(readFileSync(join(packageRoot(), 'config', 'gallery.json'), 'utf8')) as readonly GalleryJob[]

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

/**
 * This script copies defaults into the workspace (`$1`) from hookgate's own folder (`$2`). Each file or
 * folder is copied completely or not at all, and only where nothing exists yet. The script never writes
 * through a link. It copies the proposals last, because they name the other files. `$3`: the folders that get
 * pages and examples, or nothing. The examples lie where neither git nor a hook that looks at a project's
 * files finds them, and never in the gate's folder, also when the workspace is the home.
 */
const copyScript = `umask 022; cd "$1" || exit 1
[ ! -L config ] || { echo 'config is a link, and nothing is written behind one'; exit 1; }
mkdir -p config && [ -w config ] || exit 1
put() { rm -rf "$2.hookgate-new" && cp -R "$1" "$2.hookgate-new" && mv "$2.hookgate-new" "$2"; }
copy() {
  [ ! -e "$2" ] || return 0
  [ ! -L "$2" ] || { echo "$2 is a link that leads nowhere"; exit 1; }
  put "$1" "$2" || exit 1
}
fill() {
  [ ! -L "$2" ] || return 0
  [ -e "$2" ] || { put "$1" "$2"; return; }
  [ -d "$1" ] && [ -d "$2" ] || return 0
  for one in "$1"/*; do fill "$one" "$2/\${one##*/}" || return 1; done
}
copy "$2/config/agent.yaml" config/agent.yaml
for name in $3; do
  [ -d "$name" ] || { [ ! -e "$name" ] && [ ! -L "$name" ]; } || { echo "$name is no folder"; exit 1; }
done
[ -z "$3" ] || fill "$2/config/context" config/context || exit 1
if [ -n "$3" ] && [ ! -L .hookgate-examples ]; then
  mkdir -p .hookgate-examples || exit 1
  [ -e .hookgate-examples/.gitignore ] || [ -L .hookgate-examples/.gitignore ] || echo '*' > .hookgate-examples/.gitignore
  fill "$2/examples" .hookgate-examples || exit 1
fi
copy "$2/config/shell_hooks.yaml" config/shell_hooks.yaml`

/**
 * Runs a shell script with the agent's rights. Returns the script's output when it failed, undefined
 * otherwise.
 */
export type AsAgent = (script: string, args: readonly string[], input?: string) => string | undefined

/** True until the gate has kept something: its store, or, with a database, the head of its ledger. */
export const isFirstStart = (home: string): boolean =>
  !['state.db', join('secrets', 'ledger.head')].some((name) => existsSync(join(home, name)))

/**
 * Copies the defaults that a workspace lacks. It overwrites nothing. `isFirst`: at the gate's first start the
 * workspace also gets the examples and the agent's pages, whatever it holds already; afterwards the person
 * may remove them. The copy is repeated at each start until the proposals are there. Returns why the rest
 * could not be copied into a workspace that has its own settings, since such a workspace works without it.
 * Throws a ProblemError when the workspace has no settings and cannot be written.
 */
export const copyDefaults = (workspace: string, isFirst: boolean, asAgent: AsAgent): string | undefined => {
  const has = (name: string): boolean => existsSync(join(workspace, 'config', name))
  const isReady = has('agent.yaml') && has('shell_hooks.yaml')
  if (isReady && !isFirst) return undefined
  const folders = isFirst || !has('shell_hooks.yaml') ? 'config/context .hookgate-examples' : ''
  const why = asAgent(copyScript, [workspace, packageRoot(), folders])
  if (why !== undefined && !isReady) throw unwritable(workspace, 'HOOKGATE_WORKSPACE', new Error(why))
  return why
}

/**
 * Writes a gate.yaml of comments at the gate's first start, where there is none. It sets nothing. A file that
 * could not be written is no problem, because hookgate works without one.
 */
const writeGateFile = (home: string): void => {
  if (!isFirstStart(home)) return
  try {
    const text = readFileSync(join(packageRoot(), 'config', 'gate.yaml'))
    writeFileSync(join(home, 'gate.yaml'), text, { mode: 0o600, flag: 'wx' })
  } catch {
    // There is one already, or the disk is full, which the next step tells.
  }
}

/** Makes the gate's folder and the workspace. */
export const prepareFolders = (home: string, workspace: string): void => {
  make(home, 0o711, 'HOOKGATE_HOME')
  make(join(home, 'secrets'), 0o700, 'HOOKGATE_HOME')
  make(join(home, 'seal'), 0o755, 'HOOKGATE_HOME')
  // These files are named by their hashes, so only a process that knows the name can open one.
  make(join(home, 'files'), 0o711, 'HOOKGATE_HOME')
  make(join(home, 'run'), 0o711, 'HOOKGATE_HOME')
  make(join(home, 'run', 'empty'), 0o555, 'HOOKGATE_HOME')
  make(workspace, 0o755, 'HOOKGATE_WORKSPACE')
  writeGateFile(home)
}
