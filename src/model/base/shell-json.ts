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

/**
 * Rewrites the escapes of a JSON text so that it survives `INPUT=$(cat); echo "$INPUT" | jq`, which is how
 * most hooks read. The `echo` of dash, and of bash in sh mode, writes a line break for `\n`. The JSON is then
 * invalid, jq fails, and a guard that continues on an error lets each command of two lines pass.
 */
export const shellProof = (json: string): string => {
  if (!json.includes('\\')) return json
  // It works byte by byte. An agent can fill a text with escapes, and a function call for each costs ten
  // times as much.
  const from = Buffer.from(json)
  const to = Buffer.allocUnsafe(3 * from.length)
  let end = 0
  for (let at = 0; at < from.length; at++) {
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
  return to.toString('utf8', 0, end)
}
