import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  chainOf,
  formatLine,
  readUnverified,
  verifyLedger as verifyBytes,
} from '../../../../src/core/gatekeeper/ledger/lines.ts'
import { genesis, key, owner, write } from '../ledger-text.ts'

const verifyLedger = (ledger: string | Buffer, by: Buffer) => verifyBytes(Buffer.from(ledger), by)
const text = write([
  genesis,
  owner('telegram:1'),
  { act: 'off', by: 'telegram:7', data: {} },
  owner('telegram:2'),
])
const lines = text.trimEnd().split('\n')

test('a whole ledger verifies, and an empty one does', () => {
  expect(verifyLedger(text, key)).toMatchObject({
    entries: [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }],
    tornBytes: 0,
  })
  expect(verifyLedger('', key)).toEqual({ entries: [], heads: [], goodBytes: 0, tornBytes: 0 })
})

test('cut at any byte, the whole lines count and the rest is torn', () => {
  const bytes = Buffer.from(text)
  for (let length = 0; length < bytes.length; length++) {
    const cut = bytes.subarray(0, length)
    const { entries, problem, tornBytes } = verifyLedger(cut, key)
    const whole = cut.toString('latin1').split('\n').length - 1
    expect(problem).toBeUndefined()
    expect(entries).toHaveLength(whole)
    expect(tornBytes > 0).toBe(length > 0 && bytes[length - 1] !== 10)
  }
})

test('one changed character anywhere in the first lines is a problem at that line', () => {
  const last = text.lastIndexOf('\n', text.length - 2)
  for (let at = 0; at < last; at += 3) {
    if (text[at] === '\n') continue
    const changed = `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`
    const { entries, problem } = verifyLedger(changed, key)
    const line = text.slice(0, at).split('\n').length
    expect(entries).toHaveLength(line - 1)
    expect(problem).toContain(`line ${line} `)
  }
})

test('a dropped, doubled or swapped line is a problem', () => {
  const join = (some: readonly (string | undefined)[]): string => some.map((line) => `${line}\n`).join('')
  const [a, b, c, d] = lines
  expect(verifyLedger(join([b, c, d]), key).problem).toBeDefined()
  for (const some of [
    [a, c, d],
    [a, b, d],
    [a, a, b],
    [a, b, b],
    [b, a, c, d],
    [a, c, b, d],
    [a, b, d, c],
    [a, '', b],
  ]) {
    expect(verifyLedger(join(some), key)).toMatchObject({
      problem: expect.any(String),
      tornBytes: expect.any(Number),
    })
  }
})

test('lines of another key, another ledger and valid JSON without a signature are problems', () => {
  const other = write([genesis, owner('telegram:9')]).split('\n')
  expect(verifyLedger(text, randomBytes(32)).problem).toBe('line 1 has a wrong signature')
  expect(verifyLedger(`${lines[0]}\n${lines[1]}\n${other[1]}\n`, key).problem).toContain('line 3')
  for (const odd of ['{}', 'null', '[]', '"x"', '{"n":5,"at":"","act":"off","by":"","data":{}}']) {
    expect(verifyLedger(`${text}${odd}\n`, key).problem).toContain('line 5')
  }
})

test('a line that was signed for another place is a problem, even with the right number or the right chain', () => {
  const twin = write([genesis, owner('telegram:9'), owner('telegram:10')]).split('\n')
  expect(verifyLedger(`${lines[0]}\n${lines[1]}\n${twin[2]}\n`, key).problem).toBe(
    'line 3 does not follow the line before it',
  )
  const misnumbered = formatLine(7, '', owner('telegram:9'), chainOf(lines[3] ?? ''), key)
  expect(verifyLedger(`${text}${misnumbered}\n`, key).problem).toBe('line 5 has the number 7')
})

test('a last line that is no JSON is torn, and the same in the middle is a problem', () => {
  expect(verifyLedger(`${text}{"n":5,"at"\n`, key)).toMatchObject({ entries: { length: 4 }, tornBytes: 12 })
  expect(verifyLedger(`${lines[0]}\n{"n":2\n${lines[1]}\n`, key).problem).toContain('line 2')
})

test('no other bytes pass for the same ledger, though they decode to the same text', () => {
  const odd = write([genesis, { act: 'off', by: 'telegram:7\uFFFD', data: {} }])
  expect(verifyLedger(odd, key).problem).toBeUndefined()
  const bytes = Buffer.from(odd)
  bytes.set([0xf0, 0x9f, 0x98], bytes.indexOf('\uFFFD'))
  expect(bytes.toString('utf8')).toBe(odd)
  expect(verifyLedger(bytes, key).problem).toBe('line 2 has a wrong signature')
})

test('what stands behind damage is read as far as it goes, and whether it was signed', () => {
  const [a = '', b = '', c = '', d = ''] = lines
  const rest = Buffer.from(
    `${a}\n${b.replace('telegram:1', 'telegram:3')}\nnothing\n${c}\n{"n":9}\n${d.slice(0, 20)}`,
  )
  expect(readUnverified(rest, key)).toMatchObject({
    unverified: [
      { n: 1, isSigned: true },
      { n: 2, isSigned: false, data: { id: 'telegram:3' } },
      { n: 3, act: 'off', isSigned: true },
    ],
    unread: 3,
  })
  expect(readUnverified(Buffer.alloc(0), key)).toEqual({ unverified: [], unread: 0 })
})
