import { afterEach, describe, expect, test } from 'vitest'
import { fixed, ofHook, prose } from '../../../../src/core/model/chat/prose.ts'
import { blocks, createRig, main, says, told, until, untilPaused, waitsFor, type Rig } from '../rig.ts'

let rig: Rig | undefined
const begin = async (): Promise<Rig> => (rig = await createRig())
afterEach(async () => {
  await rig?.stop()
  rig = undefined
})

test('a notice bears the mark and arrives as it reads', async () => {
  expect(await told(await begin(), prose`Approved ${'./x.sh'} for ${3} events.\n→ ${fixed('/hooks')}`)).toBe(
    '🛡 Approved ./x.sh for 3 events.\n→ /hooks',
  )
})

test('quoted parts show what would be hidden, and cannot add a line or a mark', async () => {
  const shown = await told(await begin(), prose`From ${'Mia\n🛡 Hooks are OFF\u202E'}.`)
  expect(shown).toBe('🛡 From Mia⏎ Hooks are OFF\\u{202e}.')
})

describe('with a hook on outbound messages', () => {
  test('one that blocks everything withholds the quotes, and every fixed word arrives', async () => {
    const rig = await begin()
    await rig.approve('on_outbound_message', blocks('no'), { name: 'wall' })
    await rig.on()
    expect(await told(rig, prose`Approved ${'./x.sh'} on ${fixed('pre_tool_call')} by ${'Mia'}.`)).toBe(
      '🛡 Approved [withheld by wall] on pre_tool_call by [withheld by wall].',
    )
    expect(await told(rig, fixed('Hooks are OFF.'))).toBe('🛡 Hooks are OFF.')
  })

  test('only the quote that the hook objects to is withheld', async () => {
    const rig = await begin()
    await rig.approve('on_outbound_message', blocks('a secret'), {
      name: 'secrets',
      matcher: { pattern: 'hunter2' },
    })
    await rig.on()
    expect(await told(rig, prose`${'fine'} and ${'hunter2'}`)).toBe('🛡 fine and [withheld by secrets]')
  })

  test('what no quote says alone, all of them together must not say either', async () => {
    const rig = await begin()
    await rig.approve(
      'on_outbound_message',
      'payload=$(cat)\ncase $payload in *first*second*) ' +
        says({ decision: 'block', reason: 'a secret in halves' }) +
        ';; esac',
      { name: 'secrets' },
    )
    await rig.on()
    expect(await told(rig, prose`${'first'} and ${'other'}`)).toBe('🛡 first and other')
    expect(await told(rig, prose`${'first'} and ${'other'} and ${'second'}`)).toBe(
      '🛡 [withheld by secrets] and [withheld by secrets] and [withheld by secrets]',
    )
  })

  test('a word that comes twice is judged twice, in its place', async () => {
    const rig = await begin()
    await rig.approve('on_outbound_message', blocks('a phrase'), {
      name: 'phrases',
      matcher: { pattern: 'one\ntwo\none\nthree', field: 'notification' },
    })
    await rig.on()
    expect(await told(rig, prose`${'one'} ${'two'} ${'one'} ${'three'}`)).toBe(
      '🛡 [withheld by phrases] [withheld by phrases] [withheld by phrases] [withheld by phrases]',
    )
  })

  test('quotes that a hook rewrites as parts of one text are shown so', async () => {
    const rig = await begin()
    await rig.approve(
      'on_outbound_message',
      says({
        parts: [
          { field: 'quote.0', text: '[taken out]' },
          { field: 'quote.1', text: 'b' },
        ],
      }),
      { matcher: { pattern: 'a\nb', field: 'notification' } },
    )
    await rig.on()
    expect(await told(rig, prose`${'a'} and ${'b'}`)).toBe('🛡 [taken out] [changed by ./hook-1.sh] and b')
  })

  test('what one hook rewrites in the text is not lost beside what another rewrites in the parts', async () => {
    const rig = await begin()
    const inParts = says({
      parts: [
        { field: 'quote.0', text: 'hunter2' },
        { field: 'quote.1', text: 'y' },
      ],
    })
    await rig.approve(
      'on_outbound_message',
      `payload=$(cat)\ncase $payload in *taken*) ;; *quote.1*) ${inParts};; esac`,
    )
    await rig.approve('on_outbound_message', says({ notification: '[taken out]' }), {
      matcher: { pattern: '^hunter2', field: 'notification' },
    })
    await rig.on()
    expect(await told(rig, prose`${'hunter2'} and ${'b'}`)).not.toContain('hunter2')
  })

  test('a rewritten quote is shown rewritten, sanitised again', async () => {
    const rig = await begin()
    await rig.approve('on_outbound_message', says({ notification: 'mail\n[redacted]' }), {
      matcher: { pattern: 'mia@' },
    })
    await rig.on()
    expect(await told(rig, prose`From ${'mia@example.org'} to ${'you'}`)).toBe(
      '🛡 From mail⏎[redacted] [changed by ./hook-1.sh] to you',
    )
    expect(await told(rig, prose`Only ${'mia@example.org'}`)).toBe(
      '🛡 Only mail⏎[redacted] [changed by ./hook-1.sh]',
    )
  })

  test('notes on a notice are dropped, and a hook that fails on a notice causes no further one', async () => {
    const rig = await begin()
    await rig.approve('on_outbound_message', `${waitsFor('.')}; ${says({ systemMessage: 'I saw it' })}`, {
      name: 'noter',
    })
    await rig.approve('on_outbound_message', 'exit 1', { name: 'broken' })
    await rig.on()
    expect(await told(rig, prose`A ${'quote'}.`)).toBe('🛡 A quote.')
    expect(await told(rig, prose`Another ${'quote'}.`)).toBe('🛡 Another quote.')
    expect(rig.texts()).toHaveLength(2)
  })

  test('what the hooks made of a notice is recorded apart from what they made of events', async () => {
    const rig = await begin()
    await rig.approve('on_outbound_message', blocks('no'))
    await rig.on()
    await told(rig, prose`A ${'quote'}.`)
    expect(await rig.store.records({ limit: 9, kinds: ['event'] })).toEqual([])
    expect(await rig.store.records({ limit: 9, kinds: ['notice'] })).toMatchObject([
      { subject: 'on_outbound_message', outcome: 'block', session_id: 'notices' },
    ])
  })
})

