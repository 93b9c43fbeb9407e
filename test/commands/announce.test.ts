import { expect, test } from 'vitest'
import { createAnnouncer, type AnnouncePorts } from '../../src/commands/announce.ts'
import type { Row } from '../../src/model/catalogue.ts'
import { proseText } from '../../src/model/prose.ts'
import { anEntry } from '../gatekeeper/gate-fixture.ts'

const row = (command: string, over: Partial<Row> = {}): Row => ({ status: 'waiting', event: 'on_stop', command, proposed: command, unsealed: [], files: [], ...over })
const broken = { code: 'yaml.syntax', file: 'config/shell_hooks.yaml', line: 3, message: 'Expected YAML.', fix: 'Mend it.' }

const begin = (over: Partial<AnnouncePorts> = {}, kept: string | undefined = '') => {
  const state: { kept: string | undefined; told: string[] } = { kept, told: [] }
  const announcer = createAnnouncer({
    recall: () => Promise.resolve(state.kept),
    remember: (keys) => {
      state.kept = keys
      return Promise.resolve()
    },
    tellOwners: (text) => void state.told.push(proseText(text)),
    ...over,
  })
  return { announce: announcer.announce, state }
}

test('what is new in the files is told once, also across restarts', async () => {
  const first = begin()
  await first.announce([row('./a.sh'), row('./b.sh', { event: 'on_error' })], undefined)
  await first.announce([row('./a.sh'), row('./b.sh', { event: 'on_error' })], undefined)
  expect(first.state.told).toEqual(['2 hooks wait for you:\non_stop\n  ./a.sh\non_error\n  ./b.sh\n→ /hooks'])
  const second = begin({}, first.state.kept)
  await second.announce([row('./a.sh'), row('./b.sh', { event: 'on_error' }), row('./c.sh', { status: 'changed', live: 'old' })], undefined)
  expect(second.state.told).toEqual(['1 hook waits for you:\non_stop\n  ./c.sh\n  changed since approval; the approved bytes run on\n→ /hooks'])
})

test('a hook of another system is told with its file, and one that stopped is not said to run on', async () => {
  const { announce, state } = begin()
  const entry = anEntry({ event: 'on_stop', command: 'true;\nfalse', shell: 'sh', origin: '.claude/settings.json' })
  await announce([row('true;\nfalse', { entry, under: 'sh', status: 'changed', live: 'old', isStopped: true })], undefined)
  expect(state.told).toEqual(['1 hook waits for you:\non_stop\n  sh: true; false\n  from .claude/settings.json\n  changed since approval; it stopped: a file it uses changed\n→ /hooks'])
})

test('what a first start brings along is told on the console only', async () => {
  const { announce, state } = begin({ recall: () => Promise.resolve(undefined) })
  await announce([row('./a.sh')], undefined)
  await announce([row('./a.sh'), row('./b.sh')], undefined)
  expect(state.told).toEqual(['1 hook waits for you:\non_stop\n  ./b.sh\n→ /hooks'])
})

test('many at once are named up to five', async () => {
  const { announce, state } = begin()
  await announce(Array.from({ length: 9 }, (_, index) => row(`./${index}.sh`)), undefined)
  expect(state.told[0]).toMatch(/^9 hooks wait for you:\n([^]*\.sh\n){5}… and 4 more\n→ \/hooks$/)
})

test('an invalid entry and a broken file are told with what is wrong', async () => {
  const { announce, state } = begin()
  await announce([row('./a.sh', { status: 'invalid', problem: { code: 'entry.event', file: 'f.yaml', line: 2, message: 'Expected an event.', fix: 'Mend it.' } })], broken)
  await announce([], broken)
  await announce([], undefined)
  await announce([], undefined)
  expect(state.told).toEqual(['⚠ config/shell_hooks.yaml:3: Expected YAML. Mend it.', '⚠ f.yaml:2: Expected an event. Mend it.', 'config/shell_hooks.yaml can be read again.'])
})

test('a store that keeps nothing silences nothing', async () => {
  const { announce, state } = begin({ remember: () => Promise.reject(new Error('no space left')) })
  await announce([row('./a.sh')], undefined)
  expect(state.told).toHaveLength(1)
})
