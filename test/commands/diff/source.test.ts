import { afterEach, beforeEach, expect, test } from 'vitest'
import { preferencesOf } from '../../../src/commands/cards/preferences.ts'
import { sourceOf } from '../../../src/commands/diff/source.ts'
import { createBridgeService, me, type BridgeService } from '../rig.ts'

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService(
    'hooks:\n  - {event: on_stop, command: ./x.sh, name: Short name, description: It says nothing., files: [./data]}\n',
  )
  desk.fixture.write('x.sh', '#!/bin/sh\nexit 0\n')
  desk.fixture.write('data', '\u007fELF\0\u0001\u0002')
})
afterEach(() => desk.stop())

const page = { channel: 'web', chat_id: '7' }
const row = () => {
  const [first] = preferencesOf(desk.ports, me, page).rows
  if (first === undefined) throw new Error('Expected a row.')
  return first
}
const source = (handle = row().handle, owner = me) => sourceOf(desk.ports, owner, page, handle)

test('a row bears the name and the description of its file, the description once', () => {
  expect(row()).toMatchObject({ name: 'Short name', description: 'It says nothing.', hasFiles: true })
  expect(row().details.join('\n')).not.toContain('It says nothing.')
})

test('before the approval the files are shown as they are now, whole; a binary one is named and not shown', async () => {
  expect(await source()).toEqual({
    from: 'proposed',
    difference: [],
    files: [
      {
        path: 'x.sh',
        bytes: 17,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        text: '#!/bin/sh\nexit 0\n',
      },
      { path: 'data', bytes: 7, sha256: expect.any(String), why: 'binary' },
    ],
  })
})

test('after the approval and a change, the difference comes with the new files; a revert shows the sealed ones', async () => {
  await desk.say(`/hooks approve ${row().handle}`)
  desk.fixture.write('x.sh', '#!/bin/sh\nexit 2\n')
  expect(row()).toMatchObject({ isChanged: true, canApprove: true, isApproved: true })
  const changed = await source()
  expect(changed?.difference.join('\n')).toMatch(/│ -exit 0[^]*│ \+exit 2/)
  expect(changed?.files[0]?.text).toBe('#!/bin/sh\nexit 2\n')
  desk.propose('hooks: []\n')
  expect(await source()).toMatchObject({
    from: 'sealed',
    difference: [],
    files: [{ text: '#!/bin/sh\nexit 0\n' }, { why: 'binary' }],
  })
})

test('a file of ten megabytes is shown by its beginning, with what is left', async () => {
  desk.fixture.write('x.sh', `#!/bin/sh\n${'# long\n'.repeat(1_400_000)}`)
  const [file] = (await source())?.files ?? []
  expect(file?.text).toHaveLength(200_000)
  expect((file?.leftUnits ?? 0) + 200_000).toBe(file?.bytes)
})

test('a handle of somebody else, of nothing, or of a hook that changed shows nothing', async () => {
  const { handle } = row()
  expect(await source(handle, 'telegram:8')).toBeUndefined()
  expect(await source('k7f2q')).toBeUndefined()
  desk.fixture.write('x.sh', '#!/bin/sh\nexit 1\n')
  expect(await source(handle)).toBeUndefined()
})
