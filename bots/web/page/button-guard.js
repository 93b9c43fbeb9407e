// @ts-check

/** How long a button accepts no tap after it moved, in milliseconds. */
const movedMs = 700
/**
 * The same for a new button or one with a new action. The gate itself accepts no answer to a card in its
 * first second.
 */
const newMs = 1100
/** A redraw can move a button by less than this without a real move. */
const minMovePx = 4

/** @typedef {{ top: number, left: number, act: string }} ButtonState */

/**
 * @param {HTMLElement} button @returns {ButtonState | undefined} its position and its action, or undefined
 * while it is hidden
 */
const stateOf = (button) => {
  const { top, left, width } = button.getBoundingClientRect()
  return width === 0 ? undefined : { top, left, act: button.dataset.act ?? '' }
}

/** @param {ButtonState | undefined} before @param {ButtonState} now */
const isMoved = (before, now) =>
  before === undefined ||
  before.act !== now.act ||
  Math.hypot(now.top - before.top, now.left - before.left) > minMovePx

/**
 * Prevents taps on a button that moved or changed just before the tap. New messages and pictures move the
 * buttons
 * of this page. A button that did not move accepts a tap at once. The buttons that do something have the
 * attribute
 * `data-act`.
 * @param {HTMLElement} root
 */
export const guardButtons = (root) => {
  /** @type {WeakMap<HTMLElement, ButtonState>} */
  const states = new WeakMap()
  /** @type {WeakMap<HTMLElement, number>} */
  const timers = new WeakMap()

  /** @param {(button: HTMLElement, before: ButtonState | undefined, now: ButtonState) => void} compare */
  const compareAll = (compare) => {
    for (const button of root.querySelectorAll('[data-act]')) {
      if (!(button instanceof HTMLElement)) continue
      const before = states.get(button)
      const now = stateOf(button)
      if (now === undefined) states.delete(button)
      else {
        states.set(button, now)
        compare(button, before, now)
      }
    }
  }

  /** @param {HTMLElement} button @param {number} forMs */
  const disableFor = (button, forMs) => {
    clearTimeout(timers.get(button))
    button.dataset.fresh = ''
    timers.set(
      button,
      setTimeout(() => delete button.dataset.fresh, forMs),
    )
  }
  const changed = () =>
    compareAll(
      (button, before, now) =>
        isMoved(before, now) && disableFor(button, before?.act === now.act ? movedMs : newMs),
    )

  new MutationObserver(changed).observe(root, {
    subtree: true,
    childList: true,
    characterData: true,
    attributeFilter: ['class', 'data-act'],
  })
  addEventListener('resize', changed)
  // A loaded picture can move the buttons.
  root.addEventListener('load', changed, true)
  // A person who scrolls or opens a row expects the buttons to move, so neither disables anything.
  for (const name of ['scroll', 'toggle'])
    root.addEventListener(name, () => compareAll(() => {}), { capture: true, passive: true })
  root.addEventListener(
    'click',
    (event) => {
      if (!(event.target instanceof Element) || event.target.closest('[data-fresh]') === null) return
      event.preventDefault()
      event.stopPropagation()
    },
    true,
  )
}
