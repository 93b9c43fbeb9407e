import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { z } from 'zod'
import { refuse } from './guard.ts'

/** The limit for every body except a message. */
export const maxSmallBytes = 1024

/** Refuses a longer body. It has to run before the code that reads the body. */
export const limitBody = (maxBytes: number) =>
  bodyLimit({
    maxSize: maxBytes,
    onError: (c) =>
      refuse(c, 413, 'web.size', `Expected at most ${maxBytes} bytes, got more.`, 'Send a shorter text.'),
  })

/** Reads a JSON body. Undefined when it does not match the schema. */
export const readBody = async <T>(c: Context, schema: z.ZodType<T>): Promise<T | undefined> => {
  const body: unknown = await c.req.json().catch(() => undefined)
  return schema.safeParse(body).data
}

/** Refuses a body that does not match. `shape` describes the expected body for people. */
export const refuseBody = (c: Context, shape: string): Response =>
  refuse(c, 400, 'web.body', `Expected a JSON body ${shape}, got something else.`, 'Reload the page.')
