#!/usr/bin/env node
// on_outbound_message: replaces e-mail addresses, phone numbers, payment cards and bank accounts in a message and in all
// its parts by [email], [phone], [card], [iban], and prints nothing when there are none. Cards and accounts must pass
// their check digits; a phone number must look like one (+ and a country, or a usual grouping), so that ids, dates and
// amounts stay. It protects the privacy of third parties, and is no defence against an attacker:
// it does not find a number that is spelled out. It tells the owners how many of which kind it replaced.

// `logo@2x.png` is a file, `git@host:` a repository.
const fileEndings = /\.(?:png|jpe?g|gif|webp|svg|ico|pdf|m?[jt]sx?|css|html?|json|md|zip|t?gz)$/i
const email = /(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9])/g

const redactEmails = (text) =>
  text.replace(email, (found, at) => (fileEndings.test(found) || (/^git@/i.test(found) && text[at + found.length] === ':') ? found : '[email]'))

/** ISO 13616: letters count from 10, the first four characters go last, and the whole is 1 modulo 97. */
const isIban = (compact) => {
  if (compact.length < 15 || compact.length > 34) return false
  let rest = 0
  for (const char of compact.slice(4) + compact.slice(0, 4)) {
    const value = Number.parseInt(char, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

/** The longest beginning that is an account: what follows it may look like one more group. */
const redactIbans = (text) =>
  text.replace(/(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}(?![A-Za-z0-9])/g, (found) => {
    for (let end = found.length; end >= 15; end--) {
      const isWhole = end === found.length || /[ -]/.test(found[end])
      if (isWhole && isIban(found.slice(0, end).replace(/[ -]/g, '').toUpperCase())) return `[iban]${found.slice(end)}`
    }
    return found
  })

/** Lengths and first digits that payment networks issue. Source: ISO/IEC 7812 and the networks' published ranges. */
const cardRange =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|6(?:011|5\d\d|4[4-9]\d)\d{12}|62\d{14,17}|35(?:2[89]|[3-8]\d)\d{12})$/

const passesLuhn = (digits) => {
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place]) * (place % 2 === 0 ? 1 : 2)
    sum += digit > 9 ? digit - 9 : digit
  }
  return sum % 10 === 0
}

/** A card may stand among other groups of digits, so every span of whole groups is tried. */
const redactCards = (text) =>
  text.replace(/(?<![\w.])\d+(?:[ -]\d+)*(?![\w])/g, (run) => {
    const groups = run.split(/([ -])/)
    let out = ''
    for (let start = 0; start < groups.length; start += 2) {
      let end = start
      for (let last = start, digits = ''; last < groups.length && digits.length < 20; last += 2) {
        digits += groups[last].slice(0, 20)
        if (cardRange.test(digits) && passesLuhn(digits)) end = last + 1
      }
      out += end > start ? '[card]' : groups[start]
      start = end > start ? end - 1 : start
      out += groups[start + 1] ?? ''
    }
    return out
  })

