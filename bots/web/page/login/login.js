// @ts-check
import { h } from 'preact'
import { useState } from 'preact/hooks'
import { bound, button, e, form, problemLine, useWork } from '../elements.js'
import { t } from '../language/language.js'
import { languageButtons } from '../preferences/settings.js'

/** True when the page has an address of its own behind the owner's proxy. There a passkey logs in. */
export const isRemote = () => document.documentElement.dataset.remote !== undefined

/** How one logs in on the machine where hookgate runs. @param {string} problem */
const localWays = (problem) => [
  problemLine(problem),
  e('p', { key: 'how' }, t.loginBefore, e('kbd', t.loginKey), t.loginAfter),
  e('p.small', { key: 'once' }, t.loginOnce),
]

/**
 * The ways in by a passkey. `passkeys` is loaded at the first tap, because most pages never need it.
 * @param {{ before: string, register: string | undefined, opened: (session: string) => void }} props
 */
const PasskeyWays = ({ before, register, opened }) => {
  // What the person reads is the last problem only.
  const { said, say, isBusy, run } = useWork(before)
  const enter = async () => {
    say('')
    const { logInByPasskey, makePasskey } = await import('./passkeys.js')
    const done = await (register === undefined ? logInByPasskey() : makePasskey(register))
    if (!('session' in done)) return done.why
    opened(done.session)
    return undefined
  }
  const isLogin = register === undefined
  return [
    problemLine(said),
    !isLogin && e('h2', { key: 'title' }, t.passkeyMakeTitle),
    button('primary', isLogin ? t.passkeyLogIn : t.passkeyMake, () => run(enter), {
      key: 'go',
      'aria-disabled': isBusy,
    }),
    e('p.small', { key: 'how' }, isLogin ? t.passkeyHow : t.passkeyMakeHow),
  ]
}

const icon = () => e('img', { src: '/page/icon.svg', alt: '', width: 56, height: 56 })

/**
 * @param {{ problem: string, register: string | undefined, opened: (session: string) => void,
 *   redraw: () => void }} props
 */
export const Login = ({ problem, register, opened, redraw }) =>
  e(
    'main.login',
    icon(),
    e('h1', 'hookgate'),
    isRemote()
      ? h(PasskeyWays, { key: register ?? problem, before: problem, register, opened })
      : localWays(problem),
    languageButtons(redraw),
  )

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
    if (typed !== '' && (await say(`/pair ${typed}`))) setCode('')
  }
  return e(
    'main.login',
    icon(),
    e('p.link.away', { role: 'status' }, t.notOwner),
    e('h1', t.outsiderTitle),
    e('p', t.outsiderWhy),
    e('p', t.outsiderHow),
    problemLine(problem),
    form(
      'code',
      {},
      submit,
      e('input', {
        'aria-label': t.code,
        placeholder: t.code,
        autocomplete: 'off',
        spellcheck: false,
        maxLength: 40,
        ...bound(code, setCode),
      }),
      e('button.primary', { type: 'submit' }, t.sendCode),
    ),
    e(
      'div.told',
      { role: 'log', 'aria-label': t.answer },
      told.map(({ id, text }) => e('p.said', { key: id, dir: 'auto' }, text)),
    ),
    e('p.leave', button('quiet', t.logOut, logout)),
    languageButtons(redraw),
  )
}
