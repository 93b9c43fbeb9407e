import { expect, test } from 'vitest'
import { createAnnouncer, type AnnouncePorts } from '../../../src/commands/cards/announce.ts'
import { createCardButtons } from '../../../src/commands/cards/card-buttons.ts'
import type { ListedHook } from '../../../src/shared/gate/catalogue.ts'
import { noticeOf, type Notice } from '../../../src/core/model/chat/notice.ts'
import { proseText } from '../../../src/core/model/chat/prose.ts'
import { anEntry } from '../../core/gatekeeper/gate-fixture.ts'

const row = (command: string, over: Partial<ListedHook> = {}): ListedHook => ({
  status: 'waiting',
  event: 'on_stop',
  command,
  proposed: command,
  unsealed: [],
  files: [],
  ...over,
})

const rows = (count: number, from = 0): readonly ListedHook[] =>
  Array.from({ length: count }, (_, index) => row(`./${from + index}.sh`))

const broken = {
  code: 'yaml.syntax',
  file: 'config/shell_hooks.yaml',
  line: 3,
  message: 'Expected YAML.',
  fix: 'Correct it.',
}

const hourMs = 3_600_000

const begin = (over: Partial<AnnouncePorts> = {}, kept: string | undefined = '') => {
  const state: { kept: string | undefined; begun: number; told: string[]; notices: Notice[]; nowMs: number } =
    {
      kept,
      begun: 0,
      told: [],
      notices: [],
      nowMs: 1,
    }
  const timers: { atMs: number; run(): void }[] = []
  let minted = 0
  const cardButtons = createCardButtons({
    gate: () => ({
      isOn: true,
      isForcedOn: false,
      revision: 1,
      people: [{ role: 'owner', id: 'memory:mia', chat_id: 'mia' }],
    }),
    evidenceOf: () => undefined,
    world: { home: '/gate/hooks/home', tmp: '/gate/hooks/tmp', tmpdir: '/tmp' },
    handle: () => 'k7f2q',
    proposedBytes: () => undefined,
    shownBefore: undefined,
    rememberShown: async () => undefined,
    sealedBytes: () => undefined,
    approved: () => undefined,
    shipped: () => [],
    hasButtons: () => true,
    takesFiles: () => false,
    mint: ({ owner, chat, act, fingerprint }) => `${owner} ${chat} ${act} ${fingerprint} ${++minted}`,
  })
  const announcer = createAnnouncer({
    recall: () => Promise.resolve(state.kept),
    remember: (keys) => {
      state.kept = keys
      return Promise.resolve()
    },
    tellOwners: (said) => {
      const notice = noticeOf(typeof said === 'function' ? said({ channel: 'memory', chat_id: 'mia' }) : said)
      state.notices.push(notice)
      state.told.push(proseText(notice.text))
    },
    begun: () => void (state.begun += 1),
    cardButtons,
    after: (delayMs, run) => void timers.push({ atMs: state.nowMs + delayMs, run }),
    now: () => state.nowMs,
    ...over,
  })
  return {
    announce: announcer.announce,
    answered: announcer.answered,
    state,
    later: async (ms: number) => {
      state.nowMs += ms
      for (const { run } of timers.splice(0).filter(({ atMs }) => atMs <= state.nowMs)) run()
      await new Promise((done) => setImmediate(done))
    },
  }
}

const heads = (told: readonly string[]): readonly string[] =>
  told.map((text) => text.split('\n').slice(0, 3).join('|'))

test('what is new in the files comes as a card with buttons, once, also across restarts', async () => {
  const first = begin()
  await first.announce(
    [row('./a.sh'), row('./b.sh', { event: 'pre_tool_call', entry: anEntry() })],
    undefined,
  )
  await first.announce(
    [row('./a.sh'), row('./b.sh', { event: 'pre_tool_call', entry: anEntry() })],
    undefined,
  )
  expect(heads(first.state.told)).toEqual([
    'A hook waits for you:|k7f2q ✗ NOT approved|./a.sh',
    'A hook waits for you:|k7f2q ✗ NOT approved|./hooks/guard.sh',
  ])
  expect(first.state.notices[1]?.buttons?.map((line) => line.map(({ label }) => label))).toEqual([
    ['Details', 'Try'],
    ['Not now'],
  ])
  expect(first.state.notices[0]?.buttons?.[0]?.[0]?.press).toMatch(/^memory:mia mia show \.\/a\.sh /)
  const second = begin({}, first.state.kept)
  await second.announce(
    [row('./a.sh'), row('./b.sh'), row('./c.sh', { status: 'changed', live: 'old' })],
    undefined,
  )
  expect(second.state.told).toHaveLength(1)
  expect(second.state.told[0]).toContain(
    'A changed hook waits for you:\nk7f2q changed since approval\n./c.sh\nthe approved version keeps running',
  )
})

