// @ts-check
import { actButton, e, evenActions, scrollBox, section } from '../elements.js'
import { t } from '../language/language.js'
import { visible, visibleLines } from '../text.js'

/**
 * @typedef {import('../../preferences.ts').HeldMessage} HeldMessage
 * @typedef {import('../elements.js').CommandProps} CommandProps
 */

/** The name of a part for people. `button.0.url` is the address of the first button. @param {string} field */
const partWords = (field) => {
  const [, what = '', at = '', more] =
    /^(file|button|link|option)\.(\d+)(?:\.(name|label|url))?$/.exec(field) ?? []
  if (what !== 'file' && what !== 'button' && what !== 'link' && what !== 'option') return visible(field)
  return more === 'url' ? t.partAddress(t.parts[what], Number(at) + 1) : t.part(t.parts[what], Number(at) + 1)
}

/** @param {HeldMessage} message @param {CommandProps} props */
const waiting = ({ handle, title, size, why, since, text, parts }, { command, pending }) => {
  const answers = { release: `/hooks release ${handle}`, withhold: `/hooks withhold ${handle}` }
  const isAnswered = pending.has(answers.release) || pending.has(answers.withhold)
  /** @param {string} name @param {string} answer */
  const answerButton = (name, answer) =>
    actButton('choice', name, answer, () => isAnswered || command(answer), {
      pending: isAnswered ? new Set([answer]) : pending,
      name: t.buttonOf(name, handle),
    })
  return e(
    'li.row.waiting',
    // The label contains no text of an agent, as in the list of hooks.
    { key: handle, 'aria-label': t.heldLabel(handle) },
    e('p.top', e('span.pill', visible(since)), e('span.handle', handle)),
    e('p.event', visible(title)),
    e('p.details', visible(size)),
    e('p.why', visible(why)),
    text !== '' && scrollBox('held-text', t.heldText, { dir: 'auto' }, visibleLines(text)),
    parts.length > 0 &&
      e(
        'dl.parts',
        parts.map((part) => [
          e('dt', { key: part.field }, partWords(part.field)),
          e('dd', { key: `${part.field} text`, dir: 'auto' }, visibleLines(part.text)),
        ]),
      ),
    evenActions(answerButton(t.release, answers.release), answerButton(t.withhold, answers.withhold)),
  )
}

/** @param {readonly HeldMessage[]} held @param {number} left @param {CommandProps} props */
export const heldSection = (held, left, props) =>
  section(
    'held',
    'held-title',
    t.heldTitle,
    e(
      'ul.rows',
      held.map((message) => waiting(message, props)),
    ),
    left > 0 && e('p.small', left === 1 ? t.heldMoreOne : t.heldMore(left)),
  )
