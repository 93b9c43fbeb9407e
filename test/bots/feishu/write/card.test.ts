import { expect, test } from 'vitest'
import { createRig, type Rig } from '../rig.ts'

const button = (label: string, press = label.toLowerCase()) => ({ label, press })
const notice = (rig: Rig, text: string, rest: object = {}) =>
  rig.channel.deliver(
    rig.outgoing(text, { kind: 'notice', outgoing_id: `${text} ${JSON.stringify(rest)}`, ...rest }),
  )
const idOf = (delivery: Awaited<ReturnType<typeof notice>>): string =>
  delivery.kind === 'delivered' ? (delivery.message_id ?? '') : ''
const update = 'PUT /open-apis/im/v1/messages/:message_id'
const patch = 'PATCH /open-apis/im/v1/messages/:message_id'

test('a notice with buttons is a card with its rows, and its text has no markup', async () => {
  const rig = await createRig()
  const text = '**not bold** <at id=all></at>\n[x](https://evil.example)'
  const buttons = [
    [button('Yes'), button('No')],
    [button('Show more')].map((one) => ({ ...one, press: 'm' })),
    [],
  ]
  expect(await notice(rig, text, { buttons })).toMatchObject({ kind: 'delivered' })
  const [card] = rig.server.sent()
  expect([card?.type, card?.text, card?.buttons]).toEqual([
    'interactive',
    text,
    [['Yes', 'No'], ['Show more']],
  ])
  expect(JSON.stringify(card?.content)).not.toMatch(/"markdown"|lark_md/)
  expect(card?.content).toMatchObject({ config: { update_multi: true } })
})

test('a card cannot be forwarded, so nobody taps it elsewhere', async () => {
  const rig = await createRig()
  await notice(rig, 'Approve?', { buttons: [[button('Yes')]] })
  expect(rig.server.sent()[0]?.content).toMatchObject({ config: { enable_forward: false } })
})

test('buttons without a label or with other data, and a push with buttons, are refused without a call', async () => {
  const rig = await createRig()
  for (const buttons of [
    [[button(' ')]],
    [[button('x', 'a b')]],
    [[button('x', 'a'.repeat(41))]],
    [[button('x', '')]],
  ])
    expect(await notice(rig, 'x', { buttons })).toMatchObject({ kind: 'failed' })
  for (const rest of [
    { buttons: [[button('x')]] },
    { replaces: 'om_1' },
    { isAnchor: true },
    { asksReply: true },
  ] as const)
    expect(await rig.channel.deliver(rig.outgoing('x', rest))).toMatchObject({ kind: 'failed' })
  expect(rig.server.calls()).toEqual([])
})

test('a card is replaced where it stands, also by one without buttons', async () => {
  const rig = await createRig()
  const replaces = idOf(await notice(rig, 'one', { buttons: [[button('Yes')]] }))
  expect(idOf(await notice(rig, 'two', { replaces, buttons: [[button('No')]] }))).toBe(replaces)
  expect(rig.server.sent().map(({ text, buttons }) => [text, buttons])).toEqual([['two', [['No']]]])
  expect(idOf(await notice(rig, 'three', { replaces }))).toBe(replaces)
  expect(rig.server.sent().map(({ text, buttons }) => [text, buttons])).toEqual([['three', []]])
  expect(rig.server.calls(update)).toEqual([])
})

test('a text is replaced where it stands, and by a new message when it gets buttons', async () => {
  const rig = await createRig()
  const replaces = idOf(await notice(rig, 'one'))
  expect(idOf(await notice(rig, 'two', { replaces }))).toBe(replaces)
  expect(rig.server.texts()).toEqual(['two'])
  const third = idOf(await notice(rig, 'three', { replaces, buttons: [[button('Yes')]] }))
  expect(third).not.toBe(replaces)
  expect(rig.server.texts()).toEqual(['two', 'three'])
})

test.each<[string, (rig: Rig, id: string) => void]>([
  ['was recalled', ({ server }, id) => server.recall(id)],
  ['is too old', ({ server }) => server.fail(patch, 1, { code: 230031 })],
  ['is of another bot', ({ server }) => server.fail(patch, 1, { code: 230012 })],
])('a notice that replaces a card that %s arrives as a new one', async (_, happens) => {
  const rig = await createRig()
  const replaces = idOf(await notice(rig, 'one', { buttons: [[button('Yes')]] }))
  happens(rig, replaces)
  const id = idOf(await notice(rig, 'two', { replaces, buttons: [[button('No')]] }))
  expect(id).not.toBe(replaces)
  expect(rig.server.texts().at(-1)).toBe('two')
})

test('a text that was changed 20 times is replaced by a new one', async () => {
  const rig = await createRig()
  let replaces = idOf(await notice(rig, 'n0'))
  const first = replaces
  for (let nth = 1; nth <= 21; nth++) replaces = idOf(await notice(rig, `n${nth}`, { replaces }))
  expect(replaces).not.toBe(first)
  expect(rig.server.texts()).toEqual(['n20', 'n21'])
})

test('what cannot be replaced at all is no id of Feishu and is not asked for', async () => {
  const rig = await createRig()
  expect(await notice(rig, 'x', { replaces: '../pins' })).toMatchObject({ kind: 'delivered' })
  expect([rig.server.calls(update), rig.server.calls(patch), rig.tripped]).toEqual([[], [], []])
})

test('a replacement whose answer was lost is made again, and a limit is waited for', async () => {
  const rig = await createRig()
  const replaces = idOf(await notice(rig, 'one', { buttons: [[button('Yes')]] }))
  rig.server.fail(patch, 1, 'cut_after')
  const two = { replaces, buttons: [[button('No')]] }
  expect((await notice(rig, 'two', two)).kind).toBe('retry')
  rig.server.fail(patch, 1, { code: 230020 })
  expect(await notice(rig, 'two', two)).toMatchObject({ kind: 'retry', isLimit: true })
  expect(idOf(await notice(rig, 'two', two))).toBe(replaces)
  expect(rig.server.texts()).toEqual(['two'])
})

test('the longest text with all its buttons is a card that Feishu takes', async () => {
  const rig = await createRig()
  const rows = Array.from({ length: 20 }, (_, row) => [
    button(`Row ${row} A`, `a${row}`),
    button(`Row ${row} B`, `b${row}`),
  ])
  for (const text of ['你'.repeat(4000), '"'.repeat(4000), `${'x'.repeat(99)}😀${'y'.repeat(3000)}`])
    expect(await notice(rig, text, { buttons: rows })).toMatchObject({ kind: 'delivered' })
})