test('what a first start brings along is told on the console only', async () => {
  const { announce, state } = begin({ recall: () => Promise.resolve(undefined) })
  await announce([row('./a.sh')], undefined)
  await announce([row('./a.sh'), row('./b.sh')], undefined)
  expect(heads(state.told)).toEqual(['A hook waits for you:|k7f2q ✗ NOT approved|./b.sh'])
  expect(state.begun).toBe(1)
  const later = begin({}, state.kept)
  await later.announce([row('./a.sh')], undefined)
  expect(later.state.begun).toBe(0)
})

test('more than three at once are one notice, named up to five, with the way to their cards', async () => {
  const { announce, state } = begin()
  const entry = anEntry({
    event: 'on_stop',
    command: 'true;\nfalse',
    shell: 'sh',
    origin: '.claude/settings.json',
  })
  await announce(
    [
      row('true;\nfalse', { entry, under: 'sh', status: 'changed', live: 'old', isStopped: true }),
      ...rows(8),
    ],
    undefined,
  )
  expect(state.told).toEqual([
    '9 hooks wait for you:\non_stop\n  sh: true; false\n  from .claude/settings.json\n  changed since approval; it stopped, because a file it uses changed\non_stop\n  ./0.sh\non_stop\n  ./1.sh\non_stop\n  ./2.sh\non_stop\n  ./3.sh\n… and 4 more\n→ /hooks pending',
  ])
  expect(state.notices[0]?.buttons?.flat().map(({ label }) => label)).toEqual(['Show pending'])
})

test('an invalid entry and a broken file are told with what is wrong', async () => {
  const { announce, state } = begin()
  await announce(
    [
      row('./a.sh', {
        status: 'invalid',
        problem: {
          code: 'entry.event',
          file: 'f.yaml',
          line: 2,
          message: 'Expected an event.',
          fix: 'Correct it.',
        },
      }),
    ],
    broken,
  )
  await announce([], broken)
  await announce([], undefined)
  await announce([], undefined)
  expect(state.told).toEqual([
    '⚠ config/shell_hooks.yaml:3: Expected YAML. Correct it.',
    '⚠ f.yaml:2: Expected an event. Correct it.',
    'config/shell_hooks.yaml can be read again.',
  ])
})

test('the faults of one file are one notice, however many they are', async () => {
  const faults = (file: string, count: number): readonly ListedHook[] =>
    Array.from({ length: count }, (_, index) =>
      row(`./${file}-${index}`, {
        status: 'invalid',
        problem: {
          code: 'entry.event',
          file,
          line: index + 1,
          message: 'Expected an event.',
          fix: 'Correct it.',
        },
      }),
    )
  const { announce, state } = begin()
  await announce([...faults('a.yaml', 14), ...faults('b.yaml', 2)], undefined)
  expect(state.told).toEqual([
    '⚠ 14 entries of a.yaml cannot be read:\na.yaml:1: Expected an event. Correct it.\na.yaml:2: Expected an event. Correct it.\na.yaml:3: Expected an event. Correct it.\n… and 11 more entries that cannot be read\n→ /hooks',
    '⚠ 2 entries of b.yaml cannot be read:\nb.yaml:1: Expected an event. Correct it.\nb.yaml:2: Expected an event. Correct it.\n→ /hooks',
  ])
})

