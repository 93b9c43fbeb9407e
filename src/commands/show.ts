import { failWords, rowKey, statusWords, type Row } from '../model/catalogue.ts'
import { contractOf, isEventName } from '../model/event.ts'
import { formatProblem } from '../model/problem.ts'
import { fixed, joinProse, prose, type Prose } from '../model/prose.ts'
import { findByHandle } from './find.ts'
import { eventWords, isWaiting } from './list.ts'
import type { Command, CommandContext, CommandPorts } from './ports.ts'
import type { Shown } from './shown.ts'
import { kilobytes } from './words.ts'

const powers = (event: string): string => {
  if (!isEventName(event)) return 'nothing: it is no event'
  const { gate, onBlock, rewrite, contextTo } = contractOf(event)
  const list = [
    ...(gate.includes('block') ? [`block (${onBlock ?? 'stop it'})`] : []),
    ...(gate.includes('ask') ? ['ask you'] : []),
    ...(gate.includes('allow') ? ['allow'] : []),
    ...(rewrite.length > 0 ? [`rewrite ${rewrite.join(', ')}`] : []),
    ...(contextTo === undefined ? [] : ['add context']),
  ]
  return list.length === 0 ? 'only watch' : list.join(', ')
}

const optionLines = (row: Row): readonly Prose[] => {
  const { entry } = row
  if (entry === undefined) return []
  const matcher = entry.matcher === undefined ? 'everything' : [entry.matcher.tool === undefined ? [] : [`tool ${entry.matcher.tool}`], entry.matcher.pattern === undefined ? [] : [entry.matcher.pattern], entry.matcher.field === undefined ? [] : [`in ${entry.matcher.field}`]].flat().join(' · ')
  const env = Object.entries(entry.env).map(([name, value]) => `${name}=${value}`).join(' ')
  return [
    prose`asked on: ${matcher}`,
    fixed(`may: ${powers(row.event)}`),
    fixed(`if it fails: ${failWords[entry.onError]} · ${entry.timeoutMs / 1000} s · priority ${entry.priority}${entry.isAsync ? ' · async' : ''}`),
    ...(entry.args.length === 0 ? [] : [prose`args: ${entry.args.join(' ')}`]),
    ...(entry.cwd === undefined ? [] : [prose`runs in: ${entry.cwd}`]),
    ...(env === '' ? [] : [prose`env: ${env}`]),
    prose`from: ${entry.origin}`,
  ]
}

const card = (row: Row, ports: CommandPorts, { owner, address }: CommandContext): Prose => {
  const key = rowKey(row)
  const first = row.files[0]
  const head = first === undefined ? [] : ports.headOf(first.path)
  const handle = key === undefined ? '' : ports.handle(owner, address.chat_id, key)
  return joinProse([
    prose`${fixed(`${handle} ${statusWords[row.status]}`.trim())}  ${eventWords(row.event)}`,
    prose`  ${row.command}`,
    ...optionLines(row),
    ...row.files.map(({ path, bytes, sha256 }) => prose`file: ${path} ${fixed(`${kilobytes(bytes)} · ${sha256.slice(0, 12)}`)}`),
    ...row.unsealed.map((words) => prose`not sealed: ${words}`),
    ...(row.problem === undefined ? [] : [prose`⚠ ${formatProblem(row.problem)}`]),
    ...head.map((line) => prose`│ ${line}`),
    ...(key === undefined ? [] : [fixed(`fingerprint ${key.slice(0, 16)}`)]),
    ...(isWaiting(row) ? [fixed(`→ /hooks approve ${handle}`)] : []),
    ...(row.live === undefined ? [] : [fixed(`→ /hooks revoke ${handle}`)]),
  ], '\n')
}

export const showCommand = (ports: CommandPorts, shown: Shown): Command => ({
  path: 'hooks show', usage: '/hooks show <handle>', summary: 'one hook, whole', need: 'owner',
  run: (rest, context) => {
    if (rest === '') return fixed('Say which: /hooks show <handle>, as /hooks lists it.')
    const rows = ports.rows()
    const named = rows.filter((row) => row.command === rest)
    const found = named.length > 0 ? { rows: named } : findByHandle(rest, rows, ports, context)
    if ('wrong' in found) return found.wrong
    shown.note(context.owner, found.rows, rows)
    return joinProse(found.rows.map((row) => card(row, ports, context)), '\n\n')
  },
})
