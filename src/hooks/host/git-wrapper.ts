import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// The extension is .ts in the repository and .js in what is published.
const elsewhere = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './git-elsewhere.ts' : './git-elsewhere.js', import.meta.url),
)

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * What stands before git on the PATH of hooks. Variables can name one repository; this decides by the folder
 * that git is called in, or told with -C. For another repository than the hook's own it asks the slow way,
 * and where there is none git says so. `above`: see `createGitWorld`; `own`: the folder that it lies in.
 */
export const wrapperText = (above: string, own: string): string => `#!/bin/sh
own=${quoted(own)}
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
if [ -n "$at" ]; then exec ${quoted(process.execPath)} ${quoted(elsewhere)} ${quoted(above)} "$at" "$@"; fi
unset GIT_DIR GIT_WORK_TREE
exec git "$@"
`

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
