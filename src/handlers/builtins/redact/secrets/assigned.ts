import type { Span } from '../span.ts'
import { levelOf, nameBefore, type Level } from './names.ts'
import { hasRandom } from './random.ts'

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Hex may be nearly all digits, and so long it is no number. */
const hex = /^[0-9a-f]{32,}$/i
/** Words that people write in the place of a secret, and the address of a token of Ethereum. */
const filler =
  /^(?:[a-z]{0,12}[-_. ]?)?(?:passw(?:or)?d|passwd|pass|secret|token|key|changeme|change|replace_?me|example|placeholder|value|here|user|admin|test|demo|string|enabled?|required|invalid|null|none|true|false)[-_.!]?\d{0,4}$|^redacted|^AWS4-|^0x[0-9a-f]{40}$|EXAMPLE(?:KEY|TOKEN)?=*$/i
/** The beginning of a reference, a path or an address, and the signs of a template. */
const reference =
  /^(?:[$<[{]|%\w+%$|\.{0,2}\/|~\/|[a-z]+:\/\/|[A-Za-z]:\\|arn:|file:|env[.:]|vault:|(?:process|exports?|os|secrets?|config|settings|this|self|req|var|local|data)\.)|\$\{|\$\(|\{\{|<%|%\(|\(\?|\[\^?[aA0]-|\.\.\[?redacted/i
const hasBoth = (value: string): boolean => /\d/.test(value) && /[A-Za-z]/.test(value)
const isVaried = (value: string): boolean => new Set(value).size >= Math.min(10, value.length / 2)
/** True for a value that is neither a reference nor a filler. */
export const isWritten = (value: string): boolean => !reference.test(value) && !filler.test(value)

/** The identifiers that are half of a login: the end of a name, and the form of the value. */
const ids: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/sumo.{0,20}id$/i, /^su[A-Za-z0-9]{12}$/],
  [/messagebird.{0,20}id$/i, uuid],
]

/** True for `user:password` in base64. */
const isLogin = (value: string): boolean =>
  /^[A-Za-z0-9+/]{8,}={0,2}$/.test(value) &&
  /^[\x20-\x7e]{1,200}:[\x20-\x7e]{3,}$/.test(Buffer.from(value, 'base64').toString('latin1'))

/**
 * True when a value at a name of this level is a secret. One that is loose, with no quotes around it or in a
 * list, may be an expression of code.
 */
const isSecret = (level: Level, value: string, isLoose: boolean): boolean => {
  if (level === 'none' || !isWritten(value) || !isVaried(value)) return false
  if (level === 'password')
    return (
      /^[\x21-\x7e]{8,200}$/.test(value) &&
      hasBoth(value) &&
      (/[!@#$%^&*?+~]/.test(value) ||
        hasRandom(value, undefined, isLoose ? 3 : 2) ||
        (!isLoose && /[a-z]/.test(value) && /[A-Z]/.test(value)))
    )
  if (uuid.test(value)) return level !== 'vendor'
  if (!(isLoose ? /^[\w+/=.~|@:%-]{14,}$/ : /^[\x21-\x7e]{14,}$/).test(value)) return false
  if (level === 'secret of a vendor')
    return hasBoth(value) && (value.length >= 20 || hasRandom(value, undefined, 4))
  return value.length >= 16 && (hasRandom(value) || (hex.test(value) && hasBoth(value)))
}

const scheme = '(?:basic|token|apikey|api-key|key|ssws|geniekey|splunk|bot|bearer)'
/** A value without spaces that has a digit, because words have none. */
const bare = '(?=[^\\s"\'`<>\\d]{0,48}\\d)(?!\\/\\/)([\\w+/.~!@#$%^&*?-][^\\s"\'`<>;,()[\\]{}]{7,4000})'
/** What is written behind a sign of assignment, in quotes or not, with a scheme of HTTP before it or not. */
const assigned = new RegExp(
  '([:=>|]|,(?=\\s{0,2}["\'`]))\\s{0,4}(?:[@brf](?=["\']))?' +
    '(?:(["\'`])(?=[^"\'`\\s\\d]{0,48}\\d)([^"\'`\\s]{8,4000})\\2' +
    `|(["'\`]?(?:${scheme}\\s{1,3})?)${bare})`,
  'gi',
)
/** Options of commands, variables of a container, sentences, and a file of logins. */
const told = new RegExp(
  '(?:--?([A-Za-z][\\w-]{1,30})|\\b(?:ENV|ARG|setx)\\s{1,3}(\\w{2,60})' +
    '|\\b(key|token|secret|password|passphrase)\\s{1,3}(?:is|was):?|\\blogin\\s{1,3}\\S{1,80}\\s{1,3}(password))' +
    `\\s{1,3}["'\`]?${bare}`,
  'gi',
)
/** The login of curl and other commands, and of SQL. */
const login =
  /(?:\s(?:-u|-U|--user|--proxy-user)(?:\s{1,3}|=)["']?[^\s"':]{0,80}:|IDENTIFIED\s{1,3}BY\s{1,3}(?=')|sshpass\s{1,3}-p\s{0,3})["']?([^\s"'`]{3,200})/g
/** The most characters of a command before its login. */
const commandUnits = 2000
const client = /curl|wget|http/i
/** What follows another parameter of an address, and the end of a sentence. */
const trailing = /&[\w.%-]{1,40}=.*$|[.:]{1,3}$/

/** True at the beginning and the end of a line, for the character there or none. */
const isEdge = (letter: string): boolean => letter === '' || letter === '\n' || letter === '\r'

/**
 * Finds the secrets that only their names tell: what is assigned to "password", "token" or "API key". Most
 * vendors give out keys without a mark, so the name and the look of the value must do.
 */
export const findAssigned = (text: string): readonly Span[] => {
  const found: Span[] = []
  const add = (start: number, value: string, kind: string): void => {
    found.push({ start, end: start + value.length, kind })
  }
  const judge = (level: Level, start: number, value: string, isLoose: boolean): void => {
    if (isSecret(level, value, isLoose)) add(start, value, level === 'password' ? 'password' : 'key')
  }
  for (const {
    0: whole,
    1: sign,
    2: quote = '',
    3: quoted,
    4: before = '',
    5: rest = '',
    index,
  } of text.matchAll(assigned)) {
    const name = nameBefore(text, index)
    const level = levelOf(name)
    const end = index + whole.length - quote.length
    const start = end - (quoted ?? rest).length
    const value = quoted ?? rest.replace(trailing, '')
    if (level === 'none' && ids.some(([of, form]) => of.test(name) && form.test(value)))
      add(start, value, 'access id')
    const isLine = sign === '=' && isEdge(text.charAt(index - name.length - 1)) && isEdge(text.charAt(end))
    const isLoose = quoted === undefined && !/[a-z]/i.test(before) && !isLine
    // A call and the element of a list are no values.
    if (isLoose && /[([{]/.test(text.charAt(end))) continue
    if (level !== 'none' && (/basic/i.test(before) || /auth$/i.test(name)) && isLogin(value))
      add(start, value, 'password')
    else judge(level, start, value, isLoose || sign === ',')
  }
  for (const { 0: whole, 1: option, 2: variable, 3: word, 4: file, 5: value = '', index } of text.matchAll(
    told,
  )) {
    const level = levelOf(
      option ?? variable ?? (word?.toLowerCase() === 'key' ? 'api key' : word) ?? file ?? '',
    )
    judge(level, index + whole.length - value.length, value, true)
  }
  for (const { 0: whole, 1: value = '', index } of text.matchAll(login)) {
    const start = index + whole.length - value.length
    const isPassword =
      isWritten(value) && isWritten(value.replaceAll(/^\W+|\W+$/g, '')) && /[\d\W_]|[a-z][A-Z]/.test(value)
    const isCommand = !/^\s/.test(whole) || client.test(text.slice(Math.max(0, index - commandUnits), index))
    if (isPassword && isCommand) add(start, value, 'password')
  }
  return found
}
