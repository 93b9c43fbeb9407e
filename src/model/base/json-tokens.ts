/**
 * The largest number of strings, commas, colons and brackets in one request. The time to read, freeze and
 * search them grows with their number: 400,000 names in 7 MB blocked the thread for seconds.
 */
export const maxJsonTokens = 50_000

const [quote, backslash] = [0x22, 0x5c]
/** The weight of each byte: 1 where a token begins. */
const tokens = new Uint8Array(256)
for (const mark of '",:{[') tokens[mark.charCodeAt(0)] = 1

/** The index of the quote that ends the JSON string that begins at `from`. */
const endOfText = (json: Buffer, from: number): number => {
  const next = json.indexOf(quote, from)
  if (next < 0) return json.length
  if (json[next - 1] !== backslash) return next
  let at = from
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1
  return at
}

/**
 * True when a JSON text has more than `limit` tokens. It is not parsed, and text that is not JSON is counted
 * in the same way.
 */
export const hasMoreTokens = (json: Buffer, limit = maxJsonTokens): boolean => {
  let count = 0
  for (let at = 0; at < json.length && count <= limit; at++) {
    const byte = json[at] ?? 0
    count += tokens[byte] ?? 0
    if (byte === quote) at = endOfText(json, at + 1)
  }
  return count > limit
}
