import { expect, test } from 'vitest'
import { proseText } from '../../src/core/model/chat/prose.ts'
import { narrowText } from '../../src/doctor/node-check.ts'
import { descriptorsFor, nodesFor } from '../../src/shared/nodes/room.ts'

test('a gate with too low a limit for its nodes says how many have room, and which limit fits', () => {
  expect(nodesFor(1024)).toBe(12)
  expect(narrowText(12, 1024)).toBeUndefined()
  const text = proseText(narrowText(13, 1024) ?? [])
  expect(text).toContain('13 machines are nodes, and this gate has room for 12 that work at the same time')
  expect(text).toContain(`it may open 1024 files. Others may be refused then. → Let it open 4039`)
  expect(narrowText(13, descriptorsFor(13))).toBeUndefined()
  expect(narrowText(1000, 20_000)).toBeUndefined()
})