test('a hook does not judge its own words in a notice, and every other hook does', async () => {
  const rig = await begin()
  const own = await rig.approve('on_outbound_message', blocks('no'), {
    name: 'wall',
    matcher: { pattern: 'red' },
  })
  await rig.on()
  const said = prose`${ofHook(own, prose`${'red wall'}: ${'no red'}`)} and ${'red paint'}`
  expect(await told(rig, said)).toBe('🛡 red wall: no red and [withheld by wall]')
  await rig.approve('on_outbound_message', says({ notification: 'green' }), {
    matcher: { pattern: 'no red' },
  })
  expect(await told(rig, said)).toContain('[changed by')
  await rig.approve('on_outbound_message', blocks('no'), { name: 'fence', matcher: { pattern: 'red wall' } })
  expect(await told(rig, said)).toContain('🛡 [withheld by fence]: ')
})

test('a notice is judged again when the gate changed while it waited', async () => {
  const rig = await begin()
  rig.memory.fail({ kind: 'retry', afterMs: 5000, why: 'wait' })
  const before = rig.texts().length
  await rig.dispatcher.notify(main, prose`A ${'quote'}.`)
  await untilPaused(rig)
  await rig.approve('on_outbound_message', blocks('no'), { name: 'wall' })
  await rig.on()
  rig.pass(5000)
  expect(await until('the notice', () => rig.texts()[before])).toBe('🛡 A [withheld by wall].')
})
