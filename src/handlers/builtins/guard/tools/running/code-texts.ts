/** The texts in code of other languages, in all the ways in which these languages quote. */

const maxTexts = 200

const maxUnits = 4000

/** How many begins of a long text are tried. */
const maxBegins = 40

const onOneLine = /(["'`])((?:(?!\1)[^\\\n]|\\[^]){0,2000})\1/g

/** Python's three quotes, and a text over several lines as most languages allow it. */
const overLines = /("""|''')([^]{0,4000}?)\1|(["'`])((?:(?!\3)[^\\]|\\[^]){0,2000})\3/g

/** `q(…)`, `qq{…}`, `qx[…]` of Perl, `%q(…)`, `%(…)`, `%x{…}` of Ruby. */
const byLetter = /(?:\bq[qxw]?\s*|%[qQxwW]?)([({[<|!/~^#])/g

/** `<<END`, `<<~END`, `<<"END"`, `<<<END`. */
const hereBegin = /<<<?[-~]?[ ]?(["']?)([A-Za-z_]\w{0,40})\1/g

const closing: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']', '<': '>' }

/** The text behind an opening sign, up to the sign that closes it. */
const enclosed = (code: string, from: number, sign: string): string => {
  const end = closing[sign] ?? sign
  let depth = 1
  for (let at = from; at < Math.min(code.length, from + maxUnits); at++) {
    const char = code.charAt(at)
    if (char === '\\') at++
    else if (char === end && --depth === 0) return code.slice(from, at)
    else if (char === sign) depth++
  }
  return ''
}

const hereText = (code: string, from: number, name: string): string => {
  const start = code.indexOf('\n', from) + 1
  const rest = start === 0 ? '' : code.slice(start, start + maxUnits)
  const end = new RegExp(String.raw`^\s*${name}\b`, 'm').exec(rest)
  return end === null ? '' : rest.slice(0, end.index)
}

/** The text without the escapes of a language. */
export const unquoted = (text: string): string =>
  text.replaceAll(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|(n)|(t)|([^]))/g,
    (_, hex?: string, unicode?: string, line?: string, tab?: string, other?: string) =>
      (hex ?? unicode)
        ? String.fromCodePoint(Number.parseInt(hex ?? unicode ?? '0', 16))
        : line === undefined
          ? tab === undefined
            ? (other ?? '').replace('\n', '')
            : '\t'
          : '\n',
  )

/** The texts in the code. A quote in a comment can hide a text from one of the ways, but not from all. */
export const textsIn = (code: string): readonly string[] => {
  // `"a" + "b"` and `"a" "b"` are one text.
  const whole = code.replaceAll(/(["'])\s*(?:[+.]\s*)?\1/g, '')
  const found = [
    ...[...code.matchAll(onOneLine)].map(([, , text = '']) => text),
    ...(whole === code ? [] : [...whole.matchAll(onOneLine)].map(([, , text = '']) => text)),
    ...[...code.matchAll(overLines)]
      .map(([, , long, , text]) => long ?? text ?? '')
      .filter((text) => text.includes('\n')),
    ...[...code.matchAll(byLetter)]
      .slice(0, maxBegins)
      .map(({ 0: begin, 1: sign = '', index }) => enclosed(code, index + begin.length, sign)),
    ...[...code.matchAll(hereBegin)]
      .slice(0, maxBegins)
      .map(({ 2: name = '', index }) => hereText(code, index, name)),
  ]
  // In some quotes of some languages, a backslash is no escape.
  return [...new Set(found.slice(0, maxTexts).flatMap((text) => [unquoted(text), text]))]
}

/** The words of a list such as `["rm", "-rf", "/"]`, as one line of a shell. */
export const listsIn = (code: string): readonly string[] =>
  [...code.matchAll(/[[(]\s*((?:["'][^"'\n]{0,300}["']\s*,\s*){1,20}["'][^"'\n]{0,300}["'])/g)].map(
    ([, list = '']) =>
      [...list.matchAll(/["']([^"']*)["']/g)]
        .map(([, word = '']) => `'${unquoted(word).replaceAll("'", '')}'`)
        .join(' '),
  )
