// @ts-check
import { h } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/**
 * A box above the page. The browser keeps the focus inside it, closes it with Escape, and gives the focus
 * back
 * to where it was before. `content` gets the function that closes it.
 * @param {{ title: string, isQuestion?: boolean, onClose: () => void,
 *   content: (close: () => void) => import('preact').ComponentChildren }} props
 */
export const Dialog = ({ title, isQuestion = false, onClose, content }) => {
  const box = useRef(/** @type {HTMLDialogElement | null} */ (null))
  useLayoutEffect(() => {
    box.current?.showModal()
  }, [])
  return h(
    'dialog',
    {
      ref: box,
      class: isQuestion ? 'dialog question' : 'dialog',
      'aria-labelledby': 'dialog-title',
      ...(isQuestion ? { role: 'alertdialog', 'aria-describedby': 'dialog-text' } : {}),
      onClose,
    },
    h('h2', { id: 'dialog-title', dir: 'auto' }, title),
    content(() => box.current?.close()),
  )
}
