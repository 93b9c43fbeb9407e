import { accessSync, chmodSync, constants, mkdirSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// The extension is .ts in the repository and .js in what is published.
const elsewhere = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './git-elsewhere.ts' : './git-elsewhere.js', import.meta.url),
)

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** What the git of every hook needs, whatever the repository is. */
export interface GitTools {
  readonly folder: string
  /** Stands before the PATH of hooks: whoever can write it decides what runs in every hook. */
  readonly bin: string
  /** The settings by which git works in the repositories that it is given. */
  readonly cure: string
}

export const toolsIn = (folder: string): GitTools => ({
  folder,
  bin: join(folder, 'bin'),
  cure: join(folder, 'cure'),
})

/**
 * What stands before git on the PATH of hooks. Variables can name one repository; this decides by the folder
 * that git is called in, or told with -C. For another repository than the hook's own it asks the slow way,
 * and where there is none git says so. `above`: see `createGitWorld`.
 */
const wrapperText = (above: string, { folder, bin }: GitTools): string => `#!/bin/sh
own=${quoted(bin)}
# Wherever it stands by now: git must not be found here again.
PATH=:$PATH:
while case $PATH in *":$own:"*) ;; *) false ;; esac; do PATH=\${PATH%%":$own:"*}:\${PATH#*":$own:"}; done
PATH=\${PATH#:} PATH=\${PATH%:}
# A repository that the hook itself names is git's to refuse.
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
    // Never written in place: it may be running.
    writeFileSync(`${file}.${process.pid}`, text)
    chmodSync(`${file}.${process.pid}`, 0o755)
    renameSync(`${file}.${process.pid}`, file)
  }
}

/**
 * Makes in the gate's folder what the git of every hook needs: a hook can read it and not change it, since what lies
 * there comes before all that other hooks run. `hooksHome`: the HOME of hooks. Gives the folder.
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

/** Whether git is on a PATH, looked up once. */
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
