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
import { oneLine, shorten } from '../words.ts'

/** Commands that belong together, for a person who looks for one. */
interface Family {
  /** The word to type for its commands. */
  readonly name: string
  /** What it is for. */
  readonly title: Prose
  /** The paths of its commands, below `hooks` for those of `/hooks`. */
  readonly paths: readonly string[]
}

/** The families of all commands but those of `/hooks`, which have families of their own. */
const families: readonly Family[] = [
  { name: 'hooks', title: prose`what protects you`, paths: ['hooks list', 'hooks help'] },
  {
    name: 'asks',
    title: prose`what waits for your word`,
    paths: ['asks', 'y', 'n', 'edit', 'answer', 'grants'],
  },
  {
    name: 'agent',
    title: prose`the agent of this chat`,
    paths: ['new', 'stop', 'goal', 'compact', 'undo', 'agent', 'agents', 'budget', 'budget extend'],
  },
  {
    name: 'people',
    title: prose`who may do what here`,
    paths: ['owners', 'pair', 'passkeys', 'login', 'whoami'],
  },
  { name: 'here', title: prose`this chat and this gate`, paths: ['start', 'lang', 'tz', 'nodes', 'help'] },
]

const hookFamilies: readonly Family[] = [
  { name: 'see', title: prose`what there is`, paths: ['list', 'show', 'diff', 'pending', 'gallery'] },
  {
    name: 'decide',
    title: prose`which hooks decide`,
    paths: ['protect', 'on', 'off', 'approve', 'shadow', 'promote', 'revoke'],
  },
  { name: 'check', title: prose`whether a hook does its work`, paths: ['try', 'test', 'doctor'] },
  { name: 'past', title: prose`what happened, and why`, paths: ['why', 'log', 'stats'] },
  {
    name: 'waiting',
    title: prose`what waits for your word`,
    paths: ['held', 'release', 'withhold'],
  },
  { name: 'more', title: prose`a lockdown, and this help`, paths: ['recover', 'help'] },
].map((family) => ({ ...family, paths: family.paths.map((path) => `hooks ${path}`) }))

/** The columns of a phone, less the indentation of a list of commands. */
const listColumns = 36

/** Words on lines that fill a phone. */
const filled = (words: readonly string[]): readonly string[] => {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= listColumns)
      lines.splice(-1, 1, `${last} ${word}`)
    else lines.push(word)
  }
  return lines
}

const asTyped = (path: string): string => (path === 'hooks list' ? '/hooks' : `/${path}`)
const afterHooks = (path: string): string => path.slice('hooks '.length)

/** A family in its own lines: what it is for, and its commands, each as `shown` has it. */
const familyLines = (
  { name, title, paths }: Family,
  commands: readonly Command[],
  shown: (path: string) => string,
): readonly Prose[] => {
  const mine = commands.filter(({ path }) => paths.includes(path)).map(({ path }) => path)
  if (mine.length === 0) return []
  const words = mine.filter((path) => !mine.some((other) => path.startsWith(`${other} `)))
  return [
    prose`${verbatim(name)}: ${title}`,
    ...filled(words.map(shown)).map((line) => verbatim(`  ${line}`)),
  ]
}

/** A summary is a property of a command, so it is a literal there and not here. */
const usages = (commands: readonly Command[]): readonly Prose[] =>
  commands.map(({ usage, summary }) => prose`${verbatim(usage)}\n  ${fromTable(summary)}`)

/** The commands of a family, or the command, that a word names, each with what it does. */
const named = (word: string, all: readonly Family[], commands: readonly Command[]): Prose | undefined => {
  const family = all.find(({ name }) => name === word)
  const found =
    family === undefined
      ? commands.filter(({ path }) => path === word || path === `hooks ${word}`)
      : commands.filter(({ path }) => family.paths.includes(path))
  return found.length === 0 ? undefined : proseLines(...usages(found))
}

/**
 * The text of `/help`, and of `/help <family>`. `commands`: those that this person can use. Only an owner
 * activates hooks and writes to an agent.
 */
export const helpText = (commands: readonly Command[], rest: string): Prose => {
  const asked = rest.toLowerCase().replace(/^\//, '')
  if (asked === 'hooks') return hooksHelpText(commands, '')
  const found = asked === '' ? undefined : named(asked, families, commands)
  if (found !== undefined) return found
  const isOwner = commands.some(({ path }) => path === 'hooks approve')
  return proseLines(
    asked !== '' && prose`There is no ${shorten(oneLine(rest), 30)} here.`,
    isOwner && prose`An agent prepares hooks; only you activate them.`,
    ...families.flatMap((family) => familyLines(family, commands, asTyped)),
    prose`What each does → /help <family>`,
    isOwner && prose`A text with // before it goes to the agent.`,
  )
}

interface EventGroup {
  /** The title above the events of the group. */
  readonly title: Prose
  readonly fits: (contract: EventContract) => boolean
}

/** The effects of hooks, the strongest first. Each event belongs to the first group that fits. */
const groups: readonly EventGroup[] = [
  {
    title: prose`Hooks can block or ask:`,
    fits: ({ gate }) => gate.includes('ask'),
  },
  {
    title: prose`Hooks can allow or block:`,
    fits: ({ gate }) => gate.includes('allow'),
  },
  {
    title: prose`Hooks can block:`,
    fits: ({ gate }) => gate.length > 0,
  },
  {
    title: prose`Hooks can rewrite:`,
    fits: ({ rewrite }) => rewrite.length > 0,
  },
  {
    title: prose`Hooks can add context:`,
    fits: ({ contextTo }) => contextTo !== undefined,
  },
  {
    title: prose`Hooks only watch:`,
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

/** The texts of `/hooks help` and of what may follow it: a family, a command, `events` or an event. */
export const hooksHelpText = (commands: readonly Command[], rest: string): Prose => {
  const asked = rest.toLowerCase()
  if (asked === 'events') return allEvents()
  if (isEventName(asked)) return eventText(asked)
  const ours = commands.filter(({ path }) => path.startsWith('hooks '))
  const found = asked === '' ? undefined : named(asked, hookFamilies, ours)
  if (found !== undefined) return found
  if (asked !== '') {
    const meant = nearest(asked, EVENT_NAMES)
    return meant === undefined
      ? prose`There is no ${shorten(oneLine(rest), 30)} here.\n→ /hooks help`
      : prose`${rest} is not an event. Did you mean ${verbatim(meant)}?`
  }
  return proseLines(
    prose`Type /hooks and one of these words.`,
    ...hookFamilies.flatMap((family) => familyLines(family, ours, afterHooks)),
    prose`What each does → /hooks help <family>`,
    prose`All events → /hooks help events`,
  )
}
