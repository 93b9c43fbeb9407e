import type { ClientName, NativeReport, Ruled } from '../../model/gate/client.ts'
import type { EventName } from '../../model/events/event.ts'
import type { JsonObject } from '../../model/base/json.ts'
import type { Resume } from '../../model/gate/permission.ts'
import type { Fired, FireOptions, Happening, Patience, Step } from '../../model/events/step.ts'
import type { Reporter } from './report.ts'
import { maxIdLength, modelFields } from './sessions.ts'

export interface FirePorts {
  /** Never rejects. */
  fire(request: Step & Patience & { readonly resume?: Resume }): Promise<Fired<Ruled>>
  /** Throws where an event's fields are not what its contract says. */
  checkEvent(event: EventName, body: JsonObject): void
  /** While the switch is off, a client asks for permission in its own way. */
  isOn(): boolean
  /** Whether gate.yaml gives an agent of ours that name. */
  isAgent(name: string): boolean
  readonly workspace: string
  /** For intervals, by a clock that nobody can set. */
  elapsedMs(): number
}

export type RuledEvent = Ruled & { readonly event: EventName }

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

/** How long the client waits for a person's word, and what a person needs to make the call again later. */
const patienceOf = (
  client: ClientName,
  report: NativeReport,
  { askMs, signal, waits, canPark }: FireOptions,
): Patience & { readonly resume?: Resume } =>
  askMs === undefined
    ? {}
    : {
        askMs,
        ...(signal === undefined ? {} : { signal }),
        ...(waits === undefined ? {} : { waits }),
        ...(canPark === true ? resumeOf(client, report) : {}),
      }

/** No name that a client gives may be that of an agent of ours: builtins would be asked of its host. */
const agentIdOf = (client: ClientName, { agent_id }: NativeReport, isAgent: FirePorts['isAgent']): string => {
  const own = isAgent(client) ? `bridge:${client}` : client
  return (agent_id === undefined ? own : `${own}:${agent_id}`).slice(0, maxIdLength)
}

/** What still asks for a person's word is refused: the client has no word of its own for it. */
const withoutQuestion = (ruled: Ruled): Ruled =>
  ruled.verdict === 'ask'
    ? {
        ...ruled,
        verdict: 'block',
        reason: `A person has to approve this first: ${ruled.reason ?? 'a hook asks'}`,
      }
    : ruled

/**
 * Fires the events of ours that one report is, one after the other: they share the time that the client waits. The
 * returned function throws where an event is not what its contract says, or where hooks caused it round and round.
 */
export const firingOf = (
  ports: FirePorts,
  { client, session, sessionId, options }: Reporter,
  report: NativeReport,
): ((happening: Happening) => Promise<RuledEvent>) => {
  const startedMs = ports.elapsedMs()
  const { deadlineMs, chain } = options
  const agentId = agentIdOf(client, report, ports.isAgent)
  const cwd = report.cwd === '' ? ports.workspace : report.cwd
  const patience = patienceOf(client, report, options)
  return async ({ event, fields: said }) => {
    const fields = modelFields(session, event, said)
    ports.checkEvent(event, { ...fields, session_id: sessionId, cwd })
    const mayWait = event === 'pre_tool_call' || (event === 'on_permission_request' && ports.isOn())
    const fired = await ports.fire({
      agentId,
      caller: client,
      event,
      sessionId,
      cwd,
      fields,
      ...(chain === undefined ? {} : { chain }),
      ...(deadlineMs === undefined
        ? {}
        : { deadlineMs: Math.max(1, deadlineMs - (ports.elapsedMs() - startedMs)) }),
      ...(mayWait ? patience : {}),
    })
    if (fired.kind === 'loop') throw new Error(fired.why)
    return { ...withoutQuestion(fired.verdict), event }
  }
}
