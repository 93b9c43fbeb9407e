import type { Limit } from '../../src/model/channel.ts'

export const maxUnits = 4096
export const maxCaptionUnits = 1024
/** Source: core.telegram.org/bots/faq, "My bot is hitting limits". */
export const limits: readonly Limit[] = [
  { of: 'all', sends: 30, withinMs: 1000 },
  { of: 'chat', sends: 1, withinMs: 1000 },
  { of: 'group', sends: 20, withinMs: 60_000 },
]

/** A message's id as a number, or undefined when it is none. */
export const readId = (text: string): number | undefined => {
  const id = Number(text)
  return /^-?\d+$/.test(text) && Number.isSafeInteger(id) ? id : undefined
}

/** Why Telegram would not take a text of that length, in words, or undefined. */
export const refuseLength = (what: string, text: string, most: number): string | undefined =>
  text.length <= most
    ? undefined
    : `Expected ${what} of at most ${most} UTF-16 units, got ${text.length}. Shorten it.`

export const firstOf = (whys: readonly (string | undefined)[]): string | undefined =>
  whys.find((why) => why !== undefined)
