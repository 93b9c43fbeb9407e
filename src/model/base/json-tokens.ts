/**
 * So many texts, commas, colons and brackets may stand in one request. Reading and freezing them, and looking through
 * them, takes time that grows with their number, whatever their length: 400,000 names in 7 MB held the thread for seconds.
 */
export const maxJsonTokens = 80_000

const [quote, backslash] = [0x22, 0x5c]
/** What each byte is worth: 1 where a token begins. */
const tokens = new Uint8Array(256)
for (const mark of '",:{[') tokens[mark.charCodeAt(0)] = 1

/** Where a text ends that begins at `from`, in JSON. */
const endOfText = (json: Buffer, from: number): number => {
  const next = json.indexOf(quote, from)
  if (next < 0) return json.length
  if (json[next - 1] !== backslash) return next
  let at = from
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1
  return at
}

/** Whether a text in JSON has more tokens than so many. It is not parsed, and what is no JSON counts alike. */
export const hasMoreTokens = (json: Buffer, limit = maxJsonTokens): boolean => {
  let count = 0
  for (let at = 0; at < json.length && count <= limit; at++) {
    const byte = json[at] ?? 0
    count += tokens[byte] ?? 0
    if (byte === quote) at = endOfText(json, at + 1)
  }
  return count > limit
}
