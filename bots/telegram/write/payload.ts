import type { Limit } from '../../../src/core/model/chat/channel.ts'

/** Telegram's limits for the text of a message and for a caption, in UTF-16 units. */
export const maxUnits = 4096
export const maxCaptionUnits = 1024
/** Source: core.telegram.org/bots/faq, "My bot is hitting limits". */
export const limits: readonly Limit[] = [
  { of: 'all', sends: 30, withinMs: 1000 },
  { of: 'chat', sends: 1, withinMs: 1000 },
  { of: 'group', sends: 20, withinMs: 60_000 },
]

/** Reads a message id. Undefined when the text is not a whole number. */
export const readId = (text: string): number | undefined => {
  const id = Number(text)
  return /^-?\d+$/.test(text) && Number.isSafeInteger(id) ? id : undefined
}

/** Says why a text is too long. Undefined when it is not. `maxLength` is in UTF-16 units. */
export const refuseLength = (what: string, text: string, maxLength: number): string | undefined =>
  text.length <= maxLength
    ? undefined
    : `Expected ${what} of at most ${maxLength} UTF-16 units, got ${text.length}. Shorten it.`

/** The first text of a list that is not undefined. */
export const firstOf = (whys: readonly (string | undefined)[]): string | undefined =>
  whys.find((why) => why !== undefined)
