// @ts-check
import { h } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../language/language.js'
import { Languages } from '../preferences/preferences.js'

/**
 * The page of a browser whose person is no owner. It says so and what to do, and shows nothing of the gate.
 * @param {{ problem: string, messages: readonly import('../../stream.ts').ChatMessage[],
 *   say: (text: string) => Promise<boolean>, logout: () => void, redraw: () => void }} props
 */
export const Outsider = ({ problem, messages, say, logout, redraw }) => {
  const [code, setCode] = useState('')
  const told = messages.filter(({ from }) => from === 'hookgate').slice(-5)
  const submit = async () => {
    const typed = code.trim()
    if (typed === '') return
    if (await say(`/pair ${typed}`)) setCode('')
  }
  return h(
    'main',
    { class: 'login' },
    h('img', { src: '/page/icon.svg', alt: '', width: 56, height: 56 }),
    h('p', { class: 'link away', role: 'status' }, t.notOwner),
    h('h1', null, t.outsiderTitle),
    h('p', null, t.outsiderWhy),
    h('p', null, t.outsiderHow),
    problem !== '' && h('p', { class: 'problem', role: 'alert' }, problem),
    h(
      'form',
      {
        class: 'code',
        onSubmit: (/** @type {Event} */ event) => {
          event.preventDefault()
          void submit()
        },
      },
      h('input', {
        'aria-label': t.code,
        placeholder: t.code,
        autocomplete: 'off',
        spellcheck: false,
        maxLength: 40,
        value: code,
        onInput: (/** @type {{ currentTarget: HTMLInputElement }} */ event) =>
          setCode(event.currentTarget.value),
      }),
      h('button', { type: 'submit', class: 'primary' }, t.sendCode),
    ),
    h(
      'div',
      { class: 'told', role: 'log', 'aria-label': t.answer },
      told.map(({ id, text }) => h('p', { key: id, class: 'said', dir: 'auto' }, text)),
    ),
    h('p', { class: 'leave' }, h('button', { type: 'button', class: 'quiet', onClick: logout }, t.logOut)),
    h(Languages, { changed: redraw }),
  )
}
