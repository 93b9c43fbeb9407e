import {
  contractOf,
  EVENT_NAMES,
  isEventName,
  type EventContract,
  type EventName,
} from '../../model/events/event.ts'
import { nearest } from '../../model/base/nearest.ts'
import { fixed, joinProse, prose, type Prose } from '../../model/chat/prose.ts'
import type { Command } from '../ports.ts'
import { powers } from '../powers.ts'

const usages = (commands: readonly Command[]): readonly Prose[] =>
  commands.map(({ usage, summary }) => fixed(`${usage}\n  ${summary}`))

export const helpText = (commands: readonly Command[]): Prose =>
  joinProse(
    [
      fixed('An agent prepares hooks; only you activate them.'),
      ...usages(commands.filter(({ path }) => path !== 'help')),
      fixed('Start with // to send the agent a text that begins with a slash.'),
    ],
    '\n',
  )

/** The effects of hooks, the strongest first. Each event belongs to the first group that fits. */
const groups: readonly { readonly title: string; readonly fits: (contract: EventContract) => boolean }[] = [
  { title: 'can block or ask', fits: ({ gate }) => gate.includes('ask') },
  { title: 'can allow or block', fits: ({ gate }) => gate.includes('allow') },
  { title: 'can block', fits: ({ gate }) => gate.length > 0 },
  { title: 'can rewrite', fits: ({ rewrite }) => rewrite.length > 0 },
  { title: 'can add context', fits: ({ contextTo }) => contextTo !== undefined },
  { title: 'only watch', fits: () => true },
]

const grouped = (): readonly { readonly title: string; readonly events: readonly EventName[] }[] => {
  const groupOf = (event: EventName): number => groups.findIndex(({ fits }) => fits(contractOf(event)))
  return groups
    .map(({ title }, index) => ({ title, events: EVENT_NAMES.filter((event) => groupOf(event) === index) }))
    .filter(({ events }) => events.length > 0)
}

const eventText = (event: EventName): Prose => {
  const { when, search, fields, contextTo } = contractOf(event)
  return fixed(
    [
      event,
      `  ${when}`,
      `  may: ${powers(event)}`,
      ...(contextTo === undefined ? [] : [`  context goes to: ${contextTo}`]),
      `  a matcher searches: ${search.length === 0 ? 'nothing by itself' : search.join(', ')}`,
      `  fields: ${Object.keys(fields).join(', ')}`,
    ].join('\n'),
  )
}

const allEvents = (): Prose =>
  fixed(
    grouped()
      .map(({ title, events }) =>
        [`Hooks ${title}:`, ...events.map((event) => `${event}\n  ${contractOf(event).when}`)].join('\n'),
      )
      .join('\n\n'),
  )

/** The texts of `/hooks help`, `/hooks help events` and `/hooks help <event>`, made from the event table. */
export const hooksHelpText = (commands: readonly Command[], rest: string): Prose => {
  const asked = rest.toLowerCase()
  if (asked === 'events') return allEvents()
  if (isEventName(asked)) return eventText(asked)
  if (asked !== '') {
    const meant = nearest(asked, EVENT_NAMES)
    return prose`${rest} is not an event. ${fixed(meant === undefined ? '→ /hooks help events' : `Did you mean ${meant}?`)}`
  }
  return joinProse(
    [
      ...usages(commands.filter(({ path }) => path.startsWith('hooks'))),
      ...grouped().map(({ title, events }) => fixed(`Hooks ${title} at: ${events.join(', ')}.`)),
      fixed('All events → /hooks help events'),
    ],
    '\n',
  )
}
