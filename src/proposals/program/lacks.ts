import type { Entry } from '../../core/model/hooks/entry.ts'
import type { ScriptCode } from './code/code-finds.ts'
import { findOnPath, foldersOf } from './tool.ts'

/** Variables that every hook has, or that a shell sets itself. */
const alwaysSet = new RegExp(
  '^(?:' +
    [
      'PATH|HOME|LANG|TZ|USER|LOGNAME|TMPDIR|PWD|OLDPWD|SHLVL|IFS|PPID|UID|EUID|RANDOM|SECONDS|LINENO|HOSTNAME|HOSTTYPE',
      'OSTYPE|MACHTYPE|SHELL|SHELLOPTS|BASH\\w*|FUNCNAME|OPTARG|OPTIND|OPTERR|REPLY|PIPESTATUS|DIRSTACK|GROUPS|EPOCH\\w+',
      'COLUMNS|LINES|TERM|HOOKGATE_\\w+|PYTHON\\w+|GIT_\\w+|LC_\\w+',
    ].join('|') +
    ')$',
)
/** Variables that switch a hook's behaviour and are usually not set. */
const isToggle = /(?:^|_)(?:SKIP|DEBUG|VERBOSE|DISABLED?|FORCE|QUIET|DRY_RUN|NO|CI|LEVEL)(?:_|$)/
const maxListed = 5
const listed = (names: readonly string[]): string =>
  `${names
    .slice(0, maxListed)
    .map((name) => `"${name}"`)
    .join(', ')}${names.length > maxListed ? ', …' : ''}`

/** The module through which hooks of Starchild ask a model. */
export const starchildModule =
  /^[ \t]*(?:(?:from|import)[ \t]+core\.http_client|from[ \t]+core[ \t]+import[ \t(]+http_client)\b/m

/** What to propose in the place of a script that asks a model through Starchild's own module. */
export const starchildWords = ({ event }: Pick<Entry, 'event'>): string =>
  'It imports "core.http_client", which only Starchild has, so it fails at each event. ' +
  (event === 'pre_llm_call'
    ? 'No hook can ask a model at pre_llm_call.'
    : `This entry asks a model here: {event: ${event}, type: llm, prompt: "…"}. Its prompt says what to judge.`)

/**
 * Sentences for the owner about programs and variables that the shell text of a hook names and that are not
 * here. They never prevent an approval. Only text for a shell is read, because there a name is exact.
 */
export const lacksOf = (
  texts: readonly ScriptCode[],
  { path, variables }: { readonly path: string; readonly variables: readonly string[] },
): readonly string[] => {
  const folders = foldersOf(path)
  const missing = (kind: 'starts' | 'asks'): readonly string[] =>
    [...new Set(texts.flatMap((code) => code[kind]))].filter(
      (name) => findOnPath(name, folders) === undefined,
    )
  const asked = missing('asks')
  const started = missing('starts').filter((name) => !asked.includes(name))
  const unset = [...new Set(texts.flatMap(({ reads }) => reads))].filter(
    (name) => !alwaysSet.test(name) && !isToggle.test(name) && !variables.includes(name),
  )
  return [
    ...started
      .slice(0, maxListed)
      .map(
        (name) =>
          `It starts "${name}", which is not on the hooks' PATH, so it may fail at each event, ` +
          'and a failure can block the step. Install it for all users of the system.',
      ),
    ...(asked.length === 0
      ? []
      : [
          `It looks for ${listed(asked)}, which is not on the hooks' PATH, so it may do nothing. ` +
            'Install it for all users of the system.',
        ]),
    ...(unset.length === 0
      ? []
      : [
          `It reads ${listed(unset)} from the environment, but nothing sets it here. ` +
            'Set it with "env", which can pass on a variable of yours that gate.yaml lists.',
        ]),
  ]
}
