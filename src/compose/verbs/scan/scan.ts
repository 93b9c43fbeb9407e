import { fromNative } from '../../../dialects/tools.ts'
import type { SessionProblem } from '../../../history/sessions/problems.ts'
import type { PastCall } from '../../../history/sessions/read.ts'
import type { ClientSessions } from '../../../history/sessions/sessions.ts'
import { sessionClients, type SessionClient } from '../../../history/sessions/table.ts'
import type { JudgedCall } from '../../../handlers/builtins/guard/judge.ts'
import { redact } from '../../../handlers/builtins/redact/redact.ts'
import type { Scanner } from '../../../handlers/builtins/redact/scanner.ts'
import { replaceSpans } from '../../../handlers/builtins/redact/span.ts'
import { isObject, type Json, type JsonObject } from '../../../core/model/base/json.ts'
import { payloadOf } from '../../../core/model/events/payload.ts'
import { suspectsIn } from './suspects.ts'
import { byWorst, createWorst, effectsInOrder, type Judgement, type Stop } from './worst.ts'

export interface ScanPorts {
  readonly sessions: ClientSessions
  /** The home folder of the person. */
  readonly home: string
  /** What the guard of commands finds in a call. */
  judge(call: JudgedCall): readonly Judgement[]
  readonly scanner: Pick<Scanner, 'scan' | 'judge'>
  /** Called after some work. */
  progress(soFar: ScanProgress): void
  /** True: the person wants to see what was found so far. */
  isStopped(): boolean
}

/** Calls by what would have become of them. A call counts once, as the first of these that it was. */
export type Tally = Record<Judgement['word'], number>

export interface ScanProgress {
  readonly files: number
  readonly filesRead: number
  readonly calls: number
  readonly tally: Readonly<Tally>
}

/** What would have happened behind a gate with the guards that hookgate ships. */
export interface Scanned {
  readonly clients: readonly {
    readonly client: SessionClient
    readonly sessions: number
    readonly calls: number
    readonly tally: Readonly<Tally>
  }[]
  readonly calls: number
  readonly tally: Readonly<Tally>
  /** The same by effect. A call with several effects counts under each. */
  readonly effects: readonly { readonly effect: Judgement['effect']; readonly tally: Readonly<Tally> }[]
  /** The worst calls, without their secrets. */
  readonly worst: readonly Stop[]
  /** Calls whose texts could not be searched for secrets. */
  readonly unsearched: number
  readonly problems: readonly SessionProblem[]
  /** Why it ended before everything was read. */
  readonly ended?: string
}

/** The time for the secrets of one call, and of all calls. */
const searchWithinMs = 10_000
const searchAllWithinMs = 15_000
/** So much of a call is kept to be shown. */
const maxAbout = 4000
const hidden = '(not shown, because it could not be searched for secrets)'
const unread = { word: 'ask', effect: 'unreadable', part: '', reason: 'The guard failed at it.' } as const
const secret = { word: 'redact', effect: 'secret', part: '', reason: 'A secret is in it.' } as const

const emptyTally = (): Tally => ({ block: 0, ask: 0, redact: 0 })
const count = (tally: Tally, found: readonly Judgement[]): void => {
  const word = (['block', 'ask', 'redact'] as const).find((word) => found.some((one) => one.word === word))
  if (word !== undefined) tally[word] += 1
}

/** What a call does, as a person would type or say it. */
const aboutOf = (tool: string, input: JsonObject): string => {
  const { command, path } = input
  if (typeof command === 'string') return command.slice(0, maxAbout)
  const values: readonly Json[] = path === undefined ? Object.values(input) : [path]
  const words = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  return `${tool} ${words.join(' ')}`.slice(0, maxAbout)
}

