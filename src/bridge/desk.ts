import { soundsDone } from '../model/claim.ts'
import type { ClientName, Moment, NativeReport, Ruled, ToolRan } from '../model/client.ts'
import type { EventName } from '../model/event.ts'
import { rememberTool } from '../model/evidence.ts'
import { parseJson, type Json, type JsonObject } from '../model/json.ts'
import type { Resume } from '../model/permission.ts'
import { prose, type Prose } from '../model/prose.ts'
import type { EventRecord } from '../model/record.ts'
import type { Fired, FireOptions, Happening, Patience, Step } from '../model/step.ts'
import { canaryTool, canaryWords } from './install/client.ts'
import {
  claimFields,
  createSessions,
  noteTurnEnd,
  isContinuation,
  isOwnRefusal,
  maxRefusals,
  modelFields,
  noteFields,
  noteTurnStart,
  stopFields,
  writtenReasons,
  type DeskSession,
} from './sessions.ts'

/** What a client reported, in our terms: the event, others of ours that the same moment is, and what it is to a turn. */
export interface DeskReport {
  readonly kind: 'report'
  readonly report: NativeReport
  readonly also: readonly Happening[]
  readonly moment?: Moment
  readonly ran?: ToolRan
}
type Heard<R extends DeskReport> =
  | R
  | { readonly kind: 'wrong' | 'nothing'; readonly why: string }
  | { readonly kind: 'unknown' }

export interface DeskPorts<R extends DeskReport> {
  readEvent(client: ClientName, event: string, text: string): Heard<R>
  replyTo(client: ClientName, heard: R, ruled: Ruled): JsonObject | undefined
  together(main: Ruled, others: readonly (Ruled & { readonly event: EventName })[]): Ruled
  failClosed(client: ClientName, event: string, why: string): JsonObject | undefined
  noOpinion(client: ClientName, event: string): JsonObject | undefined
  callerOf(client: ClientName, stdin: Json | undefined): ClientName
  /** Never rejects. */
  fire(request: Step & Patience & { readonly resume?: Resume }): Promise<Fired<Ruled>>
  /** Throws where an event's fields are not what its contract says. */
  checkEvent(event: EventName, body: JsonObject): void
  /** What an agent is told of the hooks in force when a session begins; empty: nothing. */
  disclosed(): string
  record(record: EventRecord): void
  tellOwners(text: Prose): void
  /** While the switch is off, a client asks for permission in its own way. */
  isOn(): boolean
  /** Whether gate.yaml gives an agent of ours that name. */
  isAgent(name: string): boolean
  readonly workspace: string
  newId(): string
  now(): number
  /** For intervals, by a clock that nobody can set. */
  elapsedMs(): number
}

/** An event that a client has and we do not know, and how often it came since the start. */
export interface Stranger {
  readonly client: ClientName
  readonly event: string
  readonly count: number
}

export interface Desk {
  /** What to give the client; undefined: an empty answer. `text`: what it sent; `wrong`: why that cannot be had. Never rejects. */
  answer(
    client: ClientName,
    event: string,
    stdin: { readonly text: string } | { readonly wrong: string },
    options: FireOptions,
  ): Promise<JsonObject | undefined>
  strangers(): readonly Stranger[]
}

const maxStrangers = 100
const maxIdLength = 256

/** A person pastes it into a shell. */
const plainId = /^\w[\w-]{0,127}$/

const resumeOf = (
  client: ClientName,
  { event, session_id, fields: { tool_use_id: call } }: NativeReport,
): { readonly resume?: Resume } =>
  client === 'claude-code' &&
  event === 'pre_tool_call' &&
  typeof call === 'string' &&
  plainId.test(call) &&
  plainId.test(session_id)
    ? { resume: { call, title: 'Claude Code', command: `claude -p --resume ${session_id}` } }
    : {}

/**
 * Takes the events of foreign agents in their own words and answers in them. It remembers of each session what its
 * client does not tell, and it alone counts how often a turn is sent on: some clients would do so without end.
 */