const phones = [
  // +49 (0)30 1234-567
  /(?<![\w+])\+\d(?:[ ()./-]{0,3}\d){7,14}(?![\w])/g,
  // (030) 123 4567 and (555) 123-4567
  /(?<![\w)])\(0?\d{2,4}\)[ -]?\d{3,4}(?:[ -]?\d{3,4}){1,2}(?!\w|-\d)/g,
  // 555-123-4567, 555.123.4567
  /(?<![\w.-])[2-9]\d{2}([-.])\d{3}\1\d{4}(?!\w|[.-]\d)/g,
  // 030 1234567, 0171-1234567, 020 7946 0958; not in the middle of a longer row of digits
  /(?<![\w.-]|\d )0\d{1,4}[ -]\d{3,4}[ -]?\d{3,5}(?!\w|[ .-]\d)/g,
  // 13800138000, 138 0013 8000: mobile numbers of China
  /(?<![\w.:/=#-]|\d )1[3-9]\d[ -]?\d{4}[ -]?\d{4}(?!\w|[ .-]\d)/g,
]

const redact = (text) => {
  const steps = [redactEmails, redactIbans, redactCards, ...phones.map((phone) => (part) => part.replace(phone, '[phone]'))]
  return steps.reduce((part, step) => step(part), text)
}

const kinds = ['email', 'phone', 'card', 'iban']
/** How many marks of each kind the texts have more than before, in a few words. */
const told = (before, after) => {
  const count = (texts, kind) => texts.join('\n').split(`[${kind}]`).length - 1
  const counts = kinds.map((kind) => [kind, count(after, kind) - count(before, kind)]).filter(([, number]) => number > 0)
  return `redact_pii replaced ${counts.map(([kind, number]) => (number === 1 ? kind : `${number} × ${kind}`)).join(', ')}.`
}
const textsOf = ({ notification, parts }) => [notification, ...(parts ?? []).map((part) => part?.text)].filter((text) => typeof text === 'string')

const judge = (payload) => {
  if (Array.isArray(payload)) throw new TypeError('not an object')
  const answer = {}
  if (typeof payload.notification === 'string') {
    const notification = redact(payload.notification)
    if (notification !== payload.notification) answer.notification = notification
  }
  const parts = (payload.parts ?? []).map((part) => (typeof part?.text === 'string' ? { ...part, text: redact(part.text) } : part))
  if (parts.some((part, place) => part?.text !== payload.parts[place]?.text)) answer.parts = parts
  if (Object.keys(answer).length === 0) return undefined
  return { ...answer, systemMessage: told(textsOf(payload), textsOf({ ...payload, ...answer })) }
}

const selfTest = () => {
  const cases = [
    ['Write to ann.b+c@mail.example.com.', 'Write to [email].'],
    ['<a@b.co>, c_d@e-f.org', '<[email]>, [email]'],
    ['logo@2x.png git@github.com:me/it.git @ann a@b pkg@1.2.3', undefined],
    ['Card 4111 1111 1111 1111!', 'Card [card]!'],
    ['4111-1111-1111-1111 or 378282246310005', '[card] or [card]'],
    ['order 12 4111 1111 1111 1111 34', 'order 12 [card] 34'],
    ['4111 1111 1111 1112', undefined],
    ['1700000000000 and 20261120093000', undefined],
    ['DE89 3704 0044 0532 0130 00', '[iban]'],
    ['Pay GB82WEST12345698765432 today', 'Pay [iban] today'],
    ['DE89 3704 0044 0532 0130 00 and more', '[iban] and more'],
    ['DE88 3704 0044 0532 0130 00', undefined],
    ['Call +49 (0)30 1234-567 or +1 555 123 4567', 'Call [phone] or [phone]'],
    ['(555) 123-4567, 555-123-4567', '[phone], [phone]'],
    ['030 1234567', '[phone]'],
    ['电话13800138000。', '电话[phone]。'],
    ['138 0013 8000', '[phone]'],
    ['On 2026-11-20 at 10:30 we had 1 234 567 users, v1.2.3, 192.168.100.200', undefined],
    ['123e4567-e89b-12d3-a456-426614174000 chat 1234567890', undefined],
    ['[email] [phone] [card] [iban]', undefined],
    ['', undefined],
  ]
  const wrong = cases.filter(([text, expected]) => {
    const answer = judge({ notification: text, parts: [{ field: 'caption', text }] })
    const isTold = answer === undefined || /^redact_pii replaced (?:\d+ × )?(?:email|phone|card|iban)\b.*\.$/.test(answer.systemMessage)
    return answer?.notification !== expected || answer?.parts?.[0]?.text !== expected || !isTold
  })
  console.log([`${cases.length - wrong.length} passed, ${wrong.length} failed`, ...wrong.map(([text]) => `${text} → ${redact(text)}`)].join('\n  '))
  return wrong.length > 0 ? 1 : 0
}

const main = async () => {
  if (process.argv[2] === '--self-test') return selfTest()
  const chunks = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  let answer
  try {
    answer = judge(JSON.parse(Buffer.concat(chunks).toString()))
  } catch (error) {
    // The name alone: a parser's message quotes what it read.
    console.error(`Expected one JSON payload on stdin, got something that cannot be read (${error.name}).`)
    return 1
  }
  if (answer !== undefined) console.log(JSON.stringify(answer))
  return 0
}

process.exitCode = await main()
