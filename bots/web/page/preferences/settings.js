// @ts-check
import { h } from 'preact'
import { useState } from 'preact/hooks'
import { actions, button, e, section } from '../elements.js'
import { chooseLanguage, language, t, tables } from '../language/language.js'
import { canNotify, isNotifying, isRefused, startNotifying, stopNotifying } from '../notify/notify.js'

/** The languages of the page. Each stands in itself. @param {(name: 'en' | 'zh') => void} changed */
export const languageButtons = (changed) =>
  e(
    'p.languages',
    { role: 'group', 'aria-label': t.language },
    Object.entries(tables).map(([key, { name: label }]) => {
      const name = key === 'zh' ? 'zh' : 'en'
      const choose = () => {
        chooseLanguage(name)
        changed(name)
      }
      return button('quiet', label, choose, {
        key,
        lang: name === 'zh' ? 'zh-Hans' : name,
        'aria-pressed': name === language,
      })
    }),
  )

/** The button that asks whether the page may notify the person, or ends that. */
const NotifyButton = () => {
  const [isOn, setOn] = useState(isNotifying())
  const [isDenied, setDenied] = useState(isRefused())
  if (!canNotify()) return null
  const toggle = async () => {
    if (isOn) stopNotifying()
    else await startNotifying()
    setOn(isNotifying())
    setDenied(isRefused())
  }
  return e(
    'div.notify',
    button('quiet', isOn ? t.notifyOff : t.notifyMe, toggle, { 'aria-describedby': 'notify-when' }),
    e('p.small', { id: 'notify-when', role: 'status' }, isDenied ? t.notifyRefused : t.notifyWhen),
  )
}

/**
 * What concerns this page and not the gate.
 * @param {{ logout: (isEverywhere: boolean) => void, redraw: () => void, command: (text: string) => void }} props
 */
export const settingsSection = ({ logout, redraw, command }) =>
  section(
    'group.settings',
    'settings-title',
    t.thisPage,
    languageButtons((name) => {
      redraw()
      // The choice is for the chat, so hookgate writes its notices in this language, too.
      command(`/lang ${name}`)
    }),
    h(NotifyButton, null),
    actions(
      button('quiet', t.logOut, () => logout(false)),
      button('quiet', t.logOutAll, () => logout(true)),
    ),
  )
