/**
 * The largest number of strings, commas, colons and brackets in one request. The time to read, freeze and
 * search them grows with their number: 400,000 names in 7 MB blocked the thread for seconds.
 */
export const maxJsonTokens = 50_000

/** The characters of a number. The list has them by their codes. */
const numeral = Array.from({ length: 128 }, (_, code) =>
  '0123456789+-.eE'.includes(String.fromCharCode(code)),
)
const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [list, listEnd, object, objectEnd] = [0x5b, 0x5d, 0x7b, 0x7d]

/** The index of the quote that ends the JSON string that begins at `from`. */
const endOfText = (json: string, from: number): number => {
  for (let end = json.indexOf('"', from); end >= 0; end = json.indexOf('"', end + 1)) {
    let before = end
    while (before > from && json.charCodeAt(before - 1) === backslash) before--
    if ((end - before) % 2 === 0) return end
  }
  return json.length
}

/** Double numbers hold each number with so many characters, if it has no exponent. */
const surelyHeld = 15
/** The longest integer that is read. The largest that programs use have 78 digits. */
const maxDigits = 100

/** The digits of a number without zeros at its ends, with an exponent. Equal numbers give equal texts. */
const decimal = (text: string): string => {
  const [, sign = '', whole = '', part = '', power = '0'] =
    /^(-?)(\d*)\.?(\d*)(?:[eE](.+))?$/.exec(text) ?? []
  const digits = `${whole}${part}`.replace(/^0+/, '')
  const kept = digits.replace(/0+$/, '')
  return kept === '' ? '0' : `${sign}${kept}e${Number(power) - part.length + digits.length - kept.length}`
}

/** How a number is read: as a double, as an integer that a double would round, or not at all. */
const kindOf = (text: string): 'held' | 'wide' | 'lost' => {
  // A pattern over millions of digits would fill the stack.
  if (text.length > maxDigits) return 'lost'
  if (/^-?\d+$/.test(text)) {
    if (Number.isSafeInteger(Number(text))) return 'held'
    return 'wide'
  }
  const value = Number(text)
  // Some programs write 17 digits of each double.
  const written = [String(value), value.toPrecision(17)]
  return Number.isFinite(value) && written.some((one) => decimal(one) === decimal(text)) ? 'held' : 'lost'
}

/** What a JSON text has, as far as one pass can tell without parsing it. */
export interface JsonFacts {
  /** The number of texts, commas, colons and brackets that open. */
  readonly tokens: number
  readonly depth: number
  /** The number of names in all objects. */
  readonly names: number
  /** True when it has an integer that a double would round. */
  readonly isWide: boolean
  /** The first number that cannot be read without changing it. */
  readonly lost?: string
}

/**
 * Reads the facts of a JSON text, and stops after `maxTokens`. It is not parsed, and text that is not JSON is
 * counted in the same way.
 */
export const jsonFacts = (json: string, maxTokens: number): JsonFacts => {
  let [tokens, names, level, depth, isWide] = [0, 0, 0, 0, false]
  let lost: string | undefined
  for (let at = 0; at < json.length && tokens <= maxTokens; at++) {
    const code = json.charCodeAt(at)
    if (code === quote) {
      tokens++
      at = endOfText(json, at + 1)
    } else if (code === comma) tokens++
    else if (code === colon) {
      tokens++
      names++
    } else if (code === list || code === object) {
      tokens++
      if (++level > depth) depth = level
    } else if (code === listEnd || code === objectEnd) level--
    else if (code < 0x3a && numeral[code] === true) {
      const from = at
      let hasPower = false
      for (let next = code; numeral[next] === true; next = json.charCodeAt(++at)) hasPower ||= next > 0x40
      if (hasPower || at - from > surelyHeld) {
        const kind = kindOf(json.slice(from, at))
        if (kind === 'wide') isWide = true
        else if (kind === 'lost') lost ??= json.slice(from, at)
      }
      at--
    }
  }
  return { tokens, depth, names, isWide, lost }
}

/** The first name that occurs twice in one object of a valid JSON text. */
export const nameTwice = (json: string): string => {
  const open: Set<string>[] = []
  let last = ''
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === quote) {
      const end = endOfText(json, at + 1)
      last = json.slice(at, end + 1)
      at = end
    } else if (code === list || code === object) open.push(new Set())
    else if (code === listEnd || code === objectEnd) open.pop()
    else if (code === colon) {
      const name = String(JSON.parse(last))
      if (open.at(-1)?.has(name) === true) return name
      open.at(-1)?.add(name)
    }
  }
  return ''
}
