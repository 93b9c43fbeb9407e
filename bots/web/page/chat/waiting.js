// @ts-check
import { button, e } from '../elements.js'
import { t } from '../language/language.js'

/**
 * The line that says how many cards wait, and leads to the oldest of them.
 * @param {{ messages: readonly import('../../stream.ts').ChatMessage[], toChat: () => void }} props
 */
export const WaitLine = ({ messages, toChat }) => {
  const waiting = messages.filter(({ isPinned }) => isPinned === true)
  const [oldest] = waiting
  if (oldest === undefined) return null
  const lead = () => {
    toChat()
    const card = document.getElementById(oldest.id)
    card?.scrollIntoView({ block: 'center' })
    // The card and none of its buttons gets the focus, so that no key answers it by accident.
    card?.focus({ preventScroll: true })
  }
  return e('p.waits', { role: 'status' }, button('quiet', t.waits(waiting.length), lead))
}
