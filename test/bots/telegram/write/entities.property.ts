import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { entitiesOf } from '../../../../bots/telegram/write/entities.ts'
import { MARK_TYPES, type Mark } from '../../../../src/core/model/chat/content.ts'
import { refuseText, shownEntities } from '../../../fixtures/bot-api/text.ts'
import { tries } from '../../../tries.ts'
import { outgoingOf } from '../outgoing-of.ts'

const pieces = fc.constantFrom(
  'word ',
  '/hooks on',
  '/x ',
  '😀',
  '\n',
  '→ /hooks approve abc',
  ' ',
  'https://t.me/bot?start=x ',
  './a/b ',
  '  │ /hooks\n',
  '：/new',
  '🛡',
)
const textOf = fc.array(pieces, { minLength: 1, maxLength: 40 }).map((list) => list.join(''))
const marksOf = (text: string) =>
  fc.array(
    fc.tuple(fc.constantFrom(...MARK_TYPES), fc.nat(), fc.nat()).map(([type, a, b]): Mark => {
      const offset = a % text.length
      return {
        type,
        offset,
        length: 1 + (b % (text.length - offset)),
        ...(type === 'link' ? { field: 'link.0' } : {}),
      }
    }),
    { maxLength: 60 },
  )

test('whatever an agent marks, no command becomes tappable, nothing is underlined, and Telegram takes it', () => {
  fc.assert(
    fc.property(
      textOf.chain((text) => fc.tuple(fc.constant(text), marksOf(text))),
      ([text, marks]) => {
        const entities = entitiesOf(
          outgoingOf(text, marks, [{ field: 'link.0', text: 'https://example.com/' }]),
        )
        expect(entities.length).toBeLessThanOrEqual(100)
        expect(entities.filter(({ type }) => type === 'underline' || type === 'bot_command')).toEqual([])
        if (text.trim() !== '') expect(refuseText(text, entities, undefined)).toBeUndefined()
        const bare = shownEntities(text, entitiesOf(outgoingOf(text, [])))
        const shown = shownEntities(text, entities)
        expect(shown.filter(({ type }) => type === 'bot_command')).toEqual(
          bare.filter(({ type }) => type === 'bot_command'),
        )
        const codeAt = (list: typeof shown): boolean[] =>
          Array.from(text, (_, at) =>
            list.some(
              ({ type, offset, length }) =>
                (type === 'code' || type === 'pre') && at >= offset && at < offset + length,
            ),
          )
        const now = codeAt(shown)
        for (const [at, wasCode] of codeAt(bare).entries()) if (wasCode) expect(now[at]).toBe(true)
      },
    ),
    { numRuns: tries(3000) },
  )
}, 120_000)
