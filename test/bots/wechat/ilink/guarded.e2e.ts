import { expect, test } from 'vitest'
import { person } from '../../../fixtures/ilink/server.ts'
import { holdsSecret, pushAll } from '../../guarded.ts'
import { createRig } from './rig.ts'

test('WeChat: with block_secrets.py approved and on, no byte of a secret in any text, name or file of any form arrives', async () => {
  const made: { rig?: Awaited<ReturnType<typeof createRig>> } = {}
  await pushAll(500, async (isAdmitted) => {
    const rig = await createRig({ ports: { isAdmitted } })
    made.rig = rig
    return { channel: rig.channel, chat: person, ready: rig.goOn }
  })
  const { raw = [], sent = [] } = made.rig?.ilink ?? {}
  expect(sent.length).toBeGreaterThan(50)
  expect(raw.filter((body) => holdsSecret(String(body)))).toEqual([])
  // The files as the other side reads them, deciphered.
  expect(
    sent.filter(({ text, file }) =>
      holdsSecret(
        `${text} ${file?.name} ${file === undefined ? '' : Buffer.from(file.bytes).toString('latin1')}`,
      ),
    ),
  ).toEqual([])
}, 240_000)
