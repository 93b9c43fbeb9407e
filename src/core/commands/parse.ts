/** One line of a message: a command, or a line where a command was expected. */
export type Line =
  | { readonly kind: 'command'; readonly name: string; readonly rest: string; readonly raw: string }
  | { readonly kind: 'malformed'; readonly raw: string }

export type Parsed =
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'commands'; readonly lines: readonly Line[] }

/**
 * Characters that a reader cannot see: zero-width and format characters, controls, the blank Braille cell.
 */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]|(?![\t\n\v\f\r])\p{Cc}/gu
/** A slash and a word with no second slash in it: `/hooks`, `／new`, `/hooks@SomeBot`, not `/usr/bin`. */
const commandLine = /^[/／]([\p{L}\p{N}_][^\s/／]*)(?=\s|$)\s*([^]*)$/u

/**
 * Removes the backticks around a line. They need not be closed. A line with text after the closing ones is
 * prose.
 */
const withoutBackticks = (line: string): string => {
  const inner = line.replace(/^(?:`+|~{3,})/, '')
  if (inner.length === line.length) return line
  const bare = inner.replace(/`+$/, '').trim()
  return bare.includes('`') ? line : bare
}

/** Removes fences and backticks, because commands are often pasted from a chat with them. */
const withoutFences = (text: string): readonly string[] =>
  text
    .replace(invisible, '')
    .split(/\r\n?|[\n\u2028\u2029]/)
    .map((line) => line.trim())
    .filter((line) => !/^(`{3,}|~{3,})[\w-]*$/.test(line))
    .map(withoutBackticks)
    .filter((line) => line !== '')

/**
 * Reads one chat message. What looks like a command never becomes prose, even when it is mistyped: it is
 * parsed here, before any model sees it. A leading `//` sends the agent a text that begins with a slash.
 */
export const parseChat = (text: string): Parsed => {
  const lines = withoutFences(text)
  const first = lines[0] ?? ''
  if (/^[/／]{2}/.test(first)) return { kind: 'prose', text: text.replace(/[/／]/, '') }
  if (!commandLine.test(first)) return { kind: 'prose', text }
  return {
    kind: 'commands',
    lines: lines.map((raw): Line => {
      const match = commandLine.exec(raw)
      return match === null
        ? { kind: 'malformed', raw }
        : { kind: 'command', name: (match[1] ?? '').toLowerCase(), rest: (match[2] ?? '').trim(), raw }
    }),
  }
}

/**
 * Turns the typographic quotes and dashes of a phone's keyboard back into ASCII, and removes the punctuation
 * with which a Chinese keyboard ends a sentence.
 */
export const foldTypography = (text: string): string =>
  text
    .replace(/[\s。｡．！，、]+$/u, '')
    .normalize('NFKC')
    .replace(/[“”„‟«»]/g, '"')
    .replace(/[‘’‚‛]/g, "'")
    .replace(/—/g, '--')
    .replace(/[‐‑‒–−]/g, '-')

/** The first word, and the exact text after it. */
export const firstWord = (text: string): readonly [string, string] => {
  const match = /^(\S*)\s*([^]*)$/.exec(text)
  return [match?.[1] ?? '', (match?.[2] ?? '').trim()]
}
