// @ts-check
/**
 * This service worker shows the notifications of the page, and brings the page to the front when one is
 * tapped. It handles no request and stores nothing.
 */
const worker = /** @type {any} */ (globalThis)

worker.addEventListener('install', () => worker.skipWaiting())
worker.addEventListener('notificationclick', (/** @type {any} */ event) => {
  event.notification.close()
  const front = async () => {
    const [tab] = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
    await (tab === undefined ? worker.clients.openWindow('/') : tab.focus())
  }
  event.waitUntil(front())
})
