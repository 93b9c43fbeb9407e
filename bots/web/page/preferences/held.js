// @ts-check
import { h } from 'preact'
import { t } from '../language/language.js'
import { visible, visibleLines } from '../text.js'

/** @typedef {import('../../preferences.ts').HeldMessage} HeldMessage */

/** The name of a part for people. `button.0.url` is the address of the first button. @param {string} field */
const partWords = (field) => {
  const [, what = '', at = '', more] =
    /^(file|button|link|option)\.(\d+)(?:\.(name|label|url))?$/.exec(field) ?? []
  const word =
    what === 'file' || what === 'button' || what === 'link' || what === 'option' ? t.parts[what] : ''
  if (word === '') return visible(field)
  return more === 'url' ? t.partAddress(word, Number(at) + 1) : t.part(word, Number(at) + 1)
}

/** @param {{ message: HeldMessage } & import('./preferences.js').CommandProps} props */
const Waiting = ({ message: { handle, title, size, why, since, text, parts }, command, pending }) => {
  const answers = { release: `/hooks release ${handle}`, withhold: `/hooks withhold ${handle}` }
  const isAnswered = pending.has(answers.release) || pending.has(answers.withhold)
  /** @param {string} name @param {string} answer @param {string} look */
  const button = (name, answer, look) =>
    h(
      'button',
      {
        type: 'button',
        class: look,
        'aria-label': t.buttonOf(name, handle),
        'data-act': answer,
        'aria-disabled': isAnswered,
        onClick: () => isAnswered || command(answer),
      },
      name,
    )
  return h(
    'li',
    // The label contains no text of an agent, as in the list of hooks.
    { class: 'row waiting', 'aria-label': t.heldLabel(handle) },
    h(
      'p',
      { class: 'top' },
      h('span', { class: 'pill' }, visible(since)),
      h('span', { class: 'handle' }, handle),
    ),
    h('p', { class: 'event' }, visible(title)),
    h('p', { class: 'details' }, visible(size)),
    h('p', { class: 'why' }, visible(why)),
    text !== '' &&
      h(
        'div',
        { class: 'held-text', dir: 'auto', tabIndex: 0, role: 'group', 'aria-label': t.heldText },
        visibleLines(text),
      ),
    parts.length > 0 &&
      h(
        'dl',
        { class: 'parts' },
        parts.map((part) => [
          h('dt', { key: part.field }, partWords(part.field)),
          h('dd', { key: `${part.field} text`, dir: 'auto' }, visibleLines(part.text)),
        ]),
      ),
    h(
      'p',
      { class: 'actions' },
      button(t.release, answers.release, 'primary'),
      button(t.withhold, answers.withhold, 'careful'),
    ),
  )
}

/** @param {{ held: readonly HeldMessage[], left: number } & import('./preferences.js').CommandProps} props */
export const Held = ({ held, left, command, pending }) =>
  h(
    'section',
    { class: 'held', 'aria-labelledby': 'held-title' },
    h('h3', { id: 'held-title' }, t.heldTitle),
    h(
      'ul',
      { class: 'rows' },
      held.map((message) => h(Waiting, { key: message.handle, message, command, pending })),
    ),
    left > 0 && h('p', { class: 'small' }, left === 1 ? t.heldMoreOne : t.heldMore(left)),
  )
