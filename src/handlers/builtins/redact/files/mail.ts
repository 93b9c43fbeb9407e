import { countEntry, spend, type FilePart, type FileReader } from './part.ts'

const encoding = /^content-transfer-encoding:[ \t]{0,16}(base64|quoted-printable)/gim
const bodyStart = /\r?\n[ \t]*\r?\n/g
const bodyEnd = /\r?\n--/g

const after = (
  text: string,
  pattern: RegExp,
  at: number,
): { readonly from: number; readonly to: number } | undefined => {
  pattern.lastIndex = at
  const found = pattern.exec(text)
  return found === null ? undefined : { from: found.index, to: found.index + found[0].length }
}

const decoded = (body: string, how: string): Buffer => {
  if (how.toLowerCase() === 'base64') return Buffer.from(body, 'base64')
  const letters = body
    .replaceAll(/=[ \t]{0,16}\r?\n/g, '')
    .replaceAll(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(letters, 'latin1')
}

/** Decodes the base64 and quoted-printable bodies of a saved mail. The rest is scanned as text. */
export const mail: FileReader = {
  // A mail has no zero bytes, so pictures are not searched for its headers.
  is: (bytes) =>
    !bytes.subarray(0, 4096).includes(0) && /^content-transfer-encoding:/im.test(bytes.toString('latin1')),
  // A mail may be nested as deep as any text. Each decoded body is a quarter shorter, so the recursion ends.
  levels: 0,
  open: (bytes, budget) => {
    const text = bytes.toString('latin1')
    const parts: FilePart[] = []
    let end = 0
    for (const { 1: how = '', index } of text.matchAll(encoding)) {
      const start = index < end ? undefined : after(text, bodyStart, index)
      if (start === undefined) continue
      countEntry(budget)
      end = after(text, bodyEnd, start.to)?.from ?? text.length
      const body = decoded(text.slice(start.to, end), how)
      spend(budget, body.length)
      parts.push({ bytes: body })
    }
    return { parts }
  },
}
