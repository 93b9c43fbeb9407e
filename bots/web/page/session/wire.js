// @ts-check
import { language, t } from '../language/language.js'
import { followClock, NoKey, proofOf } from './key.js'

/**
 * @typedef {import('../../stream.ts').StreamLine} StreamLine
 * @typedef {{ isDone: true, value: unknown } | { isDone: false, status: number, why: string }} Answer
 */

const storageKey = 'hookgate.session'
/**
 * True when the session has ended, or when hookgate has restarted under another name. @param {number} status
 */
export const isEnd = (status) => status === 401 || status === 421
/** A stream without data for this time counts as dead. Pings arrive every 15 seconds. */
const maxSilenceMs = 40_000

export const session = {
  /** Reads the session of this tab. A reload keeps it. Another tab has its own session. */
  get: () => sessionStorage.getItem(storageKey),
  /** @param {string} value */
  set: (value) => sessionStorage.setItem(storageKey, value),
  clear: () => sessionStorage.removeItem(storageKey),
}

/** Sends a request with the session, if there is one. @param {string} path @param {RequestInit} init */
const send = async (path, init) => {
  const value = session.get()
  const headers = new Headers(init.headers)
  if (value !== null) headers.set('Authorization', `DPoP ${value}`)
  // hookgate writes its notices in the language of the page.
  headers.set('Accept-Language', language)
  // The times in its notices are those of this browser's clock.
  headers.set('X-Time-Zone', Intl.DateTimeFormat().resolvedOptions().timeZone)
  const ask = async () => {
    headers.set('DPoP', await proofOf(init.method ?? 'GET', path, value))
    return fetch(path, { ...init, headers })
  }
  const answer = await ask()
  if (answer.status !== 401) return answer
  // The clock of this browser may be wrong, so the request is repeated with the gate's time.
  followClock(answer)
  return ask()
}

/** @param {unknown} body @returns {string | undefined} */
const errorText = (body) => {
  const { error } = /** @type {{ error?: { code?: string, message?: string, fix?: string } }} */ (body ?? {})
  return error?.message === undefined
    ? undefined
    : t.error(error.code ?? '', `${error.message} ${error.fix ?? ''}`.trim())
}

/**
 * Asks hookgate, and gives what it answered: a file, or a JSON value. With a body it is a POST request.
 * @param {string} path @param {{ body?: object, isFile?: boolean, timeoutMs?: number }} [options]
 * @returns {Promise<Answer>}
 */
const ask = async (path, { body, isFile = false, timeoutMs = 20_000 } = {}) => {
  try {
    const response = await send(path, {
      ...(body === undefined
        ? {}
        : {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify(body),
          }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.ok && isFile) return { isDone: true, value: await response.blob() }
    /** @type {unknown} */
    const value = await response.json().catch(() => undefined)
    if (response.ok) return { isDone: true, value }
    return { isDone: false, status: response.status, why: errorText(value) ?? t.answered(response.status) }
  } catch (error) {
    return { isDone: false, status: 0, why: error instanceof NoKey ? t.noKey : t.noAnswer }
  }
}

/** @param {string} path */
export const get = (path) => ask(path)

/** @param {string} path @param {object} body */
export const post = (path, body) => ask(path, { body })

/** Loads what a question finds, to save it as a file. @param {string} path @param {object} body */
export const download = (path, body) => ask(path, { body, isFile: true, timeoutMs: 120_000 })

/** Loads the bytes of a file. The page shows `why` after the name of the file. @param {string} id */
export const getFile = async (id) => {
  const answer = await ask(`/api/files/${id}`, { isFile: true, timeoutMs: 60_000 })
  if (answer.isDone) return answer
  const { status } = answer
  const why = status === 0 ? t.notLoaded : status === 404 ? t.notStored : t.notLoadedStatus(status)
  return { ...answer, why }
}

/**
 * Waits for `ms` milliseconds. The wait ends earlier when the network or the tab becomes active.
 * @param {number} ms @param {AbortSignal} stopped
 */
const pause = (ms, stopped) =>
  new Promise((resolve) => {
    const woken = new AbortController()
    const wake = () => {
      woken.abort()
      clearTimeout(timer)
      resolve(undefined)
    }
    const timer = setTimeout(wake, ms)
    addEventListener('online', wake, { signal: woken.signal })
    document.addEventListener('visibilitychange', wake, { signal: woken.signal })
    stopped.addEventListener('abort', wake, { signal: woken.signal })
  })

/**
 * Reads one stream to its end. Throws when the connection breaks or sends nothing for too long.
 * @param {Response} response @param {AbortController} connection @param {(line: StreamLine) => void} take
 */
const readLines = async (response, connection, take) => {
  if (response.body === null) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let unfinishedLine = ''
  for (;;) {
    const silence = setTimeout(() => connection.abort(), maxSilenceMs)
    const { done, value } = await reader.read().finally(() => clearTimeout(silence))
    if (done) return
    const lines = (unfinishedLine + value).split('\n')
    unfinishedLine = lines.pop() ?? ''
    for (const line of lines) take(JSON.parse(line))
  }
}

/**
 * Reads the stream and reconnects after 0.5 s, 1 s, 2 s and so on up to 15 s. It ends when it is stopped or
 * the
 * session has ended.
 * @param {{ take: (line: StreamLine) => void, link: (isLive: boolean) => void, ended: () => void }} ports
 * @returns {() => void} stops it
 */
export const follow = (ports) => {
  const stop = new AbortController()
  const run = async () => {
    let failures = 0
    while (!stop.signal.aborted) {
      const connection = new AbortController()
      const signal = AbortSignal.any([stop.signal, connection.signal])
      try {
        const response = await send('/api/stream', { signal })
        if (isEnd(response.status)) {
          if (!stop.signal.aborted) ports.ended()
          return
        }
        if (response.ok) {
          await readLines(response, connection, (line) => {
            if (stop.signal.aborted) return
            failures = 0
            ports.link(true)
            ports.take(line)
          })
        }
      } catch {
        // The connection broke. The page shows this below, and the loop connects again.
      }
      if (stop.signal.aborted) return
      ports.link(false)
      await pause(Math.min(15_000, 500 * 2 ** failures), stop.signal)
      failures += 1
    }
  }
  void run()
  return () => stop.abort()
}
