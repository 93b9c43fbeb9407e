import { randomInt, randomUUID } from 'node:crypto'

/** 32 random characters that mean nothing and stand nowhere else. */
export const newWord = (): string => randomUUID().replaceAll('-', '')
const digits = (count: number): string => Array.from({ length: count }, () => randomInt(1, 10)).join('')

/** A fresh canary that can stand in this field. */
export const newValue = (field: string): string => {
  if (/^(?:latitude|longitude)$/.test(field)) return `${digits(1)}.${digits(10)}`
  if (field === 'phone') return `+49${digits(11)}`
  if (/^link\.\d+$|\.url$/.test(field)) return `https://example.com/${newWord()}`
  return newWord()
}

/** Characters that depend on nothing but the canary, wherever it begins among others. */
const base64s = (bytes: Buffer): readonly string[] =>
  [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)),
  )

/**
 * Whether `wire`, bytes as characters, holds a canary: as it is, or in a form from which anybody can read it.
 */
export const holds = (wire: string, canary: string): boolean => {
  const bytes = Buffer.from(canary)
  if (wire.includes(bytes.toString('latin1'))) return true
  // A short one may stand in anything.
  if (bytes.length < 16) return false
  const hex = bytes.toString('hex')
  const inSmall = wire.toLowerCase()
  const spelled = [hex, hex.replace(/../g, '%$&'), hex.replace(/../g, '\\u00$&'), canary.toLowerCase()]
  return (
    spelled.some((form) => inSmall.includes(form)) ||
    base64s(bytes).some((form) => wire.replaceAll('-', '+').replaceAll('_', '/').includes(form))
  )
}
