import {
  contractOf,
  EVENT_NAMES,
  isEventName,
  type EventContract,
  type EventName,
} from '../../core/model/events/event.ts'
import { nearest } from '../../shared/base/nearest.ts'
import { fromTable, joinProse, prose, type Prose, verbatim, proseLines } from '../../core/model/chat/prose.ts'
import type { Command } from '../ports.ts'
import { powers } from '../powers.ts'

/** A summary is a property of a command, so it is a literal there and not here. */
const usages = (commands: readonly Command[]): readonly Prose[] =>
  commands.map(({ usage, summary }) => prose`${verbatim(usage)}\n  ${fromTable(summary)}`)

/** `commands`: those that this person can use. Only an owner activates hooks and writes to an agent. */
export const helpText = (commands: readonly Command[]): Prose => {
  const isOwner = commands.some(({ path }) => path === 'hooks approve')
  return proseLines(
    isOwner && prose`An agent prepares hooks; only you activate them.`,
    ...usages(commands.filter(({ path }) => path !== 'help')),
    isOwner && prose`Start with // to send the agent a text that begins with a slash.`,
  )
}

interface EventGroup {
  /** The title above the events of the group. */
  readonly title: Prose
  /** The sentence that names the events of the group. */
  readonly line: (events: Prose) => Prose
  readonly fits: (contract: EventContract) => boolean
}

/** The effects of hooks, the strongest first. Each event belongs to the first group that fits. */
const groups: readonly EventGroup[] = [
  {
    title: prose`Hooks can block or ask:`,
    line: (events) => prose`Hooks can block or ask at: ${events}.`,
    fits: ({ gate }) => gate.includes('ask'),
  },
  {
    title: prose`Hooks can allow or block:`,
    line: (events) => prose`Hooks can allow or block at: ${events}.`,
    fits: ({ gate }) => gate.includes('allow'),
  },
  {
    title: prose`Hooks can block:`,
    line: (events) => prose`Hooks can block at: ${events}.`,
    fits: ({ gate }) => gate.length > 0,
  },
  {
    title: prose`Hooks can rewrite:`,
    line: (events) => prose`Hooks can rewrite at: ${events}.`,
    fits: ({ rewrite }) => rewrite.length > 0,
  },
  {
    title: prose`Hooks can add context:`,
    line: (events) => prose`Hooks can add context at: ${events}.`,
    fits: ({ contextTo }) => contextTo !== undefined,
  },
  {
    title: prose`Hooks only watch:`,
    line: (events) => prose`Hooks only watch at: ${events}.`,
    fits: () => true,
  },
]

const grouped = (): readonly (EventGroup & { readonly events: readonly EventName[] })[] => {
  const groupOf = (event: EventName): number => groups.findIndex(({ fits }) => fits(contractOf(event)))
  return groups
    .map((group, index) => ({ ...group, events: EVENT_NAMES.filter((event) => groupOf(event) === index) }))
    .filter(({ events }) => events.length > 0)
}

const eventText = (event: EventName): Prose => {
  const { when, search, fields, contextTo } = contractOf(event)
  return proseLines(
    verbatim(event),
    prose`  ${fromTable(when)}`,
    prose`  may: ${powers(event)}`,
    contextTo !== undefined && prose`  context goes to: ${fromTable(contextTo)}`,
    search.length === 0
      ? prose`  a matcher searches: nothing by itself`
      : prose`  a matcher searches: ${verbatim(search.join(', '))}`,
    prose`  fields: ${verbatim(Object.keys(fields).join(', '))}`,
  )
}

const allEvents = (): Prose =>
  joinProse(
    grouped().map(({ title, events }) =>
      proseLines(
        title,
        ...events.map((event) => prose`${verbatim(event)}\n  ${fromTable(contractOf(event).when)}`),
      ),
    ),
    '\n\n',
  )

/** The texts of `/hooks help`, `/hooks help events` and `/hooks help <event>`, made from the event table. */
export const hooksHelpText = (commands: readonly Command[], rest: string): Prose => {
  const asked = rest.toLowerCase()
  if (asked === 'events') return allEvents()
  if (isEventName(asked)) return eventText(asked)
  if (asked !== '') {
    const meant = nearest(asked, EVENT_NAMES)
    return meant === undefined
      ? prose`${rest} is not an event. → /hooks help events`
      : prose`${rest} is not an event. Did you mean ${verbatim(meant)}?`
  }
  return proseLines(
    ...usages(commands.filter(({ path }) => path.startsWith('hooks'))),
    ...grouped().map(({ line, events }) => line(verbatim(events.join(', ')))),
    prose`All events → /hooks help events`,
  )
}
