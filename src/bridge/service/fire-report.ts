import type { ClientName, NativeReport, Ruled } from '../../shared/gate/client.ts'
import type { EventName } from '../../core/model/events/event.ts'
import type { JsonObject } from '../../core/model/base/json.ts'
import type { Resume } from '../../shared/gate/permission.ts'
import type { Fired, Step } from '../../core/model/events/step.ts'
import type { FireOptions, Happening, Patience } from '../../shared/events/patience.ts'
import type { Reporter } from './report.ts'
import { maxIdLength, modelFields } from './sessions.ts'

export interface FirePorts {
  /** Never rejects. */
  fire(request: Step & Patience & { readonly resume?: Resume }): Promise<Fired<Ruled>>
  /** Throws an Error when the fields of an event do not match its contract. */
  checkEvent(event: EventName, body: JsonObject): void
  /** True while the switch is on. While it is off, a client asks for permission in its own way. */
  isOn(): boolean
  /** True when gate.yaml has an agent of that name. */
  isAgent(name: string): boolean
  /** The node on which the clients run. Absent: they run on the machine of the gate. */
  readonly node?: string
  readonly workspace: string
  /** A monotonic clock, in milliseconds, for intervals. */
  elapsedMs(): number
}

export type RuledEvent = Ruled & { readonly event: EventName }

/** Matches ids that are safe in a shell, because a person pastes the command into one. */
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
 * Returns how long the client waits for the answer of a person, and the command with which the person can
 * repeat the call later.
 */
const patienceOf = (
  client: ClientName,
  report: NativeReport,
  { askMs, signal, waits, takesChange, canPark }: FireOptions,
): Patience & { readonly resume?: Resume } =>
  askMs === undefined
    ? {}
    : {
        askMs,
        ...(signal === undefined ? {} : { signal }),
        ...(waits === undefined ? {} : { waits }),
        ...(takesChange === undefined || report.event !== 'pre_tool_call' ? {} : { takesChange }),
        // A client that can end has nobody at its terminal.
        ...(canPark === true ? resumeOf(client, report) : { canAskItself: true as const }),
      }

/**
 * Returns the id of a client in the history. It must differ from the names of hookgate's own agents, because
 * builtin hooks would ask the host of that agent.
 */
const agentIdOf = (
  client: ClientName,
  { agent_id }: NativeReport,
  { isAgent, node }: Pick<FirePorts, 'isAgent' | 'node'>,
): string => {
  const here = isAgent(client) ? `bridge:${client}` : client
  const own = node === undefined ? here : `${client}@${node}`
  return (agent_id === undefined ? own : `${own}:${agent_id}`).slice(0, maxIdLength)
}

/** These clients are told of a question at once, and then ask for the approval by a request of its own. */
const askLater: readonly ClientName[] = ['responsibleai-agent-hooks']

/** Turns a remaining `ask` into a block for a client that has no format for it. */
const withoutQuestion = (client: ClientName, ruled: Ruled): Ruled =>
  ruled.verdict === 'ask' && !askLater.includes(client)
    ? {
        ...ruled,
        verdict: 'block',
        reason: `A person has to approve this first: ${ruled.reason ?? 'a hook asks'}`,
      }
    : ruled

/**
 * Returns a function that fires the events of one report one after another. They share the time limit of the
 * client. It throws an Error when an event does not match its contract, or when hooks caused a loop.
 */
export const firingOf = (
  ports: FirePorts,
  { client, session, sessionId, options }: Reporter,
  report: NativeReport,
): ((happening: Happening) => Promise<RuledEvent>) => {
  const startedMs = ports.elapsedMs()
  const { deadlineMs, chain } = options
  const agentId = agentIdOf(client, report, ports)
  const cwd = report.cwd === '' ? ports.workspace : report.cwd
  const patience = patienceOf(client, report, options)
  return async ({ event, fields: said }) => {
    const fields = modelFields(session, event, said)
    ports.checkEvent(event, { ...fields, session_id: sessionId, cwd })
    const mayWait =
      (event === 'pre_tool_call' && !askLater.includes(client)) ||
      event === 'on_user_input' ||
      (event === 'on_permission_request' && ports.isOn())
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
      // While the switch is off, a client asks its person in its own way.
      ...(ports.isOn() ? { takesAnswers: true as const } : {}),
    })
    if (fired.kind === 'loop') throw new Error(fired.why)
    return { ...withoutQuestion(client, fired.verdict), event }
  }
}
