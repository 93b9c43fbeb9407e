import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { sniff, unknownType } from '../../../../bots/web/http/sniff.ts'
import { gif, jpeg, png, webp } from '../pictures.ts'
import { tries } from '../../../tries.ts'

const unknown = { type: unknownType }

test.for([
  ['png', png(3, 2), 'image/png'],
  ['jpeg', jpeg(3, 2), 'image/jpeg'],
  ['gif', gif(3, 2), 'image/gif'],
  ...webp(3, 2).map((bytes) => ['webp', bytes, 'image/webp'] as const),
] as const)('a picture is known by its bytes, with its size: %s', ([, bytes, type]) => {
  expect(sniff(bytes)).toEqual({ type, width: 3, height: 2 })
})

test('what a browser could run, and what only begins like a picture, is something to save', () => {
  for (const text of [
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    '<!doctype html>',
    '%PDF-1.7',
    'MZ',
    '',
    'GIF',
    '\u0089PNG',
  ])
    expect(sniff(Buffer.from(text, 'latin1'))).toEqual(unknown)
  for (const whole of [png(3, 2), jpeg(3, 2), gif(3, 2), ...webp(3, 2)])
    expect(sniff(whole.subarray(0, 12)).width).toBeUndefined()
})

test('a picture that would fill a browser’s memory, or has no size, is none', () => {
  for (const [width, height] of [
    [60_000, 60_000],
    [0, 5],
    [5, 0],
  ] as const) {
    for (const bytes of [png(width, height), jpeg(width, height), gif(width, height)])
      expect(sniff(bytes)).toEqual(unknown)
  }
  expect(sniff(png(8000, 6000))).toMatchObject({ width: 8000 })
})

test('sounds are known by their bytes', () => {
  const begins = {
    'audio/ogg': 'OggS',
    'audio/mpeg': 'ID3\u0004',
    'audio/wav': 'RIFF....WAVE',
    'audio/flac': 'fLaC',
    'audio/mp4': '....ftypM4A ',
    'audio/webm': '\u001aE\u00df\u00a3',
  }
  for (const [type, begin] of Object.entries(begins))
    expect(sniff(Buffer.from(begin.padEnd(40), 'latin1'))).toEqual({ type })
})

test('whatever the bytes are, an answer comes', () => {
  const begins = fc
    .constantFrom(png(3, 2), jpeg(3, 2), gif(3, 2), ...webp(3, 2))
    .chain((bytes) =>
      fc
        .tuple(fc.nat({ max: bytes.length }), fc.uint8Array({ maxLength: 60 }))
        .map(([at, rest]) => Buffer.concat([bytes.subarray(0, at), rest])),
    )
  fc.assert(
    fc.property(begins, (bytes) => void sniff(bytes)),
    { numRuns: tries(5000) },
  )
  expect(sniff(Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(1024 * 1024, 0xff)]))).toEqual(unknown)
})
