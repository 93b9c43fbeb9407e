import {
  FORMS,
  isPushType,
  PUSH_TYPES,
  numbered,
  partNamed,
  type Content,
  type PushForm,
  type Mark,
} from '../../model/chat/content.ts'
import { got } from '../../model/gate/problem.ts'
import { isAddressField } from './clean.ts'
import type { MessengerLinks } from './messenger-links.ts'

const maxParts = 250
const maxPartUnits = 4096
const maxMarks = 500

export interface ContentFlaw {
  readonly message: string
  readonly fix: string
}
const flaw = (expected: string, actual: string, fix: string): ContentFlaw => ({
  message: `Expected ${expected}, got ${actual}.`,
  fix,
})

const isAddress = (text: string, { isMessengerAddress }: MessengerLinks): boolean =>
  /^https?:\/\//i.test(text) && URL.canParse(text) && !isMessengerAddress(text)
const isCoordinate = (text: string | undefined, most: number): boolean =>
  text !== undefined && /^-?\d{1,3}(?:\.\d{1,15})?$/.test(text) && Math.abs(Number(text)) <= most

const range = ([least, most]: PushForm['files']): string =>
  least === most ? String(least) : `${least} to ${most}`

const patternOf = (field: string): string => field.replace(/\.\d{1,2}(?=\.|$)/, '.N')

const partsFlaw = (content: Content, form: PushForm, links: MessengerLinks): ContentFlaw | undefined => {
  const { type, parts, files } = content
  const fields = parts.map(({ field }) => field)
  const twice = fields.find((field, at) => fields.indexOf(field) !== at)
  if (twice !== undefined)
    return flaw('each part once', `"${twice.slice(0, 40)}" twice`, 'Give each its own number.')
  const counts = Map.groupBy(fields, patternOf)
  const allowed: PushForm['parts'] = {
    ...form.parts,
    ...(files.length === 0 ? {} : { 'file.N.name': [files.length, files.length] }),
  }
  const unknownPart = [...counts.keys()].find((pattern) => !Object.hasOwn(allowed, pattern))
  if (unknownPart !== undefined)
    return flaw(
      `the parts of a ${type} (${Object.keys(allowed).join(', ') || 'none'})`,
      `"${unknownPart.slice(0, 40)}"`,
      'Leave it out, or send it as text.',
    )
  for (const [pattern, allows] of Object.entries(allowed)) {
    const [least, most] = allows
    const count = counts.get(pattern)?.length ?? 0
    if (count < least || count > most)
      return flaw(
        `${range(allows)} of "${pattern}" in a ${type}`,
        String(count),
        `Send ${count < least ? 'more' : 'fewer'}.`,
      )
  }
  const blank = parts.find(({ text }) => text.trim() === '')
  if (blank !== undefined)
    return flaw(`"${blank.field}" to hold words`, 'none', 'Write something, or leave it out.')
  const pairs = [numbered(parts, 'button', 'label'), numbered(parts, 'button', 'url')].map((of) =>
    of.map(({ at }) => at).join(),
  )
  if (pairs[0] !== pairs[1])
    return flaw('a label and a url of each button', 'one without the other', 'Send both.')
  const wrong = parts.find(({ field, text }) => isAddressField(field) && !isAddress(text, links))
  if (wrong !== undefined)
    return flaw(
      `"${wrong.field}" to be an address that begins with https:// or http://`,
      got(wrong.text),
      'Write the whole address.',
    )
  if (
    type === 'location' &&
    !(isCoordinate(partNamed(parts, 'latitude'), 90) && isCoordinate(partNamed(parts, 'longitude'), 180))
  ) {
    return flaw(
      '"latitude" and "longitude" in degrees, such as 52.5 and -13.4',
      'something else',
      'Send numbers as text.',
    )
  }
  return undefined
}

