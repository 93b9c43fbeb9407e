// @ts-check
import { t } from '../language/language.js'
import { withoutShield } from '../text.js'

/** @typedef {import('../../stream.ts').ChatMessage} ChatMessage */

const storageKey = 'hookgate.notify'
const maxBodyUnits = 160

export const canNotify = () => 'Notification' in globalThis
export const isRefused = () => canNotify() && Notification.permission === 'denied'
export const isNotifying = () =>
  canNotify() && Notification.permission === 'granted' && localStorage.getItem(storageKey) === 'on'

/**
 * The address of the service worker. The policy of the page allows this one script and no other. Only a page
 * with an address that stays has it: browsers on phones show notifications through a service worker alone.
 */
const workerUrl = () => {
  /**
   * @type {{ createPolicy(name: string, rules: { createScriptURL(url: string): string }):
   *   { createScriptURL(url: string): string } } | undefined}
   */
  const trustedTypes = Reflect.get(globalThis, 'trustedTypes')
  const url = '/page/notify/worker.js'
  return (
    trustedTypes?.createPolicy('notify-worker', { createScriptURL: () => url }).createScriptURL(url) ?? url
  )
}

/**
 * Registers the service worker and waits until it is active: before that, it can show nothing.
 * @returns {Promise<ServiceWorkerRegistration | undefined>}
 */
const register = async () => {
  const registration = await navigator.serviceWorker?.register(workerUrl())
  const starting = registration?.installing ?? registration?.waiting
  if (registration?.active === null && starting) {
    await new Promise((done) => {
      starting.addEventListener('statechange', () => {
        if (starting.state === 'activated' || starting.state === 'redundant') done(undefined)
      })
    })
  }
  return registration
}

/** @type {Promise<ServiceWorkerRegistration | undefined> | undefined} */
let registering
/** The service worker, where the page has one. */
const worker = () => {
  if (document.documentElement.dataset.remote === undefined) return undefined
  registering ??= register().catch(() => undefined)
  return registering
}

/** Asks the person whether the page may notify them. It has to be called by a tap. */
export const startNotifying = async () => {
  if ((await Notification.requestPermission()) !== 'granted') return
  localStorage.setItem(storageKey, 'on')
  await worker()
}
export const stopNotifying = () => localStorage.removeItem(storageKey)

/** @param {string} title @param {NotificationOptions} options */
const show = async (title, options) => {
  const registration = await worker()
  if (registration !== undefined) return registration.showNotification(title, options)
  const shown = new Notification(title, options)
  shown.addEventListener('click', () => {
    window.focus()
    shown.close()
  })
}

/**
 * Notifies the person of a message, when they want it and do not see the page.
 * @param {ChatMessage} message
 */
export const notifyOf = ({ id, from, text, buttons }) => {
  if (from === 'you' || !document.hidden || !isNotifying()) return
  const title = from === 'agent' ? t.notifyAgent : (buttons?.length ?? 0) > 0 ? t.notifyCard : t.notifyTold
  const body = withoutShield(text).slice(0, maxBodyUnits).toWellFormed()
  // A later form of the same message replaces its notification. Nobody is told when a browser shows none.
  void show(title, { body, tag: id, icon: '/page/icon-192.png' }).catch(() => undefined)
}
