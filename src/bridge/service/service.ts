import type { ClientName, Ruled } from '../../model/gate/client.ts'
import { parseJson, type Json, type JsonObject } from '../../model/base/json.ts'
import type { EventRecord } from '../../model/events/record.ts'
import type { FireOptions } from '../../model/events/step.ts'
import type { BridgeReport } from './report.ts'
import { canaryTool, canaryWords } from '../install/client.ts'
import { createJudge, type JudgePorts } from './judge-report.ts'
import { createSessions, isOwnRefusal, maxIdLength, writtenReasons } from './sessions.ts'
import { createStrangers, type Stranger } from './strangers.ts'

type Heard<R extends BridgeReport> =
  | R
  | { readonly kind: 'wrong' | 'nothing'; readonly why: string }
  | { readonly kind: 'unknown' }

export interface BridgeServicePorts<R extends BridgeReport> extends JudgePorts {
  readEvent(client: ClientName, event: string, text: string): Heard<R>
  replyTo(client: ClientName, heard: R, ruled: Ruled): JsonObject | undefined
  failClosed(client: ClientName, event: string, why: string): JsonObject | undefined
  noOpinion(client: ClientName, event: string): JsonObject | undefined
  callerOf(client: ClientName, stdin: Json | undefined): ClientName
  /** What an agent is told of the hooks in force when a session begins; empty: nothing. */
  disclosed(): string
  record(record: EventRecord): void
  newId(): string
  now(): number
}

export interface BridgeService {
  /** What to give the client; undefined: an empty answer. `text`: what it sent; `wrong`: why that cannot be had. Never rejects. */
  answer(
    client: ClientName,
    event: string,
    stdin: { readonly text: string } | { readonly wrong: string },
    options: FireOptions,
  ): Promise<JsonObject | undefined>
  strangers(): readonly Stranger[]
}

/**
 * Takes the events of foreign agents in their own words and answers in them. It remembers of each session what its
 * client does not tell, and it alone counts how often a turn is sent on: some clients would do so without end.
 */
export const createBridgeService = <R extends BridgeReport>(ports: BridgeServicePorts<R>): BridgeService => {
  const sessions = createSessions()
  const strangers = createStrangers()
  const judge = createJudge(ports)

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
    const ruled = await judge({ client, session, sessionId, options }, heard)
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
            // By policy what a newer client tells us passes: a refusal would stop it at what may be no step at all.
            strangers.meet(client, event)
            trouble(client, 'passed', `${client} sent an event ${event} that this hookgate does not know`)
            return ports.noOpinion(client, event)
          case 'nothing':
            return ports.noOpinion(client, event)
        }
      } catch (error) {
        return careful(error instanceof Error ? error.message : 'something failed inside it')
      }
    },
    strangers: strangers.all,
  }
}
