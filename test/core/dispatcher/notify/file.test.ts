import { afterEach, expect, test } from 'vitest'
import type { Notice } from '../../../../src/core/model/chat/notice.ts'
import { heading, prose } from '../../../../src/core/model/chat/prose.ts'
import { blocks, createRig, main, says, until, type Rig } from '../rig.ts'

let rig: Rig | undefined
const begin = async (): Promise<Rig> => (rig = await createRig())
afterEach(async () => {
  await rig?.stop()
  rig = undefined
})

const fileText = '#!/bin/sh\necho hunter2\n'
const notice = (text: string = fileText, handle = 'k7f2q'): Notice => ({
  text: [...heading(handle, 'is a hook.'), ...prose` It runs ${'./guard.sh'}.`],
  file: { name: 'guard.sh.txt', text, handle },
  buttons: [[{ label: 'Approve', press: 'a1' }]],
})

/** What of a notice arrived: its texts, and the texts of its files. */
const arrived = async ({ dispatcher, memory }: Rig, said: Notice, count: number) => {
  memory.forget()
  await dispatcher.notify(main, said)
  await until('the notice', () => memory.sent().length === count)
  const files = memory.sent().flatMap((outgoing) => outgoing.files)
  return {
    texts: memory.sent().map(({ text }) => text),
    files: await Promise.all(files.map(async (file) => [file.name, await file.text()])),
  }
}

test('the file beside a notice comes first, with the mark of a notice, and the buttons stay under the words', async () => {
  const rig = await begin()
  expect(await arrived(rig, notice(), 2)).toEqual({
    texts: ['🛡 k7f2q', '🛡 k7f2q is a hook. It runs ./guard.sh.'],
    files: [['guard.sh.txt', fileText]],
  })
  expect(
    rig.memory.sent().map(({ kind, type, buttons = [] }) => [kind, type, buttons.flat().length]),
  ).toEqual([
    ['notice', 'document', 0],
    ['notice', 'notice', 1],
  ])
})

test('nothing in the file is invisible, and its lines stay lines', async () => {
  expect((await arrived(await begin(), notice('a\u202Eb\n🛡 ON\n'), 2)).files).toEqual([
    ['guard.sh.txt', 'a\\u{202e}b\n ON\n'],
  ])
})

test('hooks judge the text of the file as they judge a quote: what they withhold does not leave in a file', async () => {
  const rig = await begin()
  await rig.approve('on_outbound_message', blocks('a secret'), {
    name: 'secrets',
    matcher: { pattern: 'hunter2' },
  })
  await rig.on()
  const handle = rig.gatekeeper.handles.mint({ owner: 'memory:owner', chat: 'main', fingerprint: 'f' })
  const { texts, files } = await arrived(rig, notice(fileText, handle), 1)
  expect(files).toEqual([])
  expect(texts[0]).toContain('It runs ./guard.sh.\n⚠ The file is left out: [withheld by secrets]')
  await until(
    'the mark',
    () =>
      rig.gatekeeper.handles.hiddenBy({ owner: 'memory:owner', chat: 'main', fingerprint: 'f' }) !==
      undefined,
  )
})

test('what a hook rewrote in the file is what leaves, and the notice says so', async () => {
  const rig = await begin()
  await rig.approve(
    'on_outbound_message',
    says({ parts: [{ field: 'quote.2', text: '#!/bin/sh\necho ****\n' }] }),
    { name: 'stars', matcher: { pattern: 'hunter2' } },
  )
  await rig.on()
  const { texts, files } = await arrived(rig, notice(), 2)
  expect(files).toEqual([['guard.sh.txt', '#!/bin/sh\necho ****\n']])
  expect(texts[1]).toContain('\n⚠ The file: [changed by stars]')
})

test('a messenger that refuses the file gets the words all the same, and they say so', async () => {
  const rig = await begin()
  rig.memory.fail({ kind: 'failed', why: 'no documents here' })
  expect(await arrived(rig, notice(), 2)).toEqual({
    texts: [
      '🛡 ⚠ The file of k7f2q could not be sent to this chat.',
      '🛡 k7f2q is a hook. It runs ./guard.sh.',
    ],
    files: [],
  })
})

test('a file is still beside a notice that waited while the gate was killed', async () => {
  const rig = await begin()
  rig.memory.fail({ kind: 'retry', afterMs: 60_000, why: 'no network' })
  await rig.dispatcher.notify(main, notice())
  await until('the first try', () => rig.memory.isHealed())
  await (await rig.restart()).restore()
  await until('the notice', () => rig.memory.sent().length === 2)
  expect(await rig.memory.sent()[0]?.files[0]?.text()).toBe(fileText)
})
