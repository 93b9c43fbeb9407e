import { createHmac } from 'node:crypto'
import { got, ProblemError, type Problem } from '../../core/model/gate/problem.ts'

/**
 * The environment variables that gate.yaml lists under `http.env`, with their values. An empty value: listed,
 * but not set.
 */
export type HttpEnv = Readonly<Record<string, string>>

const maxHeaders = 32
const maxValueChars = 8000
const nameShape = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/
/** Headers that frame the message, control the connection or address a proxy, and hookgate's own. */
const reservedName =
  /^(host|content-length|content-encoding|accept-encoding|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|http2-settings|proxy-.*|x-hookgate-.*)$/
const isSendable = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
const variable = /\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g

const problem = (message: string, fix: string): ProblemError =>
  new ProblemError({ code: 'entry.headers', message, fix })

/** The value of a listed variable, without the line end that a file left on it. Throws when it has none. */
const valueOf = (env: HttpEnv, name: string, where: string): string => {
  const value = Object.hasOwn(env, name) ? env[name]?.trim() : undefined
  if (value === undefined)
    throw problem(
      `Expected ${where} to name only environment variables that gate.yaml lists, got $${name}.`,
      `Write it into gate.yaml, http: {env: [${name}]}, and restart hookgate.`,
    )
  if (value === '')
    throw problem(
      `Expected the environment variable ${name}, which ${where} names, to be set, got nothing.`,
      `Set ${name} where hookgate is started.`,
    )
  return value
}

const fill = (text: string, where: string, env: HttpEnv): string => {
  const filled = text.replace(variable, (_, braced: string | undefined, bare: string | undefined) =>
    valueOf(env, braced ?? bare ?? '', where),
  )
  // The message never quotes the value, because it may be a secret.
  if (!isSendable(filled))
    throw problem(
      `Expected the value of ${where} to be on one line, in characters that a header can have, got others.`,
      'Correct the header, or the variable that it names.',
    )
  return filled
}

/** Fills the variables into an entry's headers and lowers their names. Throws a ProblemError. */
export const fillHeaders = (
  headers: Readonly<Record<string, string>>,
  env: HttpEnv,
): Readonly<Record<string, string>> => {
  const entries = Object.entries(headers)
  if (entries.length > maxHeaders)
    throw problem(`Expected at most ${maxHeaders} headers, got ${entries.length}.`, 'Send fewer.')
  const filled = new Map<string, string>()
  for (const [name, text] of entries) {
    const where = `header ${got(name.slice(0, 40)).replace(/ \(string\)$/, '')}`
    const small = name.toLowerCase()
    if (!nameShape.test(name))
      throw problem(`Expected the name of ${where} to be letters, digits and "-".`, 'Correct the name.')
    if (reservedName.test(small))
      throw problem(
        `Expected only headers that a hook may set, got ${where}.`,
        'Remove it; hookgate sets what the connection needs.',
      )
    if (filled.has(small)) throw problem(`Expected each header once, got ${where} twice.`, 'Remove one.')
    if (text.length > maxValueChars)
      throw problem(
        `Expected ${where} to have at most ${maxValueChars} characters, got ${text.length}.`,
        'Shorten it.',
      )
    filled.set(small, fill(text, where, env))
  }
  return Object.fromEntries(filled)
}

export interface Signing {
  /** The environment variable that holds the secret. */
  readonly name: string
  readonly eventId: string
  readonly body: string
  readonly nowMs: number
}

/**
 * The headers with which a server verifies that a request comes from hookgate, is fresh and is not a
 * repetition: HMAC-SHA-256 over `<unix seconds>.<event id>.<body>`, in hex. Throws a ProblemError.
 */
export const signHeaders = (
  { name, eventId, body, nowMs }: Signing,
  env: HttpEnv,
): Readonly<Record<string, string>> => {
  const secret = valueOf(env, name, 'the signature')
  const timestamp = String(Math.floor(nowMs / 1000))
  const signature = createHmac('sha256', secret).update(`${timestamp}.${eventId}.${body}`).digest('hex')
  return {
    'x-hookgate-timestamp': timestamp,
    'x-hookgate-event-id': eventId,
    'x-hookgate-signature': `v1=${signature}`,
  }
}

/**
 * The problem of an entry's headers and signature, as far as gate.yaml tells; undefined when they can be
 * sent. Pure.
 */
export const headerProblem = (
  {
    headers = {},
    signWith,
  }: { readonly headers?: Readonly<Record<string, string>>; readonly signWith?: string },
  env: HttpEnv,
): Problem | undefined => {
  try {
    fillHeaders(headers, env)
    if (signWith !== undefined) valueOf(env, signWith, 'the signature')
    return undefined
  } catch (error) {
    if (error instanceof ProblemError) return error.problem
    throw error
  }
}
