/** Random pushes of every form, made from the table of forms. */
import * as fc from 'fast-check'
import {
  FORMS,
  type PushForm,
  type Mark,
  type TextField,
  type PushType,
} from '../../../src/core/model/chat/content.ts'
import type { AgentPush } from '../../../src/core/model/chat/push.ts'

const word = fc.constantFrom(
  'build',
  'done',
  'tea',
  'naïve',
  '你好',
  '😀',
  'a&b',
  '<b>x</b>',
  '*y*',
  '%41',
  '"quoted"',
  'x/y',
  '[z](w)',
  '{"a":1}',
)
const words = (least: number, most: number) =>
  fc.array(word, { minLength: least, maxLength: most }).map((list) => ['Say', ...list].join(' '))
const long = fc
  .integer({ min: 800, max: 9000 })
  .chain((units) =>
    word.map((one) => `Say ${`${one} and /hooks on\n`.repeat(3)}${'lorem ipsum '.repeat(units / 12)}`),
  )
const textOf = (type: PushType): fc.Arbitrary<string> => {
  if (type === 'reaction') return fc.constantFrom('👍', '❤️', '🎉')
  if (FORMS[type].text === 'none') return fc.constant('')
  if ('isWhole' in FORMS[type]) return words(0, 8)
  return fc.oneof(
    { arbitrary: words(0, 20), weight: 6 },
    { arbitrary: long, weight: 1 },
    ...(FORMS[type].text === 'optional' ? [{ arbitrary: fc.constant(''), weight: 1 }] : []),
  )
}
const degrees = fc.integer({ min: -90_000, max: 90_000 }).map((n) => String(n / 1000))
const valueOf = (field: string): fc.Arbitrary<string> => {
  if (/url|link/.test(field))
    return words(0, 2).map((text) => `https://example.com/${encodeURIComponent(text)}?q=1`)
  return field === 'latitude' || field === 'longitude' ? degrees : words(0, 3)
}
/** The parts of a form, as its table has them; counts that belong together are the same. */
const partsOf = (type: PushType, text: string): fc.Arbitrary<readonly TextField[]> => {
  const form: PushForm = FORMS[type]
  return fc.integer({ min: 0, max: 4 }).chain((count) => {
    const fields = Object.entries(form.parts).flatMap(([pattern, [least, most]]) => {
      if (pattern.startsWith('link') && text === '') return []
      return Array.from({ length: Math.min(most, Math.max(least, count)) }, (_, at) =>
        pattern.replace('N', String(at)),
      )
    })
    return fc.tuple(...fields.map((field) => valueOf(field).map((text) => ({ field, text }))))
  })
}
const filesOf = (type: PushType): fc.Arbitrary<AgentPush['files']> => {
  const [least, most] = FORMS[type].files
  const one = fc.record({
    name: fc.constantFrom('a.txt', 'näme (1).png', 'notes = x.bin', '😀.pdf', 'no-ending'),
    type: fc.constantFrom('text/plain', 'image/png', 'video/mp4', '', 'audio/ogg'),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 60 }),
  })
  return fc.array(one, { minLength: least, maxLength: Math.min(most, 4) })
}

export const pushOf = (type: PushType): fc.Arbitrary<AgentPush> =>
  fc.tuple(textOf(type), filesOf(type)).chain(([text, files]) =>
    partsOf(type, text).map((parts): AgentPush => {
      const links = parts.filter(({ field }) => field.startsWith('link.'))
      const marks = links.map(({ field }): Mark => ({ type: 'link', offset: 0, length: 3, field }))
      const target = { edit: 'base', reaction: '' }[type as string]
      return {
        channel: 'telegram',
        chat_id: type === 'topic' ? '-1001' : '7',
        push_id: '',
        agent_id: 'main',
        session_id: 's',
        cwd: '/',
        type,
        text,
        files,
        parts,
        marks: [...marks, ...(text.length > 6 ? [{ type: 'bold', offset: 1, length: 5 } as const] : [])],
        ...(target === undefined ? {} : { target }),
      }
    }),
  )

/** Every place of a push where words can stand, as what puts them there. */
export type Put = (push: AgentPush, words: string) => AgentPush
export const placesIn = (push: AgentPush): readonly Put[] => [
  (push, words) => ({ ...push, text: `${push.text}${words}` }),
  ...push.parts.map(({ field }): Put => (push, words) => ({
    ...push,
    parts: push.parts.map((part) => (part.field === field ? { field, text: `${part.text}${words}` } : part)),
  })),
  ...push.files.flatMap((_, at): readonly Put[] => {
    const change =
      (of: (file: AgentPush['files'][number], words: string) => Partial<AgentPush['files'][number]>): Put =>
      (push, words) => ({
        ...push,
        files: push.files.map((file, index) => (index === at ? { ...file, ...of(file, words) } : file)),
      })
    return [
      change(({ name }, words) => ({ name: `${words}${name}` })),
      change(({ bytes }, words) => ({ bytes: Buffer.concat([bytes, Buffer.from(words)]) })),
      change((_, words) => ({ type: `image/${words}` })),
    ]
  }),
  (push, words) => ({ ...push, push_id: `${push.push_id}${words}` }),
]
