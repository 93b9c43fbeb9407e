import { Hono, type Context } from 'hono'
import { z } from 'zod'
import { exported } from '../../../src/shared/events/exported.ts'
import { limitBody, readBody, refuse, refuseBody } from './guard.ts'
import type { PagePorts } from './ports.ts'

const maxFilterBytes = 4096
const eventsAtOnce = 50
/** One export has at most so many events, and ends after so many characters. */
const maxExported = 10_000
const maxExportedUnits = 32 * 1024 * 1024
const exportedAtOnce = 200
/** The last line of an export that has not all events. */
const olderWords = 'There are older events. On the machine, "hookgate history" writes all of them.'

const deeds = ['passed', 'wrote', 'asked', 'blocked', 'failed'] as const
const shadowDeeds = deeds.map((deed) => `shadow ${deed}` as const)
const filterFields = {
  /** Only what happened in so many milliseconds before now. */
  last_ms: z.int().min(1).max(1e15).exactOptional(),
  since_ms: z.int().min(0).max(1e15).exactOptional(),
  until_ms: z.int().min(0).max(1e15).exactOptional(),
  agent: z.string().min(1).max(200).exactOptional(),
  event: z.string().min(1).max(100).exactOptional(),
  verdict: z.enum(['allow', 'ask', 'block']).exactOptional(),
  end: z.enum(['allowed', 'changed', 'failed', 'asked', 'blocked']).exactOptional(),
  hook: z.string().min(1).max(128).exactOptional(),
  deed: z.enum([...deeds, ...shadowDeeds]).exactOptional(),
  text: z.string().min(1).max(200).exactOptional(),
}
const filterBody = z.strictObject(filterFields)
const eventsBody = z.strictObject({ ...filterFields, before: z.int().min(1).exactOptional() })
const shape =
  '{before?, last_ms?, since_ms?, until_ms?, agent?, event?, verdict?, end?, hook?, deed?, text?} with texts that are not long'

const noHistory = (c: Context): Response =>
  refuse(
    c,
    404,
    'web.no_history',
    'Expected a gate that keeps events, got one that keeps none.',
    'Write history: {days: 7} into gate.yaml, and start hookgate again.',
  )

/** Makes the routes of the history: events, statistics, and a download. All of them take the same filter. */
export const createHistoryRoutes = ({ now, history }: PagePorts): Hono => {
  const filterOf = ({ last_ms, since_ms, until_ms, hook, ...rest }: z.infer<typeof filterBody>) => ({
    ...rest,
    sinceMs: Math.max(since_ms ?? 0, last_ms === undefined ? 0 : now() - last_ms),
    untilMs: until_ms,
    fingerprint: hook,
  })

  const linesOf = (filter: ReturnType<typeof filterOf>): ReadableStream<string> => {
    let [events, units] = [0, 0]
    let before: number | undefined
    /** The next lines, at least one if there is one. None: the person is no owner any more. */
    const next = async (): Promise<readonly string[]> => {
      for (;;) {
        const found = await history()?.events({
          ...filter,
          limit: exportedAtOnce,
          before,
        })
        before = found?.next
        if (found === undefined || found.events.length > 0 || before === undefined)
          return found?.events.map((event) => `${exported(event)}\n`) ?? []
      }
    }
    return new ReadableStream({
      pull: async (to) => {
        const lines = await next()
        const kept = lines.filter((line) => {
          events += 1
          units += line.length
          return events <= maxExported && units <= maxExportedUnits
        })
        if (kept.length > 0) to.enqueue(kept.join(''))
        const isCut = kept.length < lines.length
        if (isCut) to.enqueue(`${JSON.stringify({ more: olderWords })}\n`)
        if (isCut || before === undefined) to.close()
      },
    })
  }

  const routes = new Hono()
  routes.use(limitBody(maxFilterBytes))
  routes.post('/', async (c) => {
    const body = await readBody(c, eventsBody)
    if (body === undefined) return refuseBody(c, shape)
    const { before, ...filter } = body
    const found = await history()?.events({
      ...filterOf(filter),
      limit: eventsAtOnce,
      before,
    })
    return found === undefined ? noHistory(c) : c.json(found)
  })
  routes.post('/stats', async (c) => {
    const body = await readBody(c, filterBody)
    if (body === undefined) return refuseBody(c, shape)
    const stats = await history()?.stats(filterOf(body))
    return stats === undefined ? noHistory(c) : c.json(stats)
  })
  routes.post('/export', async (c) => {
    const body = await readBody(c, filterBody)
    if (body === undefined) return refuseBody(c, shape)
    if (history() === undefined) return noHistory(c)
    return c.body(linesOf(filterOf(body)).pipeThrough(new TextEncoderStream()), 200, {
      'Content-Type': 'application/x-ndjson; charset=utf-8',
      'Content-Disposition': 'attachment; filename="hookgate-history.jsonl"',
    })
  })
  return routes
}
