// @ts-check

const focusable = 'button, summary, a[href], textarea, input, select, [tabindex="0"]'

/** @param {Element} element */
const isVisible = (element) => element.getClientRects().length > 0

/**
 * Draws the page, and keeps the focus when the drawing removed the element that had it: the next element
 * takes
 * it, else the one before, else the heading of the panel. Without this the focus falls to the start of the
 * page.
 * @param {HTMLElement} root @param {() => void} draw
 */
export const keepFocus = (root, draw) => {
  const before = document.activeElement
  if (!(before instanceof HTMLElement) || before === document.body || !root.contains(before)) return draw()
  const panel = before.closest('.panel, dialog') ?? root
  const all = [...panel.querySelectorAll(focusable)]
  const at = all.indexOf(before)
  const heading = panel.querySelector('h2')
  draw()
  if (before.isConnected) return
  const next = [...all.slice(at + 1), ...all.slice(0, Math.max(0, at)).toReversed()].find(
    (element) => element.isConnected && isVisible(element),
  )
  const target = next ?? heading
  if (!(target instanceof HTMLElement) || !target.isConnected) return
  if (target === heading) target.tabIndex = -1
  target.focus()
}