export const createDesk = <R extends DeskReport>(ports: DeskPorts<R>): Desk => {
  const sessions = createSessions()
  const strangers = new Map<string, Stranger>()

  const trouble = (client: ClientName, outcome: string, reason: string): void =>
    ports.record({
      event_id: ports.newId(),
      atMs: ports.now(),
      kind: 'trouble',
      subject: 'bridge',
      outcome,
      reason,
      agent_id: client,
    })

  /** By policy what a newer client tells us passes: a refusal would stop it at what may be no step at all. */
  const meet = (client: ClientName, event: string): void => {
    const key = `${client} ${event}`
    const known = strangers.get(key)
    if (known !== undefined || strangers.size < maxStrangers)
      strangers.set(key, { client, event, count: (known?.count ?? 0) + 1 })
    trouble(client, 'passed', `${client} sent an event ${event} that this hookgate does not know`)
  }

  /** Sends the agent on, or lets it end where it was sent on often enough. */
  const capped = (client: ClientName, session: DeskSession, ruled: Ruled): Ruled => {
    if (ruled.verdict === 'allow' || ruled.stopsTurn === true) return ruled
    const { reason = 'blocked by a hook', ...rest } = ruled
    if (session.refusals >= maxRefusals) {
      ports.tellOwners(
        prose`⚠ ${client} was refused ${maxRefusals} times and ends its turn although: ${reason}`,
      )
      return { ...rest, verdict: 'allow' }
    }
    session.refusals++
    return { ...ruled, reason }
  }

  const judge = async (
    client: ClientName,
    { report, also, moment, ran }: R,
    session: DeskSession,
    sessionId: string,
    { askMs, signal, waits, canPark, deadlineMs, ...options }: FireOptions,
  ): Promise<Ruled> => {
    const startedMs = ports.elapsedMs()
    /** Several events of ours are one wait of the client. */
    const within = () =>
      deadlineMs === undefined
        ? {}
        : { deadlineMs: Math.max(1, deadlineMs - (ports.elapsedMs() - startedMs)) }
    const fire = async ({
      event,
      fields: said,
    }: Happening): Promise<Ruled & { readonly event: EventName }> => {
      const fields = modelFields(session, event, said)
      // No name that a client gives may be that of an agent of ours: builtins would be asked of its host.
      const own = ports.isAgent(client) ? `bridge:${client}` : client
      const agentId = (report.agent_id === undefined ? own : `${own}:${report.agent_id}`).slice(
        0,
        maxIdLength,
      )
      const base = { sessionId, cwd: report.cwd === '' ? ports.workspace : report.cwd }
      ports.checkEvent(event, { ...fields, session_id: sessionId, cwd: base.cwd })
      const fired = await ports.fire({
        agentId,
        caller: client,
        event,
        ...base,
        fields,
        ...options,
        ...within(),
        ...(askMs !== undefined &&
        (event === 'pre_tool_call' || (event === 'on_permission_request' && ports.isOn()))
          ? {
              askMs,
              ...(signal === undefined ? {} : { signal }),
              ...(waits === undefined ? {} : { waits }),
              ...(canPark === true ? resumeOf(client, report) : {}),
            }
          : {}),
      })
      if (fired.kind === 'loop') throw new Error(fired.why)
      const { verdict } = fired
      return {
        ...verdict,
        event,
        ...(verdict.verdict === 'ask'
          ? {
              verdict: 'block',
              reason: `A person has to approve this first: ${verdict.reason ?? 'a hook asks'}`,
            }
          : {}),
      }
    }
    const { event, fields } = report
    noteFields(session, event, fields)
    if (ran !== undefined) rememberTool(session.tools, ran.name, ran)

    if (event === 'on_stop') {
      const stop = await fire({ event, fields: stopFields(session, fields) })
      const claim = claimFields(session, fields)
      const isClaim = session.tools.length > 0 || soundsDone(claim.response)
      const isJudged = stop.verdict === 'allow' && stop.stopsTurn === undefined && isClaim
      const ruled = capped(
        client,
        session,
        isJudged
          ? ports.together(stop, [await fire({ event: 'on_completion_claim', fields: { ...claim } })])
          : stop,
      )
      if (ruled.verdict === 'allow' || ruled.stopsTurn === true) noteTurnEnd(session)
      return ruled
    }
    if (event === 'on_completion_claim')
      return capped(client, session, await fire({ event, fields: { ...claimFields(session, fields) } }))
    // What happened is told before what is made of it.
    const others = []
    for (const step of also) others.push(await fire(step))
    const main = await fire({ event, fields })
    if (moment === 'turn_start' && main.verdict === 'allow' && !isContinuation(session, fields['message']))
      noteTurnStart(session, main.payload['message'])
    const ruled = ports.together(main, others)
    return event === 'on_subagent_stop' ? capped(client, session, ruled) : ruled
  }

  const report = async (
    client: ClientName,
    name: string,
    heard: R,
    options: FireOptions,
  ): Promise<JsonObject | undefined> => {
    const { event, fields, session_id } = heard.report
    const sessionId = `${client}:${session_id}`.slice(0, maxIdLength)
    const session = sessions.of(sessionId)
    if (fields['tool_name'] === canaryTool) return ports.failClosed(client, name, canaryWords)
    if (event === 'on_user_message' && isOwnRefusal(session, fields['message']))
      return ports.noOpinion(client, name)
    if (event === 'pre_tool_call' && session.ended !== undefined) {
      trouble(client, 'refused', `a call after a hook had ended the turn: ${session.ended}`)
      return ports.failClosed(client, name, `A hook ended this turn: ${session.ended}`)
    }
    const { refusals } = session
    const ruled = await judge(client, heard, session, sessionId, options)
    if (heard.moment === 'session_end') sessions.end(sessionId)
    const told = event === 'on_session_start' ? [ports.disclosed()].filter((text) => text !== '') : []
    const answer = ports.replyTo(client, heard, { ...ruled, contexts: [...ruled.contexts, ...told] })
    if (session.refusals > refusals && ruled.reason !== undefined)
      session.refusedWith = [ruled.reason, ...writtenReasons(ruled.reason, answer)]
    // Some clients have no word for it: they get no further step in this turn.
    if (ruled.stopsTurn === true && heard.moment !== 'turn_end' && answer?.['continue'] !== false)
      session.ended = ruled.reason ?? 'it gave no reason'
    return answer
  }

  return {
    answer: async (name, event, stdin, options) => {
      const client =
        name === 'claude-code' && 'text' in stdin ? ports.callerOf(name, parseJson(stdin.text)) : name
      const careful = (why: string): JsonObject | undefined => {
        trouble(client, 'unreadable', `${event}: ${why}`.slice(0, 500))
        return ports.failClosed(client, event, `hookgate could not judge this: ${why}`)
      }
      if ('wrong' in stdin) return careful(stdin.wrong)
      try {
        const heard = ports.readEvent(client, event, stdin.text)
        switch (heard.kind) {
          case 'report':
            return await report(client, event, heard, options)
          case 'wrong':
            return careful(heard.why)
          case 'unknown':
            meet(client, event)
            return ports.noOpinion(client, event)
          case 'nothing':
            return ports.noOpinion(client, event)
        }
      } catch (error) {
        return careful(error instanceof Error ? error.message : 'something failed inside it')
      }
    },
    strangers: () => [...strangers.values()],
  }
}
