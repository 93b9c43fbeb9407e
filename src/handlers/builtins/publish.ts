import { isObject, type JsonObject } from '../../core/model/base/json.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import { oneOf } from './patterns.ts'

/** A longer claim cannot be read in the time of a builtin, so it is refused. In UTF-16 units. */
const maxUnits = 64_000
const maxShownUnits = 200

/** The tools that could have published something: those that say so, and those that run any command. */
const ableTool = new RegExp(
  oneOf`
    publish deploy release go_?live vercel netlify upload
    ^(?:bash|sh|shell|terminal|powershell|exec(?:_command)?|run_(?:shell_|terminal_)?(?:command|cmd))$
  `,
  'i',
)
const claim = new RegExp(
  oneOf`
    \b(?:published|deployed|launched|(?:gone|went|is|are|now|[’']s)\x20live|live\x20(?:now|at|on))
    \b(?:available|hosted|online|accessible)\x20(?:online\x20)?(?:at|on|under|here)\b(?=.{0,40}https?://)
    已(?:经)?(?:发布|部署|上线) (?:发布|部署)(?:了|成功|完成) 上线了
  `,
  'giu',
)
/** What can be published. A sentence about anything else, such as an event, is no claim. */
const thing = new RegExp(
  `https?://|网站|网页|页面|应用|博客|文章|站点|项目|它|\\b${oneOf`
    it this they them everything (?:web)?sites? (?:web)?pages? apps? application blog posts? articles?
    dashboard games? project portfolio shop store demo prototype docs documentation service bot api package
  `}\\b`,
  'iu',
)
/** The words before the verb that make it a denial, a plan, a condition or an adjective. */
const noClaim = new RegExp(
  `(?:\\b${oneOf`
    not never cannot unable failed without before until once when if will should would could ready can must
    needs?
  `}\\b|n[’']t\\b|没有|尚未|还未|未能|将)[^,;，；]{0,30}$` +
    String.raw`|\b(?:the|an?|our|your|its|their|any|already|previously)\s+$|(?:un|re-?)$`,
  'iu',
)
const addresses = /https?:\/\/[^\s<>"'`，。；）】]{1,2000}/giu
const local = /^https?:\/\/(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])(?=[:/]|$)/iu

/** One spelling of an address: no scheme, fragment or closing punctuation, and the host in lower case. */
const plain = (url: string): string => {
  const [address = ''] = url.replace(/^https?:\/\//i, '').split('#')
  let end = address.length
  while (end > 0 && '.,;:!?)]}*_~\\/'.includes(address.charAt(end - 1))) end -= 1
  const bare = address.slice(0, end).replace(/\/index\.html?$/, '')
  const slash = bare.indexOf('/')
  return slash < 0 ? bare.toLowerCase() : bare.slice(0, slash).toLowerCase() + bare.slice(slash)
}

const isClaim = (sentence: string): boolean =>
  (thing.test(sentence) || sentence.split(/\s+/).length < 5) &&
  sentence
    .matchAll(claim)
    .some(
      ({ 0: verb, index }) =>
        !noClaim.test(sentence.slice(Math.max(0, index - 80), index)) &&
        !/^\s+by\b/i.test(sentence.slice(index + verb.length, index + verb.length + 10)),
    )

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

/** True for an address that a tool returned, and for a page below it. */
const isReturned = (cited: string, returned: ReadonlySet<string>): boolean => {
  for (let end = cited.length; end > 0; end = cited.lastIndexOf('/', end - 1))
    if (returned.has(cited.slice(0, end))) return true
  return false
}

const block = (reason: string): JsonObject => ({ decision: 'block', reason })

/**
 * Refuses the claim that something is published when no tool that could have done it succeeded in this
 * session, or when the claim names an address that no tool returned. All other claims pass. Where a client
 * reports only the names of its tools, the name of such a tool is enough.
 */
export const publishBuiltin = ({ summary, response, tools, tool_names }: Payload): JsonObject => {
  const text = [summary, response].filter((one) => typeof one === 'string').join('\n')
  if (text.length > maxUnits)
    return block(
      `This claim has ${text.length} characters, and ${maxUnits} can be checked. Claim it in fewer words.`,
    )
  // A full stop inside an address ends no sentence.
  if (!text.split(/(?<=[.!?])\s+|[\n。！？]+/u).some(isClaim)) return {}
  const used = Array.isArray(tools) ? tools.filter(isObject) : []
  const reported = new Set(used.map(({ name }) => name))
  if (textsOf(tool_names).some((name) => !reported.has(name) && ableTool.test(name))) return {}
  const good = used.filter(({ is_error, exit_code }) => is_error !== true && (exit_code ?? 0) === 0)
  if (!good.some(({ name }) => typeof name === 'string' && ableTool.test(name)))
    return block(
      'You say that something was published, but no tool that could publish it succeeded in this session. ' +
        'Publish it and cite the address that the tool returns, or say plainly that it is not published.',
    )
  const returned = new Set(good.flatMap(({ urls }) => textsOf(urls)).map(plain))
  const invented = text
    .matchAll(addresses)
    .filter(([url]) => !local.test(url))
    .map(([url]) => plain(url))
    .find((cited) => !isReturned(cited, returned))
  return invented === undefined
    ? {}
    : block(
        `You cite https://${invented.slice(0, maxShownUnits)}, but no tool of this session returned that ` +
          'address. Cite the address that the tool returned, or leave the address out.',
      )
}
