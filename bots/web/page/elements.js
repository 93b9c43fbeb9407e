// @ts-check
import { h, isValidElement } from 'preact'
import { useState } from 'preact/hooks'

/**
 * @typedef {import('preact').ComponentChildren} Children
 * @typedef {{ readonly [name: string]: unknown }} Attributes
 * @typedef {{ command: (text: string) => void, pending: ReadonlySet<string> }} CommandProps
 */

/** @param {unknown} value @returns {value is Attributes} */
const isAttributes = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isValidElement(value)

/**
 * An element. `what` is its tag with its classes, such as `p.small`. Its attributes come next, if it has any.
 * @param {string} what @param {...(Attributes | Children)} rest
 */
export const e = (what, ...rest) => {
  const [tag = '', ...classes] = what.split('.')
  const [first, ...others] = rest
  const look = classes.length === 0 ? {} : { class: classes.join(' ') }
  return isAttributes(first)
    ? h(tag, { ...look, ...first }, .../** @type {Children[]} */ (others))
    : h(tag, look, .../** @type {Children[]} */ (rest))
}

/**
 * @param {string} look @param {Children} label @param {() => unknown} run
 * @param {Attributes} [more]
 */
export const button = (look, label, run, more = {}) =>
  e(`button.${look}`, { type: 'button', ...more, onClick: () => void run() }, label)

/**
 * A button that does something to the gate. It accepts no tap right after it moved, and none while its act is
 * being sent.
 * @param {string} look @param {Children} label @param {string} act @param {() => unknown} run
 * @param {{ pending: ReadonlySet<string>, name?: string, key?: string, role?: string }} more `name`: what a
 * screen reader says
 */
export const actButton = (look, label, act, run, { pending, name, ...more }) =>
  button(look, label, run, {
    'aria-label': name,
    'data-act': act,
    'aria-disabled': pending.has(act),
    ...more,
  })

/**
 * A toggle that sends a command.
 * @param {{ name: string, isOn: boolean, act: string, describedBy?: string } & CommandProps} props
 */
export const Switch = ({ name, isOn, act, describedBy, command, pending }) =>
  button('switch', [e('span.track', e('span.knob')), e('span', name)], () => command(act), {
    role: 'switch',
    'data-act': act,
    'aria-checked': isOn,
    'aria-disabled': pending.has(act),
    'aria-describedby': describedBy,
  })

/** @param {string} text */
export const problemLine = (text) => text !== '' && e('p.problem', { key: 'problem', role: 'alert' }, text)

/** A line where something may come to stand. @param {string} text */
export const emptyLine = (text) => e('p.empty', { key: 'empty', role: 'status' }, text)

/** @param {...Children} buttons */
export const actions = (...buttons) => e('p.actions', { key: 'actions' }, ...buttons)

/** A yes and a no, of one weight. @param {...Children} buttons */
export const evenActions = (...buttons) => e('p.actions.even', { key: 'actions' }, ...buttons)

/**
 * A part of the page under a heading.
 * @param {string} look @param {string} id @param {Children} title @param {...Children} content
 */
export const section = (look, id, title, ...content) =>
  e(`section.${look}`, { key: id, 'aria-labelledby': id }, e('h3', { id, dir: 'auto' }, title), ...content)

/**
 * A box that scrolls, so it takes the focus and the arrow keys.
 * @param {string} look @param {string} label @param {Attributes} more @param {...Children} content
 */
export const scrollBox = (look, label, more, ...content) =>
  e(`div.${look}`, { tabIndex: 0, role: 'group', 'aria-label': label, ...more }, ...content)

/** @param {string} look @param {Attributes} more @param {() => unknown} submit @param {...Children} content */
export const form = (look, more, submit, ...content) =>
  e(
    `form.${look}`,
    {
      ...more,
      onSubmit: (/** @type {Event} */ event) => {
        event.preventDefault()
        void submit()
      },
    },
    ...content,
  )

/**
 * The attributes of a field whose text is a state.
 * @param {string} value @param {(value: string) => void} set
 */
export const bound = (value, set) => ({
  value,
  onInput: (/** @type {{ currentTarget: HTMLInputElement | HTMLTextAreaElement }} */ event) =>
    set(event.currentTarget.value),
})

/** A work that runs once at a time, and what it says at its end. @param {string} [before] */
export const useWork = (before = '') => {
  const [said, say] = useState(before)
  const [isBusy, setBusy] = useState(false)
  /** @param {() => Promise<string | undefined>} work */
  const run = async (work) => {
    if (isBusy) return
    setBusy(true)
    const end = await work()
    setBusy(false)
    if (end !== undefined) say(end)
  }
  return { said, say, isBusy, run }
}
