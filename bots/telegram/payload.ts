import type { RawApi } from 'grammy'
import type { Limit } from '../../src/model/channel.ts'
import type { Button, CodeRange, Parcel } from '../../src/model/push.ts'

export const maxUnits = 4096
/** Source: core.telegram.org/bots/faq, "My bot is hitting limits". */
export const limits: readonly Limit[] = [
  { of: 'all', sends: 30, withinMs: 1000 },
  { of: 'chat', sends: 1, withinMs: 1000 },
  { of: 'group', sends: 20, withinMs: 60_000 },
]
/** Telegram keeps the first 100 entities of a message and drops the rest without a word. */
const maxEntities = 100
const pressForm = /^[A-Za-z0-9_-]{1,40}$/
/** In UTF-16 units; a phone shows less than that. */
const maxLabelUnits = 64
/** Telegram's own limits. */
const maxInRow = 8
const maxButtons = 100

/** What a message shows. With a message's id it is an edit, without one a new message. */
export type Content = Pick<Parameters<RawApi['sendMessage']>[0], 'text' | 'entities' | 'link_preview_options'> & {
  readonly chat_id: number
  readonly reply_markup?: { readonly inline_keyboard: { text: string; callback_data: string }[][] }
}

/** A chat's or message's id as a number, or undefined when it is none. */
export const readId = (text: string): number | undefined => {
  const id = Number(text)
  return /^-?\d+$/.test(text) && Number.isSafeInteger(id) ? id : undefined
}

/** Beyond the limit the whole text is code: no command in it may become tappable. */
const codeRanges = ({ text, code }: Parcel, limit: number): readonly CodeRange[] =>
  code.length > limit ? [{ offset: 0, length: text.length }] : code

/**
 * An anchor begins in bold. Nothing else that leaves does, so that after a restart the bot knows its own anchor from
 * any other message of its own that somebody pinned, an agent's above all.
 */
const anchorMark = (text: string, code: readonly CodeRange[]) => {
  const length = Math.min(...[text.indexOf('\n'), ...code.map(({ offset }) => offset)].filter((end) => end >= 0), text.length)
  return length === 0 ? undefined : { type: 'bold' as const, offset: 0, length }
}
export const isAnchorMark = ({ type, offset }: { readonly type: string; readonly offset: number }): boolean => type === 'bold' && offset === 0

const refuseButton = ({ label, press }: Button): string | undefined => {
  if (!pressForm.test(press)) return 'Expected what a button gives back to be 1 to 40 characters of A-Z, a-z, 0-9, _ and -, got something else.'
  if (label.trim() !== '' && label.length <= maxLabelUnits) return undefined
  return `Expected a button's label of 1 to ${maxLabelUnits} UTF-16 units, got ${label.trim() === '' ? 'none' : label.length}. Shorten it.`
}

const refuseForm = ({ kind, buttons = [], replaces, isAnchor }: Parcel): string | undefined => {
  if (kind === 'notice') {
    if (buttons.some((row) => row.length > maxInRow)) return `Expected at most ${maxInRow} buttons in a row. Put them into more rows.`
    if (buttons.flat().length > maxButtons) return `Expected at most ${maxButtons} buttons under a message. Leave some out.`
    return buttons.flat().map(refuseButton).find((why) => why !== undefined)
  }
  const isPlain = buttons.length === 0 && replaces === undefined && isAnchor === undefined
  return isPlain ? undefined : 'Expected buttons, a message to replace or a pin on a notice alone, got them on a push.'
}

/** One parcel as what a message shows, or in words why it cannot be. No parse_mode: what is in the text is shown, not interpreted. */
export const writeParcel = (parcel: Parcel): Content | string => {
  const { text, buttons = [] } = parcel
  const chatId = readId(parcel.chat_id)
  if (chatId === undefined) {
    return 'Expected a Telegram chat id in digits, got something else. Push to a chat that has written to this bot.'
  }
  if (text.length > maxUnits) {
    return `Expected at most ${maxUnits} UTF-16 units of text, got ${text.length}. Split the text before it is delivered.`
  }
  const refused = refuseForm(parcel)
  if (refused !== undefined) return refused
  const code = codeRanges(parcel, parcel.isAnchor === true ? maxEntities - 1 : maxEntities)
  const mark = parcel.isAnchor === true ? [anchorMark(text, code)] : []
  if (mark.includes(undefined)) return 'Expected what is kept pinned to begin with a line of words, got a command or none. Begin it with words.'
  const rows = buttons.filter((row) => row.length > 0).map((row) => row.map(({ label, press }) => ({ text: label, callback_data: press })))
  return {
    chat_id: chatId,
    text,
    entities: [
      ...mark.filter((mark) => mark !== undefined),
      ...code.map(({ offset, length }) => ({ type: 'code' as const, offset, length })),
    ],
    link_preview_options: { is_disabled: true },
    ...(rows.length === 0 ? {} : { reply_markup: { inline_keyboard: rows } }),
  }
}