/** Asks the guards that hookgate ships about all calls of the past. It writes nothing. */
export const scanSessions = async (ports: ScanPorts): Promise<Scanned> => {
  const { sessions, home, judge, scanner, progress, isStopped } = ports
  const clients = new Map(
    sessionClients.map((client) => [client, { sessions: new Set<string>(), calls: 0, tally: emptyTally() }]),
  )
  const effects = new Map<Judgement['effect'], Tally>(effectsInOrder.map((effect) => [effect, emptyTally()]))
  const tally = emptyTally()
  const worst = createWorst()
  let calls = 0
  let unsearched = 0
  const searchUntilMs = performance.now() + searchAllWithinMs

  const findings = (call: JudgedCall): readonly Judgement[] => {
    try {
      return judge(call)
    } catch {
      return [unread]
    }
  }
  const secrets = async ({ client, atMs }: PastCall, call: JudgedCall): Promise<readonly Judgement[]> => {
    const places = suspectsIn(call.input)
    if (places?.length === 0) return []
    if (places === undefined || performance.now() > searchUntilMs) {
      unsearched += 1
      return []
    }
    const base = {
      event_id: 'scan',
      timestamp: new Date(atMs).toISOString(),
      session_id: 'scan',
      agent_id: client,
      cwd: call.cwd,
    }
    const payload = payloadOf('pre_tool_call', base, { tool_name: call.tool, tool_input: { places } })
    const said = await redact(payload, scanner, { timeoutMs: searchWithinMs })
    if ('failure' in said) unsearched += 1
    const { decision, reason, tool_input } = 'answer' in said ? said.answer : {}
    if (decision === 'block')
      return [{ ...secret, word: 'block', ...(typeof reason === 'string' ? { reason } : {}) }]
    return tool_input === undefined ? [] : [secret]
  }

  const take = async (past: PastCall): Promise<void> => {
    const { client, atMs, session } = past
    const ours = fromNative(client, { name: past.tool, input: past.input })
    const call = {
      tool: ours.name,
      input: isObject(ours.input) ? ours.input : {},
      cwd: past.cwd.startsWith('/') ? past.cwd : home,
    }
    const found = [...findings(call), ...(await secrets(past, call))].toSorted(byWorst)
    calls += 1
    count(tally, found)
    const own = clients.get(client)
    if (own !== undefined) {
      own.calls += 1
      own.sessions.add(session)
      count(own.tally, found)
    }
    const [first] = found
    if (first === undefined) return
    for (const [effect, ofEffect] of effects)
      count(
        ofEffect,
        found.filter((one) => one.effect === effect),
      )
    worst.add({ ...first, atMs, client, cwd: call.cwd, about: aboutOf(call.tool, call.input) })
  }

  let batch = await sessions.next()
  try {
    for (;;) {
      // The thread reads on while the guards work.
      const next = batch.isEnd || isStopped() ? undefined : sessions.next()
      await Promise.all(batch.calls.map(take))
      progress({ files: batch.files, filesRead: batch.filesRead, calls, tally })
      if (next === undefined) break
      batch = await next
    }
  } finally {
    await sessions.stop()
  }
  const ended = batch.ended ?? (batch.isEnd ? undefined : 'you stopped it')

  /** What could not be searched for secrets is not shown. */
  const shown = worst.list()
  const search = await scanner.scan(
    shown.flatMap(({ about, part, reason }) => [about, part, reason]),
    { timeoutMs: searchWithinMs },
  )
  const clean = (text: string, index: number): string =>
    'spans' in search ? replaceSpans(text, search.spans[index] ?? []) : hidden
  return {
    clients: [...clients]
      .filter(([, own]) => own.calls > 0)
      .map(([client, own]) => ({ client, ...own, sessions: own.sessions.size })),
    calls,
    tally,
    effects: [...effects].map(([effect, tally]) => ({ effect, tally })),
    worst: shown.map((stop, index) => ({
      ...stop,
      about: clean(stop.about, 3 * index),
      part: clean(stop.part, 3 * index + 1),
      reason: clean(stop.reason, 3 * index + 2),
    })),
    unsearched,
    problems: batch.problems,
    ended,
  }
}
