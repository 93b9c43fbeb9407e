import { afterEach, expect, test } from 'vitest'
import { roomOf } from '../../../src/core/dispatcher/pushes/room.ts'
import { prose } from '../../../src/core/model/chat/prose.ts'
import { createRig, told, until, waitsFor, type Rig } from './rig.ts'

let rig: Rig | undefined
const begin = async (): Promise<Rig> => (rig = await createRig())
afterEach(async () => {
  await rig?.stop()
  rig = undefined
})

test('more than can wait is refused, whether it waits for the hooks or for the messenger', async () => {
  const { push, write, approve, on, memory } = await begin()
  await approve('on_outbound_message', waitsFor('go'), { matcher: { pattern: '^first$' } })
  await on()
  const most = roomOf.all.pushes
  const waiting = [
    push('first'),
    ...Array.from({ length: most - 1 }, (_, index) =>
      push(`text ${index}`, { chat_id: index < 900 ? 'main' : `chat ${index % 8}` }),
    ),
  ]
  expect(await push('one too many', { push_id: 'late', chat_id: 'other' })).toEqual({
    refused: 'full',
    message: 'Expected at most 5000 waiting messages with 32 MB of text and 250 MB of files, got more.',
    fix: 'Wait until some have been sent, then send it again.',
  })
  write('go', '')
  await Promise.all(waiting)
  // A request is answered after ten seconds, whatever a busy machine has sent by then.
  const arrived = (): number => memory.sent().filter(({ kind }) => kind === 'push').length
  await until('all of them to arrive', () => arrived() === most)
  expect(await push('one too many', { push_id: 'late', chat_id: 'other' })).toMatchObject({
    outcome: 'delivered',
  })
  expect(arrived()).toBe(most + 1)
}, 60_000)

test('a notice whose hooks are too late is judged as one, and says so once, with what to do', async () => {
  const rig = await begin()
  await rig.approve('on_outbound_message', 'sleep 20', { name: 'slow' })
  await rig.on()
  expect(await told(rig, prose`${'a.sh'} and\n${'b.sh'} and\n${'c.sh'}`)).toMatch(
    /^🛡 \[…\] and\n\[…\] and\n\[…\]\n⚠ \[…\]: left out, because \S.* did not judge this notice within 3 s\. Ask again when this machine has less to do, or turn hooks off and look:\n→ \/hooks off 15m$/,
  )
  expect(await rig.store.records({ limit: 9, kinds: ['notice'] })).toHaveLength(1)
})
