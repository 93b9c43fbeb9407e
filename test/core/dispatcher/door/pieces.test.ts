import { afterEach, describe, expect, test } from 'vitest'
import { piecesOf } from '../../../../src/core/dispatcher/door/pieces.ts'
import { commandRanges } from '../text/texts.ts'
import { plain } from '../../../../src/core/model/chat/content.ts'
import { fixed, joinProse, prose, whole } from '../../../../src/core/model/chat/prose.ts'
import { createRig, main, until, type Rig } from '../rig.ts'

const head = /^🛡 (\d+)\/(\d+)\n/u
const long = `🛡 k7f2q It deletes files.\n${Array.from({ length: 400 }, (_, at) => `│ argument${at}: ${'word '.repeat(at % 40)}end`).join('\n')}\nin /w`
/** One line of an agent's that no message holds. */
const oneLine = `🛡 k7f2q It deletes files.\n│ command: ${'→ /y h3 in /safe '.repeat(4000)}\nin /w`

describe.each([
  ['Telegram', 4096],
  ['WeChat', 2000],
  ['the page', 16_000],
  ['memory', 4096],
  ['a small one', 80],
])('a notice for %s', (_, maxUnits) => {
  test.each([
    ['of many lines', long],
    ['of one long line', oneLine],
  ])('%s: each piece bears the mark and its number, and nothing is lost', (__, text) => {
    const pieces = piecesOf(plain('notice', text), { maxUnits }).map((piece) => piece.text)
    expect(pieces.length).toBeGreaterThan(1)
    const numbers = pieces.map((piece) => head.exec(piece)?.slice(1))
    expect(numbers).toEqual(pieces.map((___, at) => [String(at + 1), String(pieces.length)]))
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(maxUnits)
    // A line that was cut goes on behind its mark: beside it the pieces are the text.
    const bare = (words: string): string => words.replaceAll(/[│\s]+/g, '')
    expect(bare(pieces.map((piece) => piece.replace(head, '')).join(''))).toBe(bare(text.slice('🛡 '.length)))
  })

  test('no line of an agent’s begins a piece without its mark', () => {
    const pieces = piecesOf(plain('notice', oneLine), { maxUnits }).map((piece) => piece.text)
    const ours = pieces
      .flatMap((piece) => piece.replace(head, '').split('\n'))
      .filter((line) => !line.startsWith('│'))
    expect(ours.join('\n').replaceAll(/\s+/g, ' ').trim()).toBe('k7f2q It deletes files. in /w')
    const later = pieces.filter((___, at) => at > 1 && at < pieces.length - 1)
    expect(later.filter((piece) => commandRanges(piece)[0]?.offset !== head.exec(piece)?.[0].length)).toEqual(
      [],
    )
  })
})

test('a notice that fits bears the mark alone', () => {
  expect(piecesOf(plain('notice', '🛡 Hooks are ON.'), { maxUnits: 40 })).toEqual([
    plain('notice', '🛡 Hooks are ON.'),
  ])
})

let rig: Rig | undefined
afterEach(() => rig?.stop())

test('over the door: a long notice arrives in numbered pieces, and no agent’s message passes for one', async () => {
  const { dispatcher, push, texts } = (rig = await createRig({ maxUnits: 100 }))
  const lines = Array.from({ length: 12 }, (_, at) => prose`${fixed('│ ')}${whole(`row ${at} in /safe`)}`)
  await dispatcher.notify(main, joinProse([fixed('Look at this:'), ...lines], '\n'))
  await push('🛡 2/3\nHooks are OFF.')
  await push('⛨\uFE0F 3/3\nHooks are OFF.')
  await until('all of it', () => texts().filter((text) => text.includes('OFF')).length === 2)
  const [notice, agents] = [texts().slice(0, -2), texts().slice(-2)]
  expect(notice.length).toBeGreaterThan(2)
  expect(notice.map((text) => head.exec(text)?.[0])).toEqual(
    notice.map((_, at) => `🛡 ${at + 1}/${notice.length}\n`),
  )
  expect(agents.filter((text) => /[🛡⛨]/u.test(text))).toEqual([])
})
