import { handlerUnder, handlerOf } from '../../core/model/hooks/entry.ts'
import type { FileFacts, ListedHook } from '../../shared/gate/catalogue.ts'
import { prose, type Prose, verbatim } from '../../core/model/chat/prose.ts'
import { brief, briefWords, kilobytes, shorten } from '../words.ts'

const ownFile = 'config/shell_hooks.yaml'

/** The whole handler of a row. For an invalid entry, the text that its file gives. */
export const wholeHandler = ({ entry, command, under }: ListedHook): string =>
  entry === undefined ? command : handlerUnder(entry, under)

/** The handler on one line, as lists and receipts name a hook. */
export const handlerLine = (row: ListedHook, max?: number): string => brief(wholeHandler(row), max)

export const handlerWords = (row: ListedHook, max?: number): Prose => briefWords(wholeHandler(row), max)

/** The names of a hook: its command or URL as the file spells it, and as a list shows it. */
export const namesOf = ({ entry, command }: ListedHook): readonly string[] =>
  entry === undefined ? [command] : [command, handlerOf(entry)]

/** True when `typed` names this row. */
export const isNamed = (row: ListedHook, typed: string): boolean => namesOf(row).includes(typed)

/** The file that proposes a row, when it is not hookgate's own file, with the node whose file it is. */
export const foreignOrigin = ({ entry }: ListedHook): string | undefined => {
  if (entry?.node !== undefined) return `${entry.origin} (${entry.node})`
  return entry === undefined || entry.origin === ownFile ? undefined : entry.origin
}

export const fileWords = ({ path, bytes, sha256 }: FileFacts, digits: number): Prose =>
  prose`${shorten(path, 60)} ${verbatim(`${kilobytes(bytes)} · ${sha256.slice(0, digits)}`)}`
