import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { z } from 'zod'
import { refuse } from './guard.ts'

/** For everything but what the person says. */
export const maxSmallBytes = 1024

/** Refuses a body that is longer. It stands before whatever reads one. */
export const limitBody = (maxBytes: number) =>
  bodyLimit({
    maxSize: maxBytes,
    onError: (c) =>
      refuse(c, 413, 'web.size', `Expected at most ${maxBytes} bytes, got more.`, 'Send a shorter text.'),
  })

/** Undefined for a body that is not JSON of that shape. */
export const readBody = async <T>(c: Context, schema: z.ZodType<T>): Promise<T | undefined> => {
  const body: unknown = await c.req.json().catch(() => undefined)
  return schema.safeParse(body).data
}

/** The answer to such a body. `shape`: what was expected, in words for people. */
export const refuseBody = (c: Context, shape: string): Response =>
  refuse(c, 400, 'web.body', `Expected a JSON body ${shape}, got something else.`, 'Reload the page.')
