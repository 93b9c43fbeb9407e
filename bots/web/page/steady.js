// @ts-check

/** So long a button that moved or changed what it does is not answered, in milliseconds. */
const movedMs = 700
/** One that came: the gate itself takes no answer under a card before it stood for a second. */
const newMs = 1100
/** A line that is redrawn may differ by less. */
const leastMovePx = 4

/** @typedef {{ top: number, left: number, act: string }} Place */

/** @param {HTMLElement} button @returns {Place | undefined} where it is seen, and what it does */
const placeOf = (button) => {
  const { top, left, width } = button.getBoundingClientRect()
  return width === 0 ? undefined : { top, left, act: button.dataset.act ?? '' }
}

/** @param {Place | undefined} before @param {Place} now */
const isMoved = (before, now) =>
  before === undefined ||
  before.act !== now.act ||
  Math.hypot(now.top - before.top, now.left - before.left) > leastMovePx

/**
 * A tap counts for what the finger aimed at. What other people, agents and files do moves the buttons of this page; a
 * button under which nothing moved is answered at once. Buttons that act have a `data-act`.
 * @param {HTMLElement} root
 */
export const steady = (root) => {
  /** @type {WeakMap<HTMLElement, Place>} */
  const places = new WeakMap()
  /** @type {WeakMap<HTMLElement, number>} */
  const timers = new WeakMap()

  /** @param {(button: HTMLElement, before: Place | undefined, now: Place) => void} compare */
  const look = (compare) => {
    for (const button of root.querySelectorAll('[data-act]')) {
      if (!(button instanceof HTMLElement)) continue
      const before = places.get(button)
      const now = placeOf(button)
      if (now === undefined) places.delete(button)
      else {
        places.set(button, now)
        compare(button, before, now)
      }
    }
  }

  /** @param {HTMLElement} button @param {number} forMs */
  const freshen = (button, forMs) => {
    clearTimeout(timers.get(button))
    button.dataset.fresh = ''
    timers.set(
      button,
      setTimeout(() => delete button.dataset.fresh, forMs),
    )
  }
  const changed = () =>
    look(
      (button, before, now) =>
        isMoved(before, now) && freshen(button, before?.act === now.act ? movedMs : newMs),
    )

  new MutationObserver(changed).observe(root, {
    subtree: true,
    childList: true,
    characterData: true,
    attributeFilter: ['class', 'data-act'],
  })
  addEventListener('resize', changed)
  // A picture that came takes its place.
  root.addEventListener('load', changed, true)
  // Whoever scrolls knows what moves.
  root.addEventListener('scroll', () => look(() => {}), { capture: true, passive: true })
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
