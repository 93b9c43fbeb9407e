import { randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const tokenPath = (home: string): string => join(home, 'secrets', 'bridge-token')

/**
 * Returns the token of HTTP hooks, which is made at the first start. It permits its holder to report events,
 * and nothing else.
 */
const readToken = (home: string): string => {
  try {
    const token = readFileSync(tokenPath(home), 'utf8').trim()
    if (token.length >= 32) return token
  } catch {
    // The file does not exist yet.
  }
  const fresh = randomBytes(32).toString('base64url')
  writeFileSync(tokenPath(home), `${fresh}\n`, { mode: 0o600 })
  return fresh
}

/**
 * Returns a check of Authorization headers against the token. It takes the same time for all headers of one
 * length. Throws an Error when the token cannot be written.
 */
export const createTokenCheck = (home: string): ((authorization: string) => boolean) => {
  const expected = Buffer.from(`Bearer ${readToken(home)}`)
  return (authorization) => {
    const given = Buffer.from(authorization)
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
}
