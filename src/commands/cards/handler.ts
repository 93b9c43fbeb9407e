import { handlerUnder, type FileFacts, type ListedHook } from '../../model/gate/catalogue.ts'
import { handlerOf } from '../../model/hooks/entry.ts'
import { fixed, prose, type Prose } from '../../model/chat/prose.ts'
import { brief, kilobytes, shorten } from '../words.ts'

const ownFile = 'config/shell_hooks.yaml'

/** What a row asks, whole: the command, or what stands for one. Of an invalid entry only what its file says is known. */
export const wholeHandler = ({ entry, command, under }: ListedHook): string =>
  entry === undefined ? command : handlerUnder(entry, under)

/** The same on one line, as every list and receipt names a hook. */
export const handlerLine = (row: ListedHook, max?: number): string => brief(wholeHandler(row), max)

/** Its command or URL as the file spells it, and as a list shows it. */
export const namesOf = ({ entry, command }: ListedHook): readonly string[] =>
  entry === undefined ? [command] : [command, handlerOf(entry)]

/** True when the person means this row by `typed`. */
export const isNamed = (row: ListedHook, typed: string): boolean => namesOf(row).includes(typed)

/** The file that proposes a row, where it is not our own. */
export const foreignOrigin = ({ entry }: ListedHook): string | undefined =>
  entry === undefined || entry.origin === ownFile ? undefined : entry.origin

export const fileWords = ({ path, bytes, sha256 }: FileFacts, digits: number): Prose =>
  prose`${shorten(path, 60)} ${fixed(`${kilobytes(bytes)} · ${sha256.slice(0, digits)}`)}`
