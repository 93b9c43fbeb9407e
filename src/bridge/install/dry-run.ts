import { createTwoFilesPatch } from 'diff'

/** The change that a dry run shows. */
export interface WouldChange {
  readonly client: string
  readonly title: string
  /** The file, as a person reads it. */
  readonly file: string
  /** The file's text. Undefined: there is no such file. */
  readonly now: string | undefined
  readonly text: string
  readonly events: readonly string[]
  readonly isRemoval: boolean
  readonly isHttp: boolean
}

/** How much of a dry run is shown: a summary, every line, or a summary for programs. */
export type DryRunForm = 'summary' | 'verbose' | 'json'

const secretToken = /Bearer [\w-]+/g

const patchOf = ({ file, now, text }: WouldChange): string =>
  createTwoFilesPatch(file, file, now ?? '', text, now === undefined ? 'missing' : 'now', 'then')
    .trimEnd()
    .replaceAll(secretToken, 'Bearer …')

/** The numbers of lines that a change adds and removes. */
const countsOf = (patch: string): { readonly added: number; readonly removed: number } => {
  const lines = patch.split('\n').filter((line) => !/^(?:\+\+\+|---) /.test(line))
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length
  return { added: count('+'), removed: count('-') }
}

/** What a dry run prints. Nothing was changed. */
export const dryRunWords = (change: WouldChange, form: DryRunForm): string => {
  const { client, title, file, now, text, events, isRemoval, isHttp } = change
  const isSame = text === (now ?? '')
  const patch = isSame ? '' : patchOf(change)
  const { added, removed } = countsOf(patch)
  if (form === 'json')
    return JSON.stringify({
      client,
      file,
      changes: isSame ? 'nothing' : now === undefined ? 'creates' : text === '' ? 'removes' : 'edits',
      added,
      removed,
      ...(isRemoval ? {} : { events }),
    })
  if (isSame) return `${title}: nothing would change in ${file}.`
  if (form === 'verbose') return patch
  const what = isRemoval
    ? `${title}: would take the hooks of hookgate out of ${file}${text === '' ? ', and remove the file' : ''}.`
    : `${title}: would write the hooks of hookgate into ${file}, ${now === undefined ? 'a new file' : 'beside what is there'}.`
  return [
    what,
    ...(isRemoval
      ? []
      : [`They report ${events.length} events${isHttp ? ' over HTTP' : ''}: ${events.join(', ')}.`]),
    `Lines: ${added} added, ${removed} removed. --verbose shows each of them, and --json is for programs.`,
    'Nothing was changed.',
  ].join('\n')
}
