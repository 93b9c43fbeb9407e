import type { IncomingMessage } from 'node:http'
import { request } from '../../shared/base/http.ts'
import { isObject } from '../../core/model/base/json.ts'
import { ask, json, placeOf, type HttpAnswer } from '../means.ts'
import { createKey } from './proof.ts'
import { surelyWithinMs } from './until.ts'

/** A session of the gate's web page, with the key that proves it. */
export interface PageSession {
  readonly origin: string
  readonly session: string
  /** Returns the headers of one request. They work once. */
  headers(method: string, path: string): Readonly<Record<string, string>>
  post(path: string, body: object): Promise<HttpAnswer>
  /**
   * Calls `heard` with each line of the stream until the gate ends the stream or the returned function is
   * called.
   */
  follow(heard: (line: Readonly<Record<string, unknown>>) => void): () => void
}

/** Opens a session with a login, as the page's own script does. Throws an Error when the gate refuses it. */
export const openSession = async (link: string): Promise<PageSession> => {
  const { origin, hash } = new URL(link)
  const prove = createKey()
  const answer = await ask(
    { origin },
    {
      method: 'POST',
      path: '/api/login',
      headers: { ...json, origin, dpop: prove('POST', `${origin}/api/login`) },
      body: JSON.stringify({ login: hash.slice(1) }),
      timeoutMs: surelyWithinMs,
    },
  )
  const said: unknown = answer.status === 200 ? JSON.parse(answer.text) : undefined
  const session = isObject(said) ? said['session'] : undefined
  if (typeof session !== 'string')
    throw new Error(`Expected the page to open a session, got ${answer.status}: ${answer.text}`)
  const headers: PageSession['headers'] = (method, path) => ({
    authorization: `DPoP ${session}`,
    dpop: prove(method, `${origin}${path}`, { session }),
  })
  return {
    origin,
    session,
    headers,
    post: (path, body) =>
      ask(
        { origin },
        {
          method: 'POST',
          path,
          headers: { ...headers('POST', path), ...json, origin },
          body: JSON.stringify(body),
          timeoutMs: surelyWithinMs,
        },
      ),
    follow: (heard) => {
      const { where, host } = placeOf(origin)
      const read = (response: IncomingMessage): void => {
        let rest = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          const lines = `${rest}${chunk}`.split('\n')
          rest = lines.pop() ?? ''
          for (const line of lines) {
            const parsed: unknown = JSON.parse(line)
            if (isObject(parsed)) heard(parsed)
          }
        })
        response.on('error', () => undefined)
      }
      const following = request(
        {
          ...where,
          path: '/api/stream',
          headers: { ...host, ...headers('GET', '/api/stream') },
          agent: false,
        },
        read,
      ).on('error', () => undefined)
      following.end()
      return () => void following.destroy()
    },
  }
}
