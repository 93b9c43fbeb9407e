import type { EventRecord } from '../../core/model/events/record.ts'
import type { ListedHook } from '../../shared/gate/catalogue.ts'
import type { RecordedHook } from '../../core/model/hooks/verdict.ts'
import type { GateSeen } from './tool-ports.ts'

/** The file in which the agent's own workspace proposes hooks. The agent can read it. */
const ownFile = 'config/shell_hooks.yaml'
const maxListed = 100
const maxNameChars = 120
const maxReasonChars = 1000

/** The agent that asks, and the node that its workspace is on. */
export interface AskingAgent {
  readonly agentId: string
  readonly node: string | undefined
}

const short = (text: string, most: number): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`
}

/**
 * The name of a hook for an agent. A command stands in it only where the agent's own workspace proposes it:
 * another one may hold a secret, as addresses and prompts may.
 */
const nameOf = ({ node: own }: AskingAgent, { entry, status }: ListedHook): string => {
  if (entry === undefined) return 'a hook that cannot be read'
  const { name, type, command, origin, node } = entry
  if (name !== undefined) return short(name, maxNameChars)
  if (type === 'builtin') return `builtin: ${short(command, maxNameChars)}`
  const isOwn = origin === ownFile && node === own && status !== 'gone'
  return isOwn && (type === 'command' || type === 'process')
    ? short(command, maxNameChars)
    : 'a hook without a name'
}

/** Why one is invalid is for the owner alone: it says what files there are where the agent cannot look. */
const statuses: Readonly<Record<ListedHook['status'], string>> = {
  approved: 'approved',
  waiting: 'NOT approved, so it does nothing',
  changed: 'changed since approval; the approved version runs on',
  gone: 'gone from the file, still approved',
  invalid: 'invalid; the list of the owner says why',
}

/**
 * What an agent may know of: the hooks for it. It must not learn of a shadow, so that is a proposal that
 * waits: one that is missing would tell it as well.
 */
const seenBy = ({ agentId }: AskingAgent, rows: readonly ListedHook[]): readonly ListedHook[] =>
  rows
    .filter(({ entry }) => entry?.agents === undefined || entry.agents.includes(agentId))
    .filter(({ isShadow, status }) => isShadow !== true || status !== 'gone')
    .map((row) => (row.isShadow === true ? { ...row, status: 'waiting' } : row))

/** False for the record of an event that shadows alone got, of which an agent must not learn. */
export const isTold = ({ kind, outcome, hooks = [], missed }: EventRecord): boolean =>
  kind !== 'event' || outcome !== 'allow' || missed !== 0 || hooks.some(({ isShadow }) => isShadow !== true)

const rowText = (asking: AskingAgent, row: ListedHook): string => {
  const { event, status, entry } = row
  const about = entry?.description === undefined ? '' : `\n  ${short(entry.description, maxReasonChars)}`
  return `- ${short(event, 60)} · ${nameOf(asking, row)} · ${statuses[status]}${about}`
}

/** The list of hooks as an agent may know it. */
export const listText = (
  asking: AskingAgent,
  { isOn, lockdown }: GateSeen,
  all: readonly ListedHook[],
): string => {
  const rows = seenBy(asking, all)
  const more = rows.length - maxListed
  return [
    lockdown === undefined
      ? `Hooks are ${isOn ? 'ON' : 'OFF, so none of them fires'}.`
      : 'The gate is in lockdown: events with a gate are blocked until the owner ends it.',
    ...(rows.length === 0
      ? ['No hook is proposed or approved.']
      : rows.slice(0, maxListed).map((row) => rowText(asking, row))),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ].join('\n')
}

const traceText = (asking: AskingAgent, hook: RecordedHook, rows: readonly ListedHook[]): string => {
  const { fingerprint, fired, why, answer, rewrote } = hook
  const row = rows.find(({ live, proposed }) => live === fingerprint || proposed === fingerprint)
  const name = row === undefined ? 'a hook' : nameOf(asking, row)
  const detail = answer?.reason ?? answer?.fault?.detail
  const said =
    answer === undefined
      ? ''
      : `\n  ${answer.kind}${rewrote === undefined ? '' : ', and rewrote it'}${detail === undefined ? '' : `: ${short(detail, maxReasonChars)}`}`
  return `- ${name} ${fired ? 'was asked' : 'was not asked'}: ${short(why, maxReasonChars)}${said}`
}

/**
 * The gate's own reason. That of a hook stands at the hook, because here it begins with the hook's command,
 * and that of a question names the person who answered it.
 */
const ownReason = ({ reason = '' }: EventRecord): readonly string[] =>
  reason.startsWith('hookgate: ')
    ? [`because ${short(reason.slice('hookgate: '.length), maxReasonChars)}`]
    : []

/** What the gate decided about an event, for the agent that reported it. */
export const whyText = (
  asking: AskingAgent,
  records: readonly EventRecord[],
  all: readonly ListedHook[],
): string => {
  const rows = seenBy(asking, all)
  return records
    .map((record) =>
      [
        `${record.subject}: ${record.outcome} at ${new Date(record.atMs).toISOString()}`,
        ...(record.tool_name === undefined ? [] : [`tool ${short(record.tool_name, maxNameChars)}`]),
        ...ownReason(record),
        ...(record.hooks ?? [])
          .filter(({ isShadow }) => isShadow !== true)
          .map((hook) => traceText(asking, hook, rows)),
        ...(record.missed === undefined || record.missed === 0
          ? []
          : [`- ${record.missed} more did not match`]),
        `event ${record.event_id}`,
      ].join('\n'),
    )
    .join('\n\n')
}
