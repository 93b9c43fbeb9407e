import { failWords, rowKey, statusWords, type Row } from '../model/catalogue.ts'
import { isEventName } from '../model/event.ts'
import { formatProblem } from '../model/problem.ts'
import { fixed, prose, type Prose } from '../model/prose.ts'
import { foreignOrigin, handlerLine } from './handler.ts'
import type { CommandContext, CommandPorts } from './ports.ts'
import { ago, gap, maxColumns, oneLine, shorten } from './words.ts'

/** An event's name is ours only when it is one; what a file wrote instead is a quote. */
export const eventWords = (event: string): Prose => (isEventName(event) ? fixed(event) : prose`${shorten(oneLine(event), 60)}`)

/** Whether an owner could approve it as it stands. */
export const isWaiting = (row: Row): boolean => (row.status === 'waiting' || row.status === 'changed') && row.problem === undefined

/** What became of an approval whose file moved on. */
export const changedWords = ({ isStopped }: Row): string => (isStopped === true ? 'it stopped: a file it uses changed' : 'the approved bytes run on')

/** That part of it lies open, in a few words. */
const openWords = ({ unsealed, under, watched = [] }: Row): string | undefined => {
  if (unsealed.length === 0 && under === undefined) return undefined
  const parts = [...(under === undefined ? [] : [`under ${under}`]), ...(watched.length === 0 ? [] : [`${watched.length} watched`])]
  if (parts.length === 0) return 'not all is sealed'
  return watched.length === 0 ? `${parts.join(', ')}, not sealed` : parts.join(', ')
}

/** The first thing that is not as in its own system, and how many more there are. */
const remarkLine = ({ remarks = [] }: Row): Prose => {
  const [first] = remarks
  if (first === undefined) return []
  const more = remarks.length === 1 ? '' : ` (+${remarks.length - 1})`
  return prose`\n  ⚠ ${shorten(oneLine(first), maxColumns - 4 - more.length)}${fixed(more)}`
}

/** One hook in the list: its state, what it asks, and what can be done about it. */
export const rowLines = (row: Row, ports: CommandPorts, { owner, address }: CommandContext): Prose => {
  const key = rowKey(row)
  const handle = key === undefined ? '' : `${ports.handle(owner, address.chat_id, key)} `
  const status = handle + statusWords[row.status]
  const open = openWords(row)
  const origin = foreignOrigin(row)
  const head = prose`${fixed(status + gap(status, '  ', row.event))}${eventWords(row.event)}\n  ${handlerLine(row)}${origin === undefined ? [] : prose`\n  from ${shorten(oneLine(origin), maxColumns - 7)}`}${fixed(open === undefined ? '' : `\n  ${open} → /hooks show ${handle}`.trimEnd())}${remarkLine(row)}`
  const problem = row.problem === undefined ? [] : prose`\n  ${formatProblem(row.problem)}`
  const firedMs = row.live === undefined ? undefined : ports.lastFiredMs(row.live)
  const fired = firedMs === undefined ? '' : `last fired ${ago(firedMs, ports.now())}`
  const line = (words: string): string => `\n  ${words}${fired === '' ? '' : gap(`  ${words}`, ' · ', fired) + fired}`
  const fails = line(row.entry === undefined ? 'approved' : `if it fails: ${failWords[row.entry.onError]}`)
  switch (row.status) {
    case 'approved': return prose`${head}${fixed(fails)}`
    case 'gone': return prose`${head}${fixed(`${fails}\n  → /hooks revoke ${handle}`.trimEnd())}`
    case 'changed': return prose`${head}${fixed(line(changedWords(row)))}${problem}${fixed(`\n  → /hooks ${row.problem === undefined ? 'approve' : 'revoke'} ${handle}`.trimEnd())}`
    case 'waiting': return row.problem === undefined ? prose`${head}${fixed(`\n  → /hooks approve ${handle}`.trimEnd())}` : prose`${head}${problem}`
    case 'invalid': return prose`${head}${problem}`
  }
}
