import { basename } from 'node:path'
import { plural } from '../../commands/words.ts'
import type { ScanFacts } from '../../compose/verbs/scan/run.ts'
import type { Scanned, ScanProgress, Tally } from '../../compose/verbs/scan/scan.ts'
import type { Judgement, Stop } from '../../compose/verbs/scan/worst.ts'

/** A report is at least so wide, and at most. */
const narrowest = 40
const widest = 100

const effectWords: Readonly<Record<Judgement['effect'], string>> = {
  destroy: 'delete or overwrite',
  secret: 'have a secret in them',
  'secret-access': 'read keys or passwords',
  'remote-exec': 'run what the network sent',
  'git-loss': 'lose work in git',
  publish: 'publish for good',
  privilege: 'act as administrator',
  persistence: 'change what starts later',
  unreadable: 'cannot be read',
}
const wordsOf = { block: 'blocked', ask: 'asked', redact: 'redacted' } as const
const inOrder = ['block', 'ask', 'redact'] as const

/** Text of an agent, on one line and without characters that a terminal obeys or hides. */
const plain = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()

/** Shortens a text to one line. `part` stays in sight. */
const fitted = (text: string, part: string, room: number): string => {
  const line = plain(text)
  if (line.length <= room) return line
  const at = Math.max(0, line.indexOf(plain(part)))
  const isInSight = at + Math.min(plain(part).length, room / 2) < room
  const seen = isInSight ? line : `…${line.slice(Math.min(at, line.length - room + 1))}`
  return (seen.length > room ? `${seen.slice(0, room - 1)}…` : seen).toWellFormed()
}

/** Breaks words into lines of a width. A longer word has a line of its own. */
const wrapped = (text: string, width: number, indent = ''): string => {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || indent.length + last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.map((line) => `${indent}${line}`).join('\n')
}

const dayOf = (atMs: number): string => new Date(atMs).toLocaleDateString('sv-SE')

const sumOf = ({ block, ask }: Readonly<Tally>): number => block + ask

/** The calls by their effect: how many, what they do, and what would have become of them. */
const tableOf = ({ effects }: Scanned, width: number): readonly string[] =>
  effects.flatMap(({ effect, tally }) => {
    const parts = inOrder.filter((word) => tally[word] > 0).map((word) => `${tally[word]} ${wordsOf[word]}`)
    if (parts.length === 0) return []
    const left = `${String(sumOf(tally) + tally.redact).padStart(6)}  ${effectWords[effect]}`
    const right = parts.join(', ')
    const isWide = 36 + right.length <= width
    return isWide ? [left.padEnd(36) + right] : [left, `        ${right}`]
  })

const worstLines = (stop: Stop, index: number, { titleOf }: ScanFacts, width: number): readonly string[] => {
  const { word, atMs, client, cwd, about, part, reason, times } = stop
  const number = `${String(index + 1).padStart(2)}. `
  const place = `${titleOf(client)}, ${fitted(basename(cwd), '', 40)}`
  const often = times > 1 ? `, ${times} times` : ''
  const head = `${wordsOf[word].toUpperCase()}  ${dayOf(atMs)}  ${place}${often}`
  const [first = '', ...more] = wrapped(head, width - 4).split('\n')
  return [
    '',
    number + first,
    ...more.map((line) => `    ${line}`),
    `    ${fitted(about, part, width - 4)}`,
    wrapped(plain(reason).slice(0, 300), width, '    '),
  ]
}

const homeless = (path: string, home: string): string =>
  path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path

/** What was not read, each in one sentence. */
const problemLines = (
  { problems, unsearched, ended }: Scanned,
  { titleOf, home }: ScanFacts,
): readonly string[] => [
  ...problems.map(({ client, why, count, example }) => {
    const where = fitted(homeless(example, home), '', 200)
    const others = count > 1 ? ` (and ${count - 1} more)` : ''
    return `${titleOf(client)}: ${where}${where === '' ? '' : ' '}${plain(why)}${others}.`
  }),
  ...(unsearched === 0 ? [] : [`${plural(unsearched, 'call')} could not be searched for secrets.`]),
  ...(ended === undefined ? [] : [`It ended before everything was read: ${plain(ended)}.`]),
]

