import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const tokenPath = (home: string): string => join(home, 'secrets', 'bridge-token')

/** The token of HTTP hooks, made at the first start. Whoever has it can report events, and nothing else. */
const readToken = (home: string): string => {
  try {
    const token = readFileSync(tokenPath(home), 'utf8').trim()
    if (token.length >= 32) return token
  } catch {
    // Not there yet.
  }
  const fresh = randomBytes(32).toString('base64url')
  writeFileSync(tokenPath(home), `${fresh}\n`, { mode: 0o600 })
  return fresh
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Whether an Authorization header bears the token; takes as long for any header of one length. Throws where none can be written. */
export const createTokenCheck = (home: string): ((authorization: string) => boolean) => {
  const expected = digest(`Bearer ${readToken(home)}`)
  return (authorization) => timingSafeEqual(digest(authorization), expected)
}
