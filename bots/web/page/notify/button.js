// @ts-check
import { h } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../language/language.js'
import { canNotify, isNotifying, isRefused, startNotifying, stopNotifying } from './notify.js'

/** The button that asks whether the page may notify the person, or ends that. */
export const NotifyButton = () => {
  const [isOn, setOn] = useState(isNotifying())
  const [isDenied, setDenied] = useState(isRefused())
  if (!canNotify()) return null
  const toggle = async () => {
    if (isOn) stopNotifying()
    else await startNotifying()
    setOn(isNotifying())
    setDenied(isRefused())
  }
  return h(
    'div',
    { class: 'notify' },
    h(
      'button',
      { type: 'button', class: 'quiet', 'aria-describedby': 'notify-when', onClick: () => void toggle() },
      isOn ? t.notifyOff : t.notifyMe,
    ),
    h('p', { id: 'notify-when', class: 'small', role: 'status' }, isDenied ? t.notifyRefused : t.notifyWhen),
  )
}
