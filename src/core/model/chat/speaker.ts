import type { Message as Inbound, Origin } from './channel.ts'
import { noticeMarks } from './notice.ts'
import type { Prompt } from '../events/record.ts'

const maxNameChars = 40
/** Only this much of a longer name is processed. */
const maxNameUnits = 1000

/**
 * A speaker's name is shown in brackets of ours, and no other bracket or quote may seem to close them. The
 * apostrophe of O’Brien stays.
 */
const brackets = /[[\p{Ps}\p{Pe}\p{Pi}\p{Pf}]--[’]]/gv
const unseen = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800\uFFFC\u{1D159}]/gv

/**
 * Cleans a name that a stranger chose: it cannot contain a line break, a text direction or a mark of ours.
 * Empty when nothing is left.
 */
export const shownName = (name: string): string => {
  const line = name
    .slice(0, maxNameUnits)
    .toWellFormed()
    .replace(/[\s\p{Z}\p{Cc}]/gu, ' ')
  const seen = line.replace(unseen, '').replace(brackets, '').replace(noticeMarks, '')
  // This comes last, since a removed character may have stood between a letter and its mark, or between two
  // spaces.
  const whole = seen.normalize('NFC').replace(/ +/g, ' ').trim()
  return Array.from(whole).slice(0, maxNameChars).join('').trim()
}

/**
 * The origins that count as an owner's own words. With any other origin, somebody else may have written an
 * owner's message.
 */
const ownOrigins: readonly Origin[] = ['plain', 'captioned', 'offline', 'voice', 'not_text']

/** Whose words a message in a group is. Undefined in a private chat. `isOwner`: an owner sent it. */
export const inGroupOf = ({ isPrivate, origin }: Inbound, isOwner: boolean): Prompt['inGroup'] => {
  if (isPrivate) return undefined
  return isOwner && ownOrigins.includes(origin) ? 'owner' : 'member'
}
