import type { OutgoingMessage } from '../../src/core/model/chat/push.ts'
import type { CardFacts } from './preferences.ts'
import type { ChatMessage } from './stream.ts'

/** The facts of a button under a card. Undefined when a tap on it would not count. */
type CardOf = (press: string) => CardFacts | undefined
type ShownButtons = NonNullable<ChatMessage['buttons']>

/** The buttons of a notice with their acts, and the hook that they are about. */
export const shownButtons = (
  buttons: NonNullable<OutgoingMessage['buttons']>,
  cardOf: CardOf,
): Pick<ChatMessage, 'buttons' | 'hook'> => {
  const facts = new Map(buttons.flat().map(({ press }) => [press, cardOf(press)]))
  const hook = [...facts.values()].find((one) => one?.hook !== undefined)?.hook
  const shown: ShownButtons = buttons.map((row) =>
    row.map((button) => {
      const act = facts.get(button.press)?.act
      return act === undefined ? button : { ...button, act }
    }),
  )
  return { buttons: shown, hook }
}

/** The buttons that still count. A button whose act is not known stays. */
const unanswered = (buttons: ShownButtons, cardOf: CardOf): ShownButtons =>
  buttons
    .map((row) => row.filter(({ act, press }) => act === undefined || cardOf(press) !== undefined))
    .filter((row) => row.length > 0)

const countOf = (buttons: ShownButtons): number => buttons.reduce((sum, row) => sum + row.length, 0)

/**
 * The message without the buttons that were answered elsewhere: on another page, in another chat, or by a
 * command. Undefined when all of them still count.
 */
export const withoutAnswered = (message: ChatMessage, cardOf: CardOf): ChatMessage | undefined => {
  const { buttons, ...rest } = message
  if (buttons === undefined) return undefined
  const left = unanswered(buttons, cardOf)
  if (countOf(left) === countOf(buttons)) return undefined
  return left.length === 0 ? rest : { ...rest, buttons: left }
}
