/** What must not get out, and every look that it could have there. */
export const canary = 'cAnary-7f3kQz9w'
const bytes = Buffer.from(canary)
export const looks: readonly string[] = [
  canary,
  encodeURIComponent(canary),
  bytes.toString('hex'),
  canary.split('').toReversed().join(''),
  ...[0, 1, 2].map((skip) =>
    bytes.subarray(skip, bytes.length - ((bytes.length - skip) % 3)).toString('base64'),
  ),
  canary
    .split('')
    .map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join(''),
].map((look) => look.toLowerCase())

/** The looks that a text has. */
export const seenIn = (text: string): readonly string[] => {
  const lower = text.toLowerCase()
  return looks.filter((look) => lower.includes(look))
}
