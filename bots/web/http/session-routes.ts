import { Hono } from 'hono'
import { z } from 'zod'
import { authenticate, languageOf, zoneOf, type InSession } from './authenticate.ts'
import { limitBody, maxSmallBytes, readBody, refuse, refuseBody } from './guard.ts'
import { createHistoryRoutes } from './history-routes.ts'
import type { Misuse } from './misuse.ts'
import type { PagePorts } from './ports.ts'

const maxSayBytes = 1024 * 1024
const maxHandleUnits = 20
const sayBody = z.strictObject({
  text: z.string().refine((text) => text.trim() !== ''),
  reply_to: z.string().max(100).optional(),
})
const pressBody = z.strictObject({
  press: z.string().regex(/^[\w-]{1,40}$/),
  message_id: z.string().max(100),
})
const logoutBody = z.strictObject({ everywhere: z.boolean().optional() })

/** Makes the routes that need a session. Every request is authenticated first. */
export const createSessionRoutes = (ports: PagePorts, misuse: Misuse): Hono<InSession> => {
  const { sessions, chat } = ports
  const routes = new Hono<InSession>()
  routes.use(authenticate(ports, misuse))
  routes.post('/say', limitBody(maxSayBytes), async (c) => {
    const body = await readBody(c, sayBody)
    if (body === undefined) return refuseBody(c, '{text, reply_to?} with a text that is not empty')
    const message_id = await ports.said(body.text.toWellFormed(), body.reply_to, languageOf(c))
    if (message_id !== undefined) return c.json({ message_id }, 202)
    return refuse(
      c,
      503,
      'web.unkept',
      'Expected to keep your message, but the store of hookgate cannot be reached.',
      'Send it again in a moment.',
    )
  })
  routes.post('/press', limitBody(maxSmallBytes), async (c) => {
    const body = await readBody(c, pressBody)
    if (body === undefined) return refuseBody(c, '{press, message_id}')
    ports.pressed(body.press, body.message_id, languageOf(c))
    return c.body(null, 202)
  })
  routes.get('/stream', (c) => {
    const lines = chat.open(c.get('id'))
    if (lines === undefined)
      return refuse(c, 429, 'web.tabs', 'Expected at most 16 open tabs, got more.', 'Close one of them.')
    ports.opened(languageOf(c), zoneOf(c))
    // A proxy in front of the page must hand each line on at once.
    c.header('X-Accel-Buffering', 'no')
    return c.body(lines, 200, { 'Content-Type': 'application/x-ndjson; charset=utf-8' })
  })
  // The page fetches a file to show or save it. A file that is opened directly can only be saved.
  routes.get('/files/:id', async (c) => {
    const found = chat.file(c.req.param('id'))
    if (found === undefined)
      return refuse(
        c,
        404,
        'web.file',
        'Expected a file that is still stored, got one that was removed.',
        'Ask the agent to send it again.',
      )
    return c.body(await found.file.arrayBuffer(), 200, {
      'Content-Type': found.type,
      'Content-Disposition': 'attachment',
    })
  })
  routes.get('/source/:handle', async (c) => {
    const found = await ports.source(c.req.param('handle').slice(0, maxHandleUnits))
    if (found === undefined)
      return refuse(
        c,
        404,
        'web.source',
        'Expected a hook as it was shown, got one that has changed or gone.',
        'Close this and look at the list again.',
      )
    return c.json(found)
  })
  routes.route('/history', createHistoryRoutes(ports))
  routes.post('/logout', limitBody(maxSmallBytes), async (c) => {
    const body = await readBody(c, logoutBody)
    if (body === undefined) return refuseBody(c, '{everywhere?}')
    if (body.everywhere === true) sessions.endAll()
    else sessions.end(c.get('id'))
    chat.sweep((id) => sessions.isLive(id))
    return c.body(null, 204)
  })
  return routes
}
