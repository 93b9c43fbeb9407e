import type { ForceReply, InlineKeyboardButton } from 'grammy/types'
import { pressForm, refuseNoticeForm } from '../../../src/shared/chat/connection.ts'
import { linkButtons } from '../../../src/shared/chat/content.ts'
import type { Button, OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import { firstOf } from './payload.ts'

/** A phone shows fewer UTF-16 units than this. */
const maxLabelUnits = 64
/** Telegram's limits. */
const maxInRow = 8
const maxButtons = 100

const refuseLabel = (label: string): string | undefined => {
  if (label.trim() !== '' && label.length <= maxLabelUnits) return undefined
  return `Expected a button's label of 1 to ${maxLabelUnits} UTF-16 units, got ${label.trim() === '' ? 'none' : label.length}. Shorten it.`
}

const refuseButton = ({ label, press }: Button): string | undefined => {
  if (!pressForm.test(press))
    return 'Expected the data of a button to be 1 to 40 characters of A-Z, a-z, 0-9, _ and -, got something else.'
  return refuseLabel(label)
}

/**
 * Says why the buttons of a message are refused, or why a push may not have what only a notice may have.
 * Undefined when all is well.
 */
export const refuseButtons = (outgoing: OutgoingMessage): string | undefined => {
  const { kind, buttons = [], parts } = outgoing
  if (kind === 'push')
    return refuseNoticeForm(outgoing) ?? firstOf(linkButtons(parts).map(({ label }) => refuseLabel(label)))
  if (buttons.some((row) => row.length > maxInRow))
    return `Expected at most ${maxInRow} buttons in a row. Put them into more rows.`
  if (buttons.flat().length > maxButtons)
    return `Expected at most ${maxButtons} buttons under a message. Leave some out.`
  return firstOf(buttons.flat().map(refuseButton))
}

/**
 * The keyboard of a message. The buttons of a notice send data back. The buttons of a push only open an
 * address, one in each row.
 */
export const keyboardOf = ({
  buttons = [],
  parts,
}: OutgoingMessage): { readonly reply_markup?: { readonly inline_keyboard: InlineKeyboardButton[][] } } => {
  const rows: InlineKeyboardButton[][] = [
    ...buttons
      .filter((row) => row.length > 0)
      .map((row) => row.map(({ label, press }) => ({ text: label, callback_data: press }))),
    ...linkButtons(parts).map(({ label, url }) => [{ text: label, url }]),
  ]
  return rows.length === 0 ? {} : { reply_markup: { inline_keyboard: rows } }
}

/** Opens the reply to a new message that asks for one. An edit cannot do this. */
export const replyOf = ({
  asksReply,
}: Pick<OutgoingMessage, 'asksReply'>): { readonly reply_markup?: ForceReply } =>
  asksReply === true ? { reply_markup: { force_reply: true } } : {}