/** The report for a person at a terminal of this width. */
export const reportOf = (scanned: Scanned, facts: ScanFacts, columns: number): string => {
  const width = Math.min(widest, Math.max(narrowest, columns))
  const { clients, calls, tally, worst } = scanned
  const { days, home, titleOf, installLine, looked } = facts
  const say = (text: string): string => wrapped(text, width)
  const problems = problemLines(scanned, facts)
  const unread =
    problems.length === 0 ? [] : ['', 'Not read:', ...problems.map((line) => wrapped(line, width, '  '))]
  if (calls === 0)
    return [
      say(`No tool call of an agent was found in the last ${days} days. hookgate looked here:`),
      ...looked.map(({ client, folder }) => `  ${titleOf(client)}: ${homeless(folder, home)}`),
      ...unread,
      '',
      say(
        'Add --days 365 to look further back. Sessions elsewhere are found when it runs as the user of the client, with its variable for the folder, such as CODEX_HOME.',
      ),
    ].join('\n')
  const table = tableOf(scanned, width)
  const stopped = sumOf(tally)
  const sessions = clients.reduce((sum, { sessions }) => sum + sessions, 0)
  const ways = [
    ...(tally.block > 0 ? [`${tally.block} blocked`] : []),
    ...(tally.ask > 0 ? [`${tally.ask} asked about on your phone`] : []),
  ]
  return [
    say(
      `Your agents made ${plural(calls, 'tool call')} in ${plural(sessions, 'session')} in the last ${days} days.`,
    ),
    ...clients.map(
      (own) => `  ${titleOf(own.client)}: ${plural(own.calls, 'call')}, ${sumOf(own.tally)} to stop`,
    ),
    '',
    stopped === 0
      ? say('The guards of hookgate would have stopped none of them.')
      : say(
          `${stopped === 1 ? 'This call' : `These ${stopped} calls`} would have been stopped: ${ways.join(', ')}.`,
        ),
    ...(tally.redact === 0
      ? []
      : [say(`Secrets would have been taken out of ${tally.redact}${stopped === 0 ? '' : ' more'}.`)]),
    ...(table.length === 0 ? [] : ['', ...table]),
    ...(worst.length === 0 ? [] : ['', worst.length === 1 ? 'The worst:' : `The worst ${worst.length}:`]),
    ...worst.flatMap((stop, index) => worstLines(stop, index, facts, width)),
    ...unread,
    '',
    say('To put an agent behind the gate:'),
    ...clients
      .toSorted((a, b) => sumOf(b.tally) - sumOf(a.tally))
      .map(({ client }) => `  ${installLine(client)}`),
  ].join('\n')
}

/** The line of a terminal that tells how far the scan is. */
export const progressLine = ({ files, filesRead, calls, tally }: ScanProgress, columns: number): string =>
  `${sumOf(tally)} to stop of ${plural(calls, 'call')}, ${filesRead} of ${plural(files, 'file')} read`.slice(
    0,
    columns - 1,
  )

/** The report for programs. */
export const jsonOf = (scanned: Scanned, facts: ScanFacts): string => {
  const { calls, tally, clients, effects, worst } = scanned
  const report = {
    days: facts.days,
    calls,
    ...tally,
    clients: clients.map(({ tally, ...own }) => ({
      ...own,
      ...tally,
      install: facts.installLine(own.client),
    })),
    effects: Object.fromEntries(effects.map(({ effect, tally }) => [effect, tally])),
    worst: worst.map(({ atMs, ...stop }) => ({ at: new Date(atMs).toISOString(), ...stop })),
    not_read: problemLines(scanned, facts),
  }
  return JSON.stringify(report, null, 2)
}
