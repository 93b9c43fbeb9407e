import { soundsDone } from '../../shared/gate/claim.ts'
import type { ClientName, Ruled } from '../../shared/gate/client.ts'
import { rememberTool } from '../../shared/events/evidence.ts'
import type { JsonObject } from '../../core/model/base/json.ts'
import { prose, type Prose } from '../../core/model/chat/prose.ts'
import type { Happening } from '../../shared/events/patience.ts'
import type { BridgeReport, Reporter } from './report.ts'
import { firingOf, type FirePorts, type RuledEvent } from './fire-report.ts'
import {
  claimFields,
  isContinuation,
  maxRefusals,
  noteFields,
  noteTurnEnd,
  noteTurnStart,
  stopFields,
  type BridgeSession,
} from './sessions.ts'
import { reasonProse } from '../../shared/hooks/guard-words.ts'

export interface JudgePorts extends FirePorts {
  together(main: Ruled, others: readonly RuledEvent[]): Ruled
  tellOwners(text: Prose): void
}

type Fire = (happening: Happening) => Promise<RuledEvent>

/** True when the turn of the agent ends with this verdict. */
const endsTurn = ({ verdict, stopsTurn }: Ruled): boolean => verdict === 'allow' || stopsTurn === true

/** Judges the reports of clients, and stores in the session what later reports need. */
export const createJudge = ({ together, tellOwners, ...ports }: JudgePorts) => {
  /** Refuses the end of a turn, or allows it after `maxRefusals` refusals. */
  const capped = (client: ClientName, session: BridgeSession, ruled: Ruled): Ruled => {
    if (endsTurn(ruled)) return ruled
    const { reason = 'blocked by a hook', ...rest } = ruled
    if (session.refusals >= maxRefusals) {
      tellOwners(
        prose`⚠ ${client} was refused ${maxRefusals} times and now ends its turn. The last reason was: ${reasonProse(reason)}`,
      )
      return { ...rest, verdict: 'allow' }
    }
    session.refusals++
    return { ...ruled, reason }
  }

  /** An agent that ends a turn after using tools claims that it is done, so the claim is judged as well. */
  const judgeStop = async ({ client, session }: Reporter, fields: JsonObject, fire: Fire): Promise<Ruled> => {
    const stop = await fire({ event: 'on_stop', fields: stopFields(session, fields) })
    const claim = claimFields(session, fields)
    const isClaim = session.tools.length > 0 || soundsDone(claim.response)
    const isJudged = stop.verdict === 'allow' && stop.stopsTurn === undefined && isClaim
    const ruled = capped(
      client,
      session,
      isJudged ? together(stop, [await fire({ event: 'on_completion_claim', fields: { ...claim } })]) : stop,
    )
    if (endsTurn(ruled)) noteTurnEnd(session)
    return ruled
  }

  const judgeStep = async (
    { client, session }: Reporter,
    { report: { event, fields }, also, moment }: BridgeReport,
    fire: Fire,
  ): Promise<Ruled> => {
    // What happened is fired before the event that follows from it.
    const others: RuledEvent[] = []
    for (const step of also) others.push(await fire(step))
    const main = await fire({ event, fields })
    if (moment === 'turn_start' && main.verdict === 'allow' && !isContinuation(session, fields['message']))
      noteTurnStart(session, main.payload['message'])
    const ruled = together(main, others)
    return event === 'on_subagent_stop' ? capped(client, session, ruled) : ruled
  }

  return async (reporter: Reporter, heard: BridgeReport): Promise<Ruled> => {
    const { client, session } = reporter
    const { report, ran } = heard
    const { event, fields } = report
    const fire = firingOf(ports, reporter, report)
    noteFields(session, event, fields)
    if (ran !== undefined) rememberTool(session.tools, ran.name, ran)
    if (event === 'on_stop') return await judgeStop(reporter, fields, fire)
    if (event === 'on_completion_claim')
      return capped(client, session, await fire({ event, fields: { ...claimFields(session, fields) } }))
    return await judgeStep(reporter, heard, fire)
  }
}
