import { yieldIfLarge } from '../../core/model/base/yield-if-large.ts'

/** Quotes a word for a POSIX shell, which then takes it for no word of its own, such as `if`. */
export const inQuotes = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`

/** Quotes an argument for a POSIX shell, where that is needed. */
export const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : inQuotes(word))

const [backslash, letterU, zero] = [0x5c, 0x75, 0x30]

/**
 * The JSON escapes that an `echo` may expand, with the last two hex digits that replace them. No `echo`
 * expands `\"` and `\u`.
 */
const plain: Readonly<Record<string, string>> = { n: '0a', t: '09', r: '0d', b: '08', f: '0c', '\\': '5c' }
const [sixteens, ones] = [new Uint8Array(256), new Uint8Array(256)]
for (const [sign, digits] of Object.entries(plain)) {
  sixteens[sign.charCodeAt(0)] = digits.charCodeAt(0)
  ones[sign.charCodeAt(0)] = digits.charCodeAt(1)
}

/** JSON on its way from one buffer to the other. In bytes. */
interface Pass {
  readonly from: Buffer
  readonly to: Buffer
  at: number
  end: number
}

const newPass = (json: string): Pass => {
  const from = Buffer.from(json)
  return { from, to: Buffer.allocUnsafe(3 * from.length), at: 0, end: 0 }
}

/**
 * Goes on to about the byte `until`. It works byte by byte, because an agent can fill a text with escapes,
 * and a call of a function for each of them costs ten times as much.
 */
const goOn = (pass: Pass, until: number): void => {
  const { from, to } = pass
  let { at, end } = pass
  for (; at < until; at++) {
    const byte = from[at] ?? 0
    to[end++] = byte
    if (byte !== backslash) continue
    const sign = from[++at] ?? 0
    if (ones[sign] === 0) {
      to[end++] = sign
      continue
    }
    to[end++] = letterU
    to[end++] = zero
    to[end++] = zero
    to[end++] = sixteens[sign] ?? 0
    to[end++] = ones[sign] ?? 0
  }
  pass.at = at
  pass.end = end
}

const hasEscape = (json: string): boolean => json.includes('\\')

/**
 * The same JSON with the escapes that survive `INPUT=$(cat); echo "$INPUT" | jq`, which is how most hooks
 * read. The `echo` of dash, and of bash where it stands in for sh, writes a line break for `\n`: the JSON is
 * broken, jq fails, and a guard that falls back to "go on" is open for each command of two lines.
 */
export const shellProof = (json: string): string => {
  if (!hasEscape(json)) return json
  const pass = newPass(json)
  goOn(pass, pass.from.length)
  return pass.to.toString('utf8', 0, pass.end)
}

/** So many bytes are worked on in one turn of the thread. */
const turnBytes = 1024 * 1024

/** The same for a large text: the thread looks at everything else between two parts of the work. */
export const shellProofInTurns = async (json: string): Promise<string> => {
  await yieldIfLarge(json.length)
  if (!hasEscape(json)) return json
  const pass = newPass(json)
  while (pass.at < pass.from.length) {
    goOn(pass, Math.min(pass.at + turnBytes, pass.from.length))
    await yieldIfLarge(turnBytes)
  }
  return pass.to.toString('utf8', 0, pass.end)
}
