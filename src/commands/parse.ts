/** One line of a message that is a command, or that stands where one should. */
export type Line =
  | { readonly kind: 'command'; readonly name: string; readonly rest: string; readonly raw: string }
  | { readonly kind: 'malformed'; readonly raw: string }

export type Parsed =
  | { readonly kind: 'prose'; readonly text: string }
  | { readonly kind: 'commands'; readonly lines: readonly Line[] }

const invisible = /\p{Default_Ignorable_Code_Point}/gu
/** A slash and a word with no second slash in it: `/hooks`, `／new`, `/hooks@SomeBot`, not `/usr/bin`. */
const commandLine = /^[/／]([\p{L}\p{N}_][^\s/／]*)(?=\s|$)\s*([^]*)$/u

/** Commands are often pasted out of a chat: the fence or backticks around them are not part of them. */
const withoutFences = (text: string): readonly string[] =>
  text.replace(invisible, '').split(/\r?\n/)
    .map((line) => line.trim().replace(/^(`{1,2})(?!`)(.*[^`])\1$/, '$2').trim())
    .filter((line) => line !== '' && !/^(```|~~~)[\w-]*$/.test(line))

/**
 * Reads one chat message. What looks like a command never becomes prose, even when it is mistyped: it is parsed here,
 * before any model sees it. A leading `//` is the way to say something that begins with a slash to the agent.
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
      return match === null ? { kind: 'malformed', raw } : { kind: 'command', name: (match[1] ?? '').toLowerCase(), rest: (match[2] ?? '').trim(), raw }
    }),
  }
}

/** What a phone's keyboard made of quotes and dashes, folded back. */
export const foldTypography = (text: string): string =>
  text.normalize('NFKC').replace(/[“”„‟«»]/g, '"').replace(/[‘’‚‛]/g, "'").replace(/—/g, '--').replace(/[‐‑‒–−]/g, '-')

/** The first word and what follows it, exactly. */
export const firstWord = (text: string): readonly [string, string] => {
  const match = /^(\S*)\s*([^]*)$/.exec(text)
  return [match?.[1] ?? '', (match?.[2] ?? '').trim()]
}
