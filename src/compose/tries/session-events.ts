import { homedir } from 'node:os'
import { fromNative } from '../../dialects/tools.ts'
import type { PastCall } from '../../history/sessions/read.ts'
import { openSessions } from '../../history/sessions/sessions.ts'
import { isSessionClient, sessionRoots } from '../../history/sessions/table.ts'
import { unitsOf } from '../../core/model/base/yield-if-large.ts'
import type { EventsFound, EventsQuery, KeptEvent } from '../../shared/events/kept.ts'
import { payloadOf } from '../../core/model/events/payload.ts'
import type { ClientName } from '../../shared/gate/client.ts'
import { ProblemError, type Problem } from '../../core/model/gate/problem.ts'
import type { Separation } from '../../shared/gate/separation.ts'
import { problem } from './ready.ts'

/** So many calls are looked through for the newest ones, in calls and in characters. */
const maxCalls = 5000
const maxUnits = 32 * 1024 * 1024
/** A larger call is counted, and nobody is asked about it. It would hold the gate's thread. */
const maxCallUnits = 256 * 1024

export interface SessionScope {
  readonly client: ClientName
  readonly sinceMs: number
}

/** The reason why the sessions of a client cannot be evidence here. Undefined: they can. */
export const sessionsProblem = (
  client: ClientName,
  event: string,
  separation: Separation,
): Problem | undefined => {
  if (!isSessionClient(client))
    return problem(
      'client',
      `hookgate cannot read the sessions of ${client}.`,
      'Try it without the name of a client.',
    )
  if (event !== 'pre_tool_call')
    return problem(
      'event',
      `Sessions have tool calls alone, and this hook is asked at ${event}.`,
      'Try it without the name of a client.',
    )
  // Where agents have users of their own, the gate opens none of their files.
  if (separation.kind === 'users')
    return problem(
      'users',
      'The gate may not read these sessions: its agents have users of their own.',
      'Run "hookgate scan" as the user of the client.',
    )
  return undefined
}

const eventOf = ({ client, atMs, cwd, session, tool, input, isCut }: PastCall): KeptEvent => {
  const base: KeptEvent = {
    id: '',
    atMs,
    event: 'pre_tool_call',
    agent: client,
    session,
    verdict: 'allow',
    durationMs: 0,
    hooks: [],
  }
  if (isCut === true) return { ...base, isCut }
  const ours = fromNative(client, { name: tool, input })
  const names = {
    event_id: 'past',
    timestamp: new Date(atMs).toISOString(),
    session_id: session,
    agent_id: client,
    cwd: cwd.startsWith('/') ? cwd : '/',
  }
  return {
    ...base,
    tool: ours.name,
    payload: payloadOf('pre_tool_call', names, { tool_name: ours.name, tool_input: ours.input }),
  }
}

const newest = async ({ client, sinceMs }: SessionScope): Promise<readonly KeptEvent[]> => {
  const places = { home: homedir(), env: process.env }
  const roots = isSessionClient(client) ? sessionRoots([client], places) : []
  const sessions = openSessions({ roots, sinceMs, maxInputUnits: maxCallUnits })
  const found: KeptEvent[] = []
  let units = 0
  try {
    for (;;) {
      const { calls, isEnd, ended } = await sessions.next()
      for (const call of calls) {
        found.push(eventOf(call))
        units += unitsOf(call.input, maxCallUnits)
      }
      if (ended !== undefined)
        throw new ProblemError({
          code: 'try.sessions',
          message: `The sessions of ${client} cannot be read: ${ended}.`,
          fix: 'Run "hookgate scan" at a terminal. It names what cannot be read.',
        })
      if (isEnd || found.length >= maxCalls || units >= maxUnits) break
    }
  } finally {
    await sessions.stop()
  }
  return found.toSorted((a, b) => b.atMs - a.atMs)
}

/** The calls that a client keeps, as events of the past, the newest first. */
export const sessionEvents = (scope: SessionScope): ((query: EventsQuery) => Promise<EventsFound>) => {
  let found: Promise<readonly KeptEvent[]> | undefined
  return async ({ limit, before = 0 }) => {
    const all = await (found ??= newest(scope))
    const next = before + limit
    return { events: all.slice(before, next), ...(next < all.length ? { next } : {}) }
  }
}
