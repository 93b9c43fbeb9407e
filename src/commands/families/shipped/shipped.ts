import { canonicalJson } from '../../../core/model/approval/canonical.ts'
import { fromTable, named, prose, type Prose } from '../../../core/model/chat/prose.ts'
import type { Entry } from '../../../core/model/hooks/entry.ts'
import type { ListedHook } from '../../../shared/gate/catalogue.ts'
import { handlerLine } from '../../cards/handler.ts'
import type { CommandPorts } from '../../ports.ts'
import { translateInto } from '../../text/catalogues.ts'
import { oneLine, shorten } from '../../words.ts'

/** The limit of a name, in characters: it fills a line of a phone. */
const maxNameChars = 36

export type ShippedPorts = Pick<CommandPorts, 'shipped'>

/**
 * A text that is the same for entries with the same options. Another release of hookgate, or another file,
 * may describe the same hook in other words.
 */
export const optionsOf = ({ name: _n, description: _d, origin: _o, ...options }: Entry): string =>
  canonicalJson(options)

/**
 * Finds the hook of hookgate that a row is: a builtin with exactly the options that hookgate ships. One that
 * its file describes in other words is none, because an approval binds them, too.
 */
export type FindShipped = (row: Pick<ListedHook, 'entry'>) => Entry | undefined

export const shippedIn = (ports: ShippedPorts): FindShipped => {
  const byOptions = new Map(ports.shipped().map((entry) => [optionsOf(entry), entry]))
  return ({ entry }) => {
    const ours = entry?.type === 'builtin' ? byOptions.get(optionsOf(entry)) : undefined
    return [undefined, ours?.description].includes(entry?.description) ? ours : undefined
  }
}

/**
 * The name of a hook for people. Ours has one in the language of its reader. A file chooses the names of
 * other hooks, so theirs is a quote; without one, their command stands for it.
 */
export const hookName = (row: ListedHook, ours: Entry | undefined): Prose => {
  if (ours?.name !== undefined) return fromTable(ours.name)
  if (row.name !== undefined) return prose`${shorten(oneLine(row.name), maxNameChars)}`
  const handler = handlerLine(row, maxNameChars)
  return row.live === undefined ? prose`${handler}` : named(handler)
}

/** The names by which a person may call a hook. */
export const namesToCall = (row: ListedHook, ours: Entry | undefined): readonly string[] => {
  if (ours?.name === undefined) return row.name === undefined ? [] : [row.name]
  const translated = translateInto('zh')(ours.name)
  return [
    ours.name,
    ...(translated === undefined ? [] : [translated]),
    ...(row.name === undefined ? [] : [row.name]),
  ]
}
