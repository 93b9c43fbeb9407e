import { expect, test } from 'vitest'
import { holds, newValue, newWord } from './canary.ts'

const canary = newWord()
const bytes = Buffer.from(`ab${canary}cd`)

test.each([
  ['plain', bytes.toString()],
  ['in capitals', canary.toUpperCase()],
  ['base64', bytes.toString('base64')],
  ['base64 from the next byte on', bytes.subarray(1).toString('base64')],
  ['base64 from the one after it', bytes.subarray(2).toString('base64')],
  ['base64url', Buffer.from(`>>>${canary}???`).toString('base64url')],
  ['hex', bytes.toString('hex')],
  ['hex in capitals', bytes.toString('hex').toUpperCase()],
  ['percent', [...bytes].map((byte) => `%${byte.toString(16)}`).join('')],
  ['JSON escapes', [...bytes].map((byte) => `\\u00${byte.toString(16)}`).join('')],
])('a canary is found %s', (_, wire) => {
  expect(holds(`before ${wire} after`, canary)).toBe(true)
  expect(holds(`before ${wire} after`, newWord())).toBe(false)
})

test('a canary that is no word is found as it stands', () => {
  expect(holds(Buffer.from('{"emoji":"👍"}').toString('latin1'), '👍')).toBe(true)
  expect(holds(Buffer.from('{"emoji":"👍"}').toString('latin1'), '👎')).toBe(false)
  const degrees = newValue('latitude')
  expect(holds(JSON.stringify({ latitude: Number(degrees) }), degrees)).toBe(true)
})