const marksFlaw = ({ text, marks, parts }: Content): ContentFlaw | undefined => {
  const outside = marks.find(
    ({ offset, length }) =>
      !(
        Number.isSafeInteger(offset) &&
        Number.isSafeInteger(length) &&
        offset >= 0 &&
        length > 0 &&
        offset + length <= text.length
      ),
  )
  if (outside !== undefined)
    return flaw(
      'each mark to stand in the text',
      `${outside.offset}+${outside.length} of ${text.length}`,
      'Count in UTF-16 units.',
    )
  const lost = marks.find(
    ({ type, field }) =>
      (type === 'link') !==
      (field !== undefined && /^link\.\d+$/.test(field) && partNamed(parts, field) !== undefined),
  )
  return lost === undefined
    ? undefined
    : flaw(
        'each link, and nothing else, to name a part such as "link.0"',
        `"${lost.type}" with ${got(lost.field)}`,
        'Put the address into "parts".',
      )
}

/** Checks the numbers that bound the work of everything below. */
export const boundsFlaw = ({ parts, marks }: Pick<Content, 'parts' | 'marks'>): ContentFlaw | undefined => {
  if (marks.length > maxMarks) return flaw(`at most ${maxMarks} marks`, String(marks.length), 'Send fewer.')
  if (parts.length <= maxParts && parts.every(({ text }) => text.length <= maxPartUnits)) return undefined
  return flaw(
    `at most ${maxParts} parts of ${maxPartUnits} characters`,
    'more',
    'Put the rest into the text.',
  )
}

/** The forms that need only a text. Most messages have only that. */
const bareForms: ReadonlySet<string> = new Set(
  PUSH_TYPES.filter((type) => Object.values(FORMS[type].parts).every(([least]) => least === 0)),
)
const isBare = ({ type, parts, files }: Content): boolean =>
  parts.length + files.length === 0 && bareForms.has(type)

/**
 * Checks a content against the rules of its form. Returns the reason why it can never leave, or undefined.
 * The same check runs before the hooks judge and after a hook's rewrite.
 */
export const flawOf = (content: Content, links: MessengerLinks): ContentFlaw | undefined => {
  const { type, text, files, target } = content
  if (!isPushType(type)) return flaw('a known form', got(type), 'Send it as text.')
  const form: PushForm = FORMS[type]
  if (form.text === 'none' ? text !== '' : form.text === 'needed' && text.trim() === '') {
    return form.text === 'none'
      ? flaw(`no text with a ${type}`, 'one', 'Send it as a push of its own.')
      : flaw('a text', got(text), 'Send some words.')
  }
  const [least, most] = form.files
  if (files.length < least || files.length > most)
    return flaw(
      `${range(form.files)} files with a ${type}`,
      String(files.length),
      most === 0 ? 'Send them as "photo", "document", "voice" or "album".' : 'Send as many as it takes.',
    )
  if ((form.target === undefined) !== (target === undefined))
    return flaw(
      form.target === undefined
        ? `no "target" with a ${type}`
        : `"target" to name the message that this ${type} is about`,
      got(target),
      form.target === undefined ? 'Leave it out.' : 'Name the push_id of what you sent.',
    )
  return (
    boundsFlaw(content) ??
    (isBare(content) ? undefined : partsFlaw(content, form, links)) ??
    marksFlaw(content)
  )
}

/** Keeps the marks that lie in the unchanged head or tail of a rewritten text. */
export const carryMarks = (before: string, after: string, marks: readonly Mark[]): readonly Mark[] => {
  if (before === after || marks.length === 0) return marks
  const most = Math.min(before.length, after.length)
  let head = 0
  while (head < most && before[head] === after[head]) head++
  let tail = 0
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++
  const shift = after.length - before.length
  return marks.flatMap((mark) => {
    if (mark.offset + mark.length <= head) return [mark]
    return mark.offset >= before.length - tail ? [{ ...mark, offset: mark.offset + shift }] : []
  })
}

/** True when text and parts are equal. Hooks cannot change marks and files. */
export const isSameContent = (a: Content, b: Content): boolean =>
  a.text === b.text &&
  a.parts.length === b.parts.length &&
  a.parts.every(({ field, text }, at) => field === b.parts[at]?.field && text === b.parts[at].text)
