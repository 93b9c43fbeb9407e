// @ts-check
import { h } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../language/language.js'
import { Languages } from '../preferences/preferences.js'

/** True when the page has an address of its own behind the owner's proxy. There a passkey logs in. */
export const isRemote = () => document.documentElement.dataset.remote !== undefined

/** How one logs in on the machine where hookgate runs. @param {{ problem: string }} props */
const LocalWays = ({ problem }) => [
  problem !== '' && h('p', { key: 'problem', class: 'problem', role: 'alert' }, problem),
  h('p', { key: 'how' }, t.loginBefore, h('kbd', null, t.loginKey), t.loginAfter),
  h('p', { key: 'once', class: 'small' }, t.loginOnce),
]

/**
 * The ways in by a passkey. `passkeys` is loaded at the first tap, because most pages never need it.
 * @param {{ before: string, register: string | undefined, opened: (session: string) => void }} props
 */
const PasskeyWays = ({ before, register, opened }) => {
  // What the person reads is the last problem only.
  const [problem, setProblem] = useState(before)
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    if (isBusy) return
    setBusy(true)
    setProblem('')
    const { logInByPasskey, makePasskey } = await import('./passkeys.js')
    const done = await (register === undefined ? logInByPasskey() : makePasskey(register))
    setBusy(false)
    if ('session' in done) opened(done.session)
    else setProblem(done.why)
  }
  return [
    problem !== '' && h('p', { key: 'problem', class: 'problem', role: 'alert' }, problem),
    register !== undefined && h('h2', { key: 'title' }, t.passkeyMakeTitle),
    h(
      'button',
      { key: 'go', type: 'button', class: 'primary', 'aria-disabled': isBusy, onClick: () => void run() },
      register === undefined ? t.passkeyLogIn : t.passkeyMake,
    ),
    h('p', { key: 'how', class: 'small' }, register === undefined ? t.passkeyHow : t.passkeyMakeHow),
  ]
}

/**
 * @param {{ problem: string, register: string | undefined, opened: (session: string) => void,
 *   redraw: () => void }} props
 */
export const Login = ({ problem, register, opened, redraw }) =>
  h(
    'main',
    { class: 'login' },
    h('img', { src: '/page/icon.svg', alt: '', width: 56, height: 56 }),
    h('h1', null, 'hookgate'),
    isRemote()
      ? h(PasskeyWays, { key: register ?? problem, before: problem, register, opened })
      : h(LocalWays, { problem }),
    h(Languages, { changed: redraw }),
  )
