import { expect, test } from 'vitest'
import { worldFindings } from '../../src/doctor/world-check.ts'
import { proseText } from '../../src/core/model/chat/prose.ts'

const places = { home: '/gate/hooks/home', tmp: '/gate/hooks/tmp', tmpdir: '/tmp' }
const said = (world: Parameters<typeof worldFindings>[0]): readonly string[] =>
  worldFindings(world).map(({ text }) => proseText(text))

test("doctor names where hooks write, and each folder of the person's PATH that they do without, with the reason", () => {
  expect(said({ ...places, leftOut: [] })).toEqual([
    'Hooks store lasting files in /gate/hooks/home (their HOME). Files that they write to /tmp are stored in /gate/hooks/tmp and last, too.',
  ])
  expect(
    said({
      ...places,
      tmpdir: places.tmp,
      leftOut: [{ folder: '/home/ada/bin', why: 'an agent can write' }],
    }),
  ).toEqual([
    'Hooks store lasting files in /gate/hooks/home (their HOME) and temporary files in /gate/hooks/tmp (their TMPDIR); /tmp is the machine’s own.',
    'Hooks find no programs in /home/ada/bin (an agent can write).',
  ])
  const many = Array.from({ length: 7 }, (_, index) => ({
    folder: `/bin${index}`,
    why: 'an agent can write',
  }))
  expect(said({ ...places, leftOut: many })[1]).toBe(
    'Hooks find no programs in /bin0, /bin1, /bin2, /bin3, /bin4 (an agent can write), and 2 more.',
  )
})