test('many entries that cannot be read are one notice, and what waits for a yes is told apart from them', async () => {
  const abouts: string[] = []
  const { announce, state } = begin({
    tellOwners: (said, about) => {
      const notice = noticeOf(typeof said === 'function' ? said({ channel: 'memory', chat_id: 'mia' }) : said)
      abouts.push(`${about}: ${proseText(notice.text).split('\n').at(-1)}`)
    },
  })
  const invalid = Array.from({ length: 50 }, (_, line) =>
    row(`./${line}`, { status: 'invalid', problem: { ...broken, line } }),
  )
  await announce([...invalid, row('./a.sh')], undefined)
  expect(abouts).toHaveLength(2)
  expect(abouts[0]).toMatch(/^proposals: /)
  expect(abouts[1]).toBe('files: → /hooks')
  expect(state.kept?.split('\n').length).toBeGreaterThan(50)
})

test('a store that keeps nothing silences nothing', async () => {
  const { announce, state } = begin({ remember: () => Promise.reject(new Error('no space left')) })
  await announce([row('./a.sh')], undefined)
  expect(state.told).toHaveLength(1)
})

test('what an owner said not now to is not told again with other bytes, also after a restart, until it was approved', async () => {
  const entry = anEntry({ event: 'on_stop' })
  const version = (proposed: string): ListedHook => row('./a.sh', { proposed, entry })
  const first = begin()
  await first.announce([version('one')], undefined)
  first.answered(version('one'), false)
  await first.announce([version('two')], undefined)
  expect(first.state.told).toHaveLength(1)
  const second = begin({}, first.state.kept)
  await second.announce([version('three')], undefined)
  expect(second.state.told).toEqual([])
  second.answered(version('three'), true)
  await second.announce([version('four')], undefined)
  expect(second.state.told).toHaveLength(1)
})

test('after ten in an hour what is new is told together when the hour is over, and that is said', async () => {
  const { announce, state, later } = begin()
  for (let count = 1; count <= 11; count++) await announce(rows(count), undefined)
  expect(state.told).toHaveLength(11)
  expect(state.told[10]).toBe(
    '1 hook waits for you:\non_stop\n  ./10.sh\n→ /hooks pending\nMany hooks were proposed within an hour. For the next hour, new ones come together in one message.',
  )
  for (let count = 12; count <= 40; count++) await announce(rows(count), undefined)
  expect(state.told).toHaveLength(11)
  await later(hourMs)
  expect(state.told).toHaveLength(12)
  expect(state.told[11]).toMatch(/^29 hooks wait for you:\n/)
})

test('what was kept back is told after a restart', async () => {
  const first = begin()
  await first.announce(rows(11), undefined)
  await first.announce(rows(12), undefined)
  expect(first.state.told).toHaveLength(1)
  const second = begin({}, first.state.kept)
  await second.announce(rows(12), undefined)
  expect(heads(second.state.told)).toEqual(['A hook waits for you:|k7f2q ✗ NOT approved|./11.sh'])
})

test('that an approved file changed is told whatever is kept back, the first time', async () => {
  const { announce, state } = begin()
  await announce(rows(11), undefined)
  const drift = (proposed: string): ListedHook =>
    row('./guard.sh', { status: 'changed', live: 'approved', proposed })
  await announce([...rows(30), drift('one')], undefined)
  await announce([...rows(30), drift('two')], undefined)
  expect(state.told).toHaveLength(2)
  expect(state.told[1]).toContain('./guard.sh')
})

test('three not nows in a row make it quiet for an hour; a yes between them does not', async () => {
  const { announce, answered, state, later } = begin()
  await announce([], undefined)
  expect([row('a'), row('b')].map((one) => answered(one, false).isQuiet)).toEqual([false, false])
  answered(row('c'), true)
  expect([row('d'), row('e'), row('f')].map((one) => answered(one, false).isQuiet)).toEqual([
    false,
    false,
    true,
  ])
  await announce([row('./x.sh')], undefined)
  expect(state.told).toEqual([])
  await later(hourMs)
  expect(state.told).toEqual(['1 hook waits for you:\non_stop\n  ./x.sh\n→ /hooks pending'])
  await announce([row('./x.sh'), row('./y.sh')], undefined)
  expect(heads(state.told.slice(1))).toEqual(['A hook waits for you:|k7f2q ✗ NOT approved|./y.sh'])
})
