import type { ClientName, Ruled } from '../../shared/gate/client.ts'
import type { Json, JsonObject } from '../../core/model/base/json.ts'
import { parseUnambiguous } from '../../shared/base/unambiguous.ts'
import type { EventRecord } from '../../core/model/events/record.ts'
import type { FireOptions } from '../../shared/events/patience.ts'
import type { BridgeReport } from './report.ts'
import { canaryTool, canaryWords } from '../install/client.ts'
import { createJudge, type JudgePorts } from './judge-report.ts'
import { createSessions, isOwnRefusal, maxIdLength, writtenReasons } from './sessions.ts'

/** An event of a client that hookgate does not know, and how often it came since the start. */
export interface Stranger {
  readonly client: ClientName
  readonly event: string
  readonly count: number
}

const maxStrangers = 100

/** Counts unknown events. At most `maxStrangers` are stored, and further ones are ignored. */
const createStrangers = () => {
  const strangers = new Map<string, Stranger>()
  return {
    meet: (client: ClientName, event: string): void => {
      const key = `${client} ${event}`
      const known = strangers.get(key)
      if (known !== undefined || strangers.size < maxStrangers)
        strangers.set(key, { client, event, count: (known?.count ?? 0) + 1 })
    },
    all: (): readonly Stranger[] => [...strangers.values()],
  }
}

type ParsedEvent<R extends BridgeReport> =
  | R
  | { readonly kind: 'wrong' | 'nothing'; readonly why: string }
  | { readonly kind: 'unknown' }

export interface BridgeServicePorts<R extends BridgeReport> extends JudgePorts {
  /** `json`: what the text is, where it was read already. */
  readEvent(client: ClientName, event: string, text: string, json?: Json): ParsedEvent<R>
  replyTo(client: ClientName, parsed: R, ruled: Ruled): JsonObject | undefined
  /** Returns whether the client takes over a call that was changed. */
  takesChange(client: ClientName, event: string, tool: Json | undefined): boolean
  failClosed(client: ClientName, event: string, why: string): JsonObject | undefined
  noOpinion(client: ClientName, event: string): JsonObject | undefined
  callerOf(client: ClientName, stdin: Json | undefined): ClientName
  /** Returns what an agent is told about the active hooks when a session begins. Empty: nothing. */
  disclosed(): string
  record(record: EventRecord): void
  newId(): string
  now(): number
}

export interface BridgeService {
  /**
   * Returns the answer for the client, or undefined for an empty answer. `text` is the input of the client,
   * and `wrong` says why there is none. Never rejects.
   */
  answer(
    client: ClientName,
    event: string,
    stdin: { readonly text: string } | { readonly wrong: string },
    options: FireOptions,
  ): Promise<JsonObject | undefined>
  strangers(): readonly Stranger[]
}

/**
 * Judges the events of foreign agents in their own format and answers in it. It stores for each session what
 * the client does not report. It also counts how often the end of a turn is refused, because some clients
 * would continue without end.
 */
export const createBridgeService = <R extends BridgeReport>(ports: BridgeServicePorts<R>): BridgeService => {
  const sessions = createSessions()
  const strangers = createStrangers()
  const judge = createJudge(ports)

  const recordTrouble = (client: ClientName, outcome: string, reason: string): void =>
    ports.record({
      event_id: ports.newId(),
      atMs: ports.now(),
      kind: 'trouble',
      subject: 'bridge',
      outcome,
      reason,
      agent_id: client,
    })

  const report = async (
    client: ClientName,
    name: string,
    parsed: R,
    options: FireOptions,
  ): Promise<JsonObject | undefined> => {
    const { event, fields, session_id } = parsed.report
    const sessionId = `${client}:${session_id}`.slice(0, maxIdLength)
    const session = sessions.of(sessionId)
    // An agent can give its own tool that name. So it means nothing where it is too late to refuse.
    if (event === 'pre_tool_call' && fields['tool_name'] === canaryTool)
      return ports.failClosed(client, name, canaryWords)
    if (event === 'on_user_message' && isOwnRefusal(session, fields['message']))
      return ports.noOpinion(client, name)
    if (event === 'pre_tool_call' && session.ended !== undefined) {
      recordTrouble(client, 'refused', `a call after a hook had ended the turn: ${session.ended}`)
      return ports.failClosed(client, name, `A hook ended this turn: ${session.ended}`)
    }
    const { refusals } = session
    const change = ports.takesChange(client, name, fields['tool_name']) ? { takesChange: true as const } : {}
    const ruled = await judge({ client, session, sessionId, options: { ...options, ...change } }, parsed)
    if (parsed.moment === 'session_end') sessions.end(sessionId)
    const disclosures = event === 'on_session_start' ? [ports.disclosed()].filter((text) => text !== '') : []
    const answer = ports.replyTo(client, parsed, { ...ruled, contexts: [...ruled.contexts, ...disclosures] })
    if (session.refusals > refusals && ruled.reason !== undefined)
      session.refusedWith = [ruled.reason, ...writtenReasons(ruled.reason, answer)]
    // Some clients cannot end a turn in their format, so all further steps of this turn are refused.
    if (ruled.stopsTurn === true && parsed.moment !== 'turn_end' && answer?.['continue'] !== false)
      session.ended = ruled.reason ?? 'it gave no reason'
    return answer
  }

  return {
    answer: async (name, event, stdin, options) => {
      const json = name === 'claude-code' && 'text' in stdin ? parseUnambiguous(stdin.text) : undefined
      const client = ports.callerOf(name, json)
      const refuseUnreadable = (why: string): JsonObject | undefined => {
        recordTrouble(client, 'unreadable', `${event}: ${why}`.slice(0, 500))
        return ports.failClosed(client, event, `hookgate could not judge this: ${why}`)
      }
      if ('wrong' in stdin) return refuseUnreadable(stdin.wrong)
      try {
        const parsed = ports.readEvent(client, event, stdin.text, json)
        switch (parsed.kind) {
          case 'report':
            return await report(client, event, parsed, options)
          case 'wrong':
            return refuseUnreadable(parsed.why)
          case 'unknown':
            // Unknown events of newer clients pass on purpose. A refusal could stop the client at an event
            // that is not a step.
            strangers.meet(client, event)
            recordTrouble(
              client,
              'passed',
              `${client} sent an event ${event} that this hookgate does not know`,
            )
            return ports.noOpinion(client, event)
          case 'nothing':
            return ports.noOpinion(client, event)
        }
      } catch (error) {
        return refuseUnreadable(error instanceof Error ? error.message : 'something failed inside it')
      }
    },
    strangers: strangers.all,
  }
}
