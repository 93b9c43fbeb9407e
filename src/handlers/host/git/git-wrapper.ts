import { accessSync, chmodSync, constants, mkdirSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { quoted } from '../../../shared/base/shell.ts'

// The extension is .ts in the repository and .js in the published package.
const elsewhere = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './git-elsewhere.ts' : './git-elsewhere.js', import.meta.url),
)

/** The files that the git of every hook needs, whatever the repository is. */
export interface GitTools {
  readonly folder: string
  /**
   * This folder comes first on the PATH of hooks: whoever can write to it decides what runs in every hook.
   */
  readonly bin: string
  /** The settings with which git works in the repositories that it is given. */
  readonly cure: string
}

export const toolsIn = (folder: string): GitTools => ({
  folder,
  bin: join(folder, 'bin'),
  cure: join(folder, 'cure'),
})

/**
 * The wrapper that comes before git on the PATH of hooks. Variables can name only one repository. The wrapper
 * chooses by the folder in which git is called, or that `-C` names. For a repository other than the hook's
 * own it starts a slower helper; without a repository, git itself reports that. `above`: see
 * `createGitWorld`.
 */
const wrapperText = (above: string, { folder, bin }: GitTools): string => `#!/bin/sh
own=${quoted(bin)}
# This folder is removed from PATH, so that git is not found here again.
PATH=:$PATH:
while case $PATH in *":$own:"*) ;; *) false ;; esac; do PATH=\${PATH%%":$own:"*}:\${PATH#*":$own:"}; done
PATH=\${PATH#:} PATH=\${PATH%:}
# Git itself refuses a repository that the hook names.
case $GIT_DIR in '' | ${quoted(above)}/*) ;; *) exec git "$@" ;; esac
start=$PWD at=. next=
for word do
  case $next in
    folder) at=$word next=; cd -P -- "$at" 2>/dev/null || { cd "$start"; exec git "$@"; }; continue ;;
    value) next=; continue ;;
  esac
  case $word in
    -C) next=folder ;;
    -c | --config-env | --namespace | --exec-path) next=value ;;
    --git-dir* | --work-tree* | --bare) cd "$start"; exec git "$@" ;;
    -*) ;;
    *) break ;;
  esac
done
cd -P .
at=$PWD
cd "$start"
until [ -e "$at/.git" ] || [ -z "$at" ]; do at=\${at%/*}; done
# In a seal and beside a checked copy lies a link to the project's own.
if [ -n "$at" ] && [ "$at/.git" -ef "$GIT_WORK_TREE/.git" ]; then at=$GIT_WORK_TREE; fi
if [ -n "$at" ] && [ "$at" = "$GIT_WORK_TREE" ]; then exec git "$@"; fi
if [ -n "$at" ]; then exec ${quoted(process.execPath)} ${quoted(elsewhere)} ${quoted(above)} ${quoted(folder)} "$at" "$@"; fi
unset GIT_DIR GIT_WORK_TREE
exec git "$@"
`

/** `above`: see `createGitWorld`. */
export const writeTools = (above: string, tools: GitTools): void => {
  const { bin, cure } = tools
  mkdirSync(bin, { recursive: true })
  for (const [file, text] of [
    [cure, '[core]\n\tcommitGraph = true\n'],
    [join(bin, 'git'), wrapperText(above, tools)],
  ] as const) {
    // The file is replaced and never written in place, because it may be running.
    writeFileSync(`${file}.${process.pid}`, text)
    chmodSync(`${file}.${process.pid}`, 0o755)
    renameSync(`${file}.${process.pid}`, file)
  }
}

/**
 * Writes the files that the git of every hook needs into the gate's folder. A hook can read them and not
 * change them, because they come before everything that other hooks run. `hooksHome` is the HOME of hooks.
 * Returns the folder.
 */
export const prepareGit = (home: string, hooksHome: string): string => {
  const folder = join(home, 'run', 'git')
  mkdirSync(folder, { recursive: true })
  const tools = toolsIn(realpathSync(folder))
  writeTools(realpathSync(hooksHome), tools)
  // The process's umask must not decide what the hooks' user can read.
  for (const path of [tools.folder, tools.bin]) chmodSync(path, 0o755)
  return tools.folder
}

const known = new Map<string, boolean>()

/** True when git is on a PATH. The result is cached. */
export const hasGit = (path: string): boolean => {
  const found =
    known.get(path) ??
    path.split(delimiter).some((folder) => {
      try {
        accessSync(join(folder, 'git'), constants.X_OK)
        return folder.startsWith('/')
      } catch {
        return false
      }
    })
  if (known.size > 100) known.clear()
  known.set(path, found)
  return found
}
