import * as fc from 'fast-check'
import {
  FORMS,
  MARK_TYPES,
  PUSH_TYPES,
  type PushForm,
  type Mark,
  type TextField,
  type PushType,
} from '../../../src/core/model/chat/content.ts'
import { canary } from './canary.ts'

/** A push of some form, as an agent could ask for it. */
export interface RandomPush {
  readonly type: PushType
  readonly text: string
  readonly marks: readonly Mark[]
  readonly parts: readonly TextField[]
  readonly files: readonly { readonly name: string; readonly type: string; readonly bytes: Uint8Array }[]
}

const words = fc.constantFrom('tea', 'coffee at noon', 'números', '/hooks on', '<b>x</b>', 'one\ntwo', '中文')
const amount = (form: PushForm, field: string): fc.Arbitrary<number> => {
  const [least, most] = form.parts[field] ?? [0, 0]
  return fc.integer({ min: least, max: Math.min(most, 3) })
}
const valueOf = (field: string): fc.Arbitrary<string> => {
  if (/^link|url$/.test(field)) return fc.constantFrom('https://example.com/a', 'http://example.org')
  return field.endsWith('itude') ? fc.constantFrom('12.5', '-3') : words
}

const partsOf = (form: PushForm): fc.Arbitrary<readonly TextField[]> => {
  const some = (field: string, count: number): fc.Arbitrary<TextField[]> =>
    fc.tuple(
      ...Array.from({ length: count }, (_, at) =>
        valueOf(field).map((text) => ({ field: field.replace('N', String(at)), text })),
      ),
    )
  // As many labels as addresses.
  const fields = Object.keys(form.parts).filter((field) => !field.startsWith('button'))
  const buttons =
    'button.N.url' in form.parts
      ? fc
          .integer({ min: 0, max: 2 })
          .chain((count) =>
            fc.tuple(some('button.N.label', count), some('button.N.url', count)).map((both) => both.flat()),
          )
      : fc.constant([])
  return fc
    .tuple(buttons, ...fields.map((field) => amount(form, field).chain((count) => some(field, count))))
    .map((all) => all.flat())
}

const fileOf = fc.record({
  name: fc.constantFrom('a.txt', 'b.png', 'c'),
  type: fc.constantFrom('text/plain', 'image/png'),
  bytes: fc.uint8Array({ maxLength: 40 }),
})

const honest: fc.Arbitrary<RandomPush> = fc.constantFrom(...PUSH_TYPES).chain((type) => {
  const form: PushForm = FORMS[type]
  const text = form.text === 'none' ? fc.constant('') : type === 'reaction' ? fc.constant('👍') : words
  const [least, most] = form.files
  return fc
    .record({
      text,
      parts: partsOf(form),
      files: fc.array(fileOf, { minLength: least, maxLength: Math.min(most, 3) }),
    })
    .chain((push) =>
      fc
        .array(
          fc.record({
            type: fc.constantFrom(...MARK_TYPES.filter((one) => one !== 'link')),
            offset: fc.nat(Math.max(0, push.text.length - 1)),
          }),
          { maxLength: push.text === '' ? 0 : 3 },
        )
        .map((marks) => ({
          type,
          ...push,
          marks: [
            ...marks.map((mark) => ({ ...mark, length: 1 })),
            ...(push.text !== '' && push.parts.some(({ field }) => field === 'link.0')
              ? [{ type: 'link' as const, offset: 0, length: 1, field: 'link.0' }]
              : []),
          ],
        })),
    )
})

/**
 * The same push with the canary in one of its texts, names or files; undefined where that one has no room for
 * it.
 */
const poisoned = (push: RandomPush, at: number): RandomPush | undefined => {
  const { text, parts, files, type } = push
  const into = (old: string): string => (/^https?:/.test(old) ? `${old}?${canary}` : `${old} ${canary}`)
  const places: readonly (() => RandomPush)[] = [
    ...(FORMS[type].text === 'none' || type === 'reaction' ? [] : [() => ({ ...push, text: into(text) })]),
    ...parts.flatMap(({ field }, index) =>
      field.endsWith('itude')
        ? []
        : [
            () => ({
              ...push,
              parts: parts.map((part, other) => (other === index ? { field, text: into(part.text) } : part)),
            }),
          ],
    ),
    ...files.flatMap((_, index) => [
      () => ({
        ...push,
        files: files.map((file, other) => (other === index ? { ...file, name: `${canary}.txt` } : file)),
      }),
      () => ({
        ...push,
        files: files.map((file, other) =>
          other === index ? { ...file, bytes: Buffer.concat([file.bytes, Buffer.from(canary)]) } : file,
        ),
      }),
    ]),
  ]
  return places[at % Math.max(1, places.length)]?.()
}

/** A push, and the same with the canary somewhere in it. */
export const pushes: fc.Arbitrary<{
  readonly honest: RandomPush
  readonly poisoned: RandomPush | undefined
}> = fc.tuple(honest, fc.nat(200)).map(([push, at]) => ({ honest: push, poisoned: poisoned(push, at) }))
