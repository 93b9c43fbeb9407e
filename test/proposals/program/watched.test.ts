import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ArmedHook, Entry } from '../../../src/core/model/hooks/entry.ts'
import {
  anEntry,
  approveGuard,
  createFixture,
  type Fixture,
  type FixtureGate,
} from '../../core/gatekeeper/gate-fixture.ts'
import { until } from '../../until.ts'

let fixture: Fixture
let gate: FixtureGate
beforeEach(async () => {
  fixture = createFixture()
  gate = await fixture.open()
})
afterEach(() => fixture.remove())

const foreign = (options: Partial<Entry> = {}): Entry =>
  anEntry({
    command: 'cat | ./hooks/guard.sh',
    shell: 'sh',
    dialect: { name: 'claude-code', event: 'PreToolUse' },
    origin: '.claude/settings.json',
    ...options,
  })
const hookOf = (fingerprint: string): ArmedHook => {
  const hook = gate.armed().find((one) => one.fingerprint === fingerprint)
  if (hook === undefined) throw new Error('not armed')
  return hook
}
const arm = async (entry: Entry = foreign()): Promise<ArmedHook> => hookOf(await approveGuard(gate, entry))
const problemOf = (entry: Entry): string | undefined => gate.propose(entry).problem?.code
const guard = (): string => path.join(fixture.workspace, 'hooks/guard.sh')
const changed = './hooks/guard.sh changed since approval; approve it again'

test('a watched file is hashed at approval, shown, part of the fingerprint, and not copied', async () => {
  const proposal = gate.propose(foreign())
  expect(proposal).toMatchObject({
    under: 'sh',
    files: [],
    watched: [{ path: 'hooks/guard.sh', bytes: 21, sha256: expect.stringMatching(/^8a462e6c/) }],
  })
  const hook = await arm()
  expect(hook.fingerprint).toBe(proposal.fingerprint)
  expect(gate.state().approvals.get(hook.fingerprint)?.watched).toEqual(proposal.watched)
  expect(fs.readdirSync(path.join(fixture.home, 'seal', hook.fingerprint))).toEqual([])
  fixture.write('hooks/guard.sh', '#!/bin/sh\necho evil!\n')
  expect(gate.propose(foreign()).fingerprint).not.toBe(hook.fingerprint)
  expect(await gate.approve(foreign(), 'telegram:7', hook.fingerprint)).toMatchObject({
    ok: false,
    problem: { code: 'approve.changed' },
  })
})

const changes: readonly (readonly [string, () => void])[] = [
  ['other bytes', () => fixture.write('hooks/guard.sh', '#!/bin/sh\necho evil\n')],
  [
    'other bytes of the same length under the old times',
    () => {
      fs.writeFileSync(guard(), '#!/bin/sh\necho grape\n')
      fs.utimesSync(guard(), 1, 1)
    },
  ],
  [
    'a link to the same bytes',
    () => {
      fs.renameSync(guard(), `${guard()}.x`)
      fs.symlinkSync(`${guard()}.x`, guard())
    },
  ],
  ['nothing', () => fs.rmSync(guard())],
  [
    'a folder',
    () => {
      fs.rmSync(guard())
      fs.mkdirSync(guard())
    },
  ],
]

test.each(changes)('%s in place of a watched file stops the hook, and is not lockdown', async (_, change) => {
  fs.utimesSync(guard(), 1, 1)
  const hook = await arm()
  // A stamp this fresh is not trusted yet; only a trusted one could hide a change.
  const open = vi.spyOn(fs, 'openSync')
  try {
    await until('no file to be opened', () => {
      open.mockClear()
      expect(hook.checkSeal()).toBeUndefined()
      return open.mock.calls.length === 0
    })
  } finally {
    open.mockRestore()
  }
  change()
  expect(hook.checkSeal()).toContain(changed)
  expect(hook.checkSeal()).toContain(changed)
  expect(gate.state().lockdown).toBeUndefined()
  expect(gate.armed()).toContain(hook)
})

test('put back, it runs again, and approved again with other bytes too', async () => {
  const hook = await arm()
  fixture.write('hooks/guard.sh', '#!/bin/sh\necho two\n')
  expect(hook.checkSeal()).toBe(changed)
  fixture.write('hooks/guard.sh', '#!/bin/sh\necho guard\n')
  expect(hook.checkSeal()).toBeUndefined()
  fixture.write('hooks/guard.sh', '#!/bin/sh\necho two\n')
  expect((await arm()).checkSeal()).toBeUndefined()
  expect(gate.armed()).toHaveLength(1)
})

test('touched or rewritten with the same bytes it is the same: times decide nothing', async () => {
  const hook = await arm()
  fs.utimesSync(guard(), 1, 1)
  expect(hook.checkSeal()).toBeUndefined()
  fixture.write('hooks/guard.sh', '#!/bin/sh\necho guard\n')
  expect(hook.checkSeal()).toBeUndefined()
})

test('a change while hookgate was away stops the hook too', async () => {
  const { fingerprint } = await arm()
  fixture.write('hooks/guard.sh', '#!/bin/sh\necho evil\n')
  gate = await fixture.open()
  expect(hookOf(fingerprint).checkSeal()).toBe(changed)
  expect(gate.state().lockdown).toBeUndefined()
})

