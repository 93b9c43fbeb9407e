// @ts-check
/**
 * This service worker shows the notifications of the page, and brings the page to the front when one is
 * tapped. It handles no request and stores nothing.
 */

/**
 * The parts of a service worker's scope that are used here. The library of types that has them contradicts
 * the one of a page.
 * @typedef {{ focus: () => Promise<unknown> }} Tab
 * @typedef {{ notification: { close: () => void }, waitUntil: (work: Promise<unknown>) => void }} Tapped
 * @typedef {{
 *   skipWaiting: () => Promise<void>,
 *   clients: { matchAll: (which: object) => Promise<Tab[]>, openWindow: (path: string) => Promise<unknown> },
 *   addEventListener: (name: 'install' | 'notificationclick', handle: (event: Tapped) => unknown) => void,
 * }} Scope
 */
const worker = /** @type {Scope} */ (/** @type {unknown} */ (globalThis))

worker.addEventListener('install', () => worker.skipWaiting())
worker.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const front = async () => {
    const [tab] = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
    await (tab === undefined ? worker.clients.openWindow('/') : tab.focus())
  }
  event.waitUntil(front())
})