test('a file that comes where nothing was stops the hook; a folder does not', async () => {
  const hook = await arm(foreign({ command: './hooks/guard.sh && ./later.sh' }))
  expect(hook.checkSeal()).toBeUndefined()
  fs.mkdirSync(path.join(fixture.workspace, 'later.sh'))
  expect(hook.checkSeal()).toBeUndefined()
  fs.rmdirSync(path.join(fixture.workspace, 'later.sh'))
  fixture.write('later.sh', '#!/bin/sh\n')
  expect(hook.checkSeal()).toBe('./later.sh was not there at approval; approve it again')
  expect((await arm(foreign({ command: './hooks/guard.sh && ./later.sh' }))).checkSeal()).toBeUndefined()
})

test('what the hook writes itself never stops it', async () => {
  fixture.write('log.txt', '')
  const hook = await arm(foreign({ command: './hooks/guard.sh >> log.txt; date > ./stamp' }))
  fixture.write('log.txt', 'more')
  fixture.write('stamp', 'now')
  expect(hook.checkSeal()).toBeUndefined()
})

test('a link is refused at approval, with words', async () => {
  fs.symlinkSync(guard(), path.join(fixture.workspace, 'link.sh'))
  const proposal = gate.propose(foreign({ command: 'cat | ./link.sh' }))
  expect(proposal.problem).toMatchObject({
    code: 'file.symlink',
    message: expect.stringContaining('"link.sh"'),
    fix: 'Name the file that the link leads to.',
  })
  expect(await gate.approve(foreign({ command: 'cat | ./link.sh' }), 'telegram:7')).toMatchObject({
    ok: false,
    problem: { code: 'file.symlink' },
  })
  fs.symlinkSync(path.join(fixture.workspace, 'nowhere'), path.join(fixture.workspace, 'broken.sh'))
  expect(problemOf(foreign({ command: './broken.sh;' }))).toBe('file.symlink')
})

test('a watched file is bounded as a sealed one is, and so is their number', () => {
  const big = path.join(fixture.workspace, 'big.bin')
  fs.writeFileSync(big, '')
  fs.truncateSync(big, 16 * 1024 * 1024 + 1)
  expect(problemOf(foreign({ command: 'cat big.bin | true' }))).toBe('file.size')
  for (let index = 0; index < 65; index++) fixture.write(`many/${index}`, '')
  expect(
    problemOf(
      foreign({ command: `cat ${Array.from({ length: 65 }, (_, index) => `many/${index}`).join(' ')};` }),
    ),
  ).toBe('program.text')
})

test('plain text whose program is missing or not executable cannot be approved: nothing that comes later answers for it', () => {
  expect(problemOf(foreign({ command: './missing.sh' }))).toBe('file.missing')
  fixture.write('off.sh', '#!/bin/sh\n', 0o644)
  expect(problemOf(foreign({ command: './off.sh x' }))).toBe('program.not_executable')
})

test('plain text is sealed: a change of the file changes nothing that runs', async () => {
  const hook = await arm(foreign({ command: './hooks/guard.sh' }))
  expect(hook.argv).toEqual([
    fs.realpathSync('/bin/sh'),
    path.join(fixture.home, 'seal', hook.fingerprint, 'hooks/guard.sh'),
  ])
  fixture.write('hooks/guard.sh', '#!/bin/sh\necho evil\n')
  expect(hook.checkSeal()).toBeUndefined()
})

test.each([
  ['http', 'https://example.com/hook'],
  ['llm', 'Is this safe?'],
  ['builtin', 'redact_secrets'],
] as const)(
  'a hook of type %s is approved without a program, and stands after a restart',
  async (type, command) => {
    const { fingerprint, argv, checkSeal } = await arm(anEntry({ type, command }))
    expect(argv).toEqual([])
    expect(checkSeal()).toBeUndefined()
    gate = await fixture.open()
    expect(gate.state().lockdown).toBeUndefined()
    expect(hookOf(fingerprint)).toMatchObject({ argv: [], entry: { type, command } })
  },
)

test('a file that a hook without a program lists is sealed with it', async () => {
  fixture.write('rules.json', '{}', 0o644)
  const hook = await arm(anEntry({ type: 'llm', command: 'Is this safe?', files: ['rules.json'] }))
  expect(fs.readFileSync(path.join(fixture.home, 'seal', hook.fingerprint, 'rules.json'), 'utf8')).toBe('{}')
})

test.each([
  ['a script without a slash in its name', 'python3 check.py || true', 'check.py'],
  ['a script that is sourced by its bare name', 'source lib.sh; run', 'lib.sh'],
  ['a script behind two changes of folder', 'cd a && cd b && ./y', 'a/b/y'],
])('%s that is not there at approval stops the hook when it comes', async (_, command, file) => {
  const hook = await arm(foreign({ command, shell: 'bash' }))
  expect(hook.checkSeal()).toBeUndefined()
  fixture.write(file, '#!/bin/sh\necho evil\n')
  expect(hook.checkSeal()).toBe(`./${file} was not there at approval; approve it again`)
})

test('a script behind two changes of folder is watched, and that more are not followed is said', () => {
  fixture.write('a/b/y', '#!/bin/sh\n')
  expect(gate.propose(foreign({ command: 'cd a; cd b; ./y' })).watched).toMatchObject([{ path: 'a/b/y' }])
  expect(gate.propose(foreign({ command: 'cd a; cd b; cd c; ./y' })).unsealed).toContain(
    'it changes to 3 folders; hookgate looks for its files only in the first 2',
  )
})
