import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ArmedHook, Entry } from '../../../../src/core/model/hooks/entry.ts'
import { anEntry, approveGuard, createFixture, type Fixture, type FixtureGate } from '../gate-fixture.ts'
import { measureProcessor } from '../../../processor-time.ts'
import { stretched } from '../../../stretched.ts'
import { until } from '../../../until.ts'

let fixture: Fixture
let gate: FixtureGate
beforeEach(async () => {
  fixture = createFixture()
  fixture.write('hooks/lib.sh', 'lib', 0o644)
  gate = await fixture.open()
})
afterEach(() => fixture.remove())

const arm = async (
  options: Partial<Entry> = {},
): Promise<{ readonly hook: ArmedHook; readonly dir: string; readonly file: string }> => {
  const fingerprint = await approveGuard(gate, anEntry({ files: ['hooks/lib.sh'], ...options }))
  const hook = gate.armed().find((one) => one.fingerprint === fingerprint)
  if (hook === undefined) throw new Error('not armed')
  const dir = path.join(fixture.home, 'seal', fingerprint)
  return { hook, dir, file: path.join(dir, 'hooks/guard.sh') }
}
/** Writes where a process of the gate's own user could, keeping the mode. */
const overwrite = (file: string, content: string): void => {
  const { mode } = fs.statSync(file)
  fs.chmodSync(file, 0o755)
  fs.writeFileSync(file, content)
  fs.chmodSync(file, mode)
}

test('a seal mirrors the workspace: folders 755, files 555 or 444, files from outside apart', async () => {
  const outside = path.join(fixture.root, 'out.txt')
  fs.writeFileSync(outside, 'out')
  const { dir } = await arm({ files: ['hooks/lib.sh', '../out.txt'] })
  const modeOf = (name: string): string => (fs.statSync(path.join(dir, name)).mode & 0o777).toString(8)
  expect(['.', 'hooks', 'hooks/guard.sh', 'hooks/lib.sh', `_outside${outside}`].map(modeOf)).toEqual([
    '755',
    '755',
    '555',
    '444',
    '444',
  ])
  expect(
    fs.readdirSync(path.join(fixture.home, 'seal')).filter((name) => name !== 'package.json'),
  ).toHaveLength(1)
})

const tamperings: readonly (readonly [string, (where: Awaited<ReturnType<typeof arm>>) => void])[] = [
  ['other bytes', ({ file }) => overwrite(file, 'evil')],
  [
    'other bytes of the same length under the old times',
    ({ file }) => {
      const { atime, mtime } = fs.statSync(file)
      overwrite(file, fs.readFileSync(file, 'utf8').replace('guard', 'grape'))
      fs.utimesSync(file, atime, mtime)
    },
  ],
  ['other bytes in a listed file', ({ dir }) => overwrite(path.join(dir, 'hooks/lib.sh'), 'evil')],
  ['a missing file', ({ file }) => fs.rmSync(file)],
  ['a missing folder', ({ dir }) => fs.rmSync(dir, { recursive: true })],
  [
    'a link in place of a file',
    ({ file }) => {
      fs.renameSync(file, `${file}.x`)
      fs.symlinkSync(`${file}.x`, file)
    },
  ],
  [
    'a link in place of a folder',
    ({ dir }) => {
      fs.renameSync(path.join(dir, 'hooks'), path.join(fixture.root, 'moved'))
      fs.symlinkSync(path.join(fixture.root, 'moved'), path.join(dir, 'hooks'))
    },
  ],
  ['no executable bit', ({ file }) => fs.chmodSync(file, 0o444)],
]

test.each(tamperings)(
  'a seal with %s is lockdown at the next run, and the hook is told not to run',
  async (_, tamper) => {
    const armed = await arm()
    expect(armed.hook.checkSeal()).toBeUndefined()
    tamper(armed)
    expect(armed.hook.checkSeal()).toMatch(/^tampered seal: /)
    expect(gate.state().lockdown).toMatch(/^tampered seal: /)
    expect(fixture.lockdowns).toHaveLength(1)
    expect(gate.armed()).toEqual([])
    expect(armed.hook.checkSeal()).toMatch(/^tampered seal: /)
  },
)

test.each(tamperings)(
  'a seal with %s is found at start, and after recovery the hook can be approved again',
  async (_, tamper) => {
    tamper(await arm())
    gate = await fixture.open()
    expect(gate.state().lockdown).toMatch(/^tampered seal: /)
    expect(gate.isOwner('telegram:7')).toBe(true)
    expect(await gate.recover('telegram:7')).toMatchObject({ ok: true })
    const { file, hook } = (await gate.setSwitch(true, 'telegram:7'), await arm())
    expect(fs.readFileSync(file, 'utf8')).toContain('echo guard')
    expect(hook.checkSeal()).toBeUndefined()
  },
)

test('a seal that was touched, read or copied back is whole: times decide nothing', async () => {
  const { hook, file } = await arm()
  fs.utimesSync(file, 1, 1)
  expect(hook.checkSeal()).toBeUndefined()
  const content = fs.readFileSync(file, 'utf8')
  overwrite(file, content)
  expect(hook.checkSeal()).toBeUndefined()
  expect(gate.state().lockdown).toBeUndefined()
})

test('what is planted beside sealed files is gone before the hook runs, and told', async () => {
  const { hook, dir } = await arm()
  fs.mkdirSync(path.join(dir, 'hooks/__pycache__'))
  fs.writeFileSync(path.join(dir, 'hooks/__pycache__/lib.pyc'), 'evil')
  fs.writeFileSync(path.join(dir, 'json.py'), 'evil')
  fs.symlinkSync('/', path.join(dir, 'hooks/link'))
  expect(hook.checkSeal()).toBeUndefined()
  expect(fs.readdirSync(dir)).toEqual(['hooks'])
  expect(fs.readdirSync(path.join(dir, 'hooks')).toSorted()).toEqual(['guard.sh', 'lib.sh'])
  expect(fixture.logged.filter((line) => line.includes('not sealed'))).toHaveLength(3)
})

test('an untouched seal costs a few stat calls, and no file is opened', async () => {
  const { hook, file } = await arm()
  const open = vi.spyOn(fs, 'openSync')
  const hasOpened = (): boolean => {
    open.mockClear()
    hook.checkSeal()
    return open.mock.calls.length > 0
  }
  try {
    await until('the file to be opened again', () => {
      fs.utimesSync(file, 1, 1)
      hook.checkSeal()
      // A stamp this fresh is not trusted yet.
      return hasOpened()
    })
    await expect.poll(() => hasOpened()).toBe(false)
  } finally {
    open.mockRestore()
  }
  // Processor time of the best of some rounds: what else the machine does is not counted.
  const rounds = Array.from({ length: 10 }, () => {
    const tookMs = measureProcessor()
    for (let index = 0; index < 1000; index++) hook.checkSeal()
    return tookMs()
  })
  expect(Math.min(...rounds)).toBeLessThan(stretched(100))
})

describe('a large seal', () => {
  const names = Array.from({ length: 60 }, (_, at) => `data/${at}.txt`)
  beforeEach(() => {
    for (const name of names) fixture.write(name, name, 0o644)
  })
  const armLarge = (): ReturnType<typeof arm> => arm({ files: names })

  test('is read in turns before a run, and the check of the run opens no file', async () => {
    const { hook } = await armLarge()
    const open = vi.spyOn(fs, 'openSync')
    onTestFinished(() => open.mockRestore())
    let turns = 0
    const counting = setInterval(() => turns++, 0)
    await Promise.all([hook.readSeal?.(), hook.readSeal?.()])
    clearInterval(counting)
    expect(turns).toBeGreaterThan(1)
    expect(open.mock.calls).toHaveLength(names.length + 1)
    open.mockClear()
    expect(hook.checkSeal()).toBeUndefined()
    await hook.readSeal?.()
    expect(open.mock.calls).toEqual([])
  })

  test('that was changed before it is read, or after, is lockdown at the next run', async () => {
    const before = await armLarge()
    overwrite(path.join(before.dir, 'data/7.txt'), 'evil')
    await before.hook.readSeal?.()
    expect(gate.state().lockdown).toMatch(/^tampered seal: "data\/7\.txt"/)
    expect(before.hook.checkSeal()).toMatch(/^tampered seal: /)
    await gate.recover('telegram:7')
    await gate.setSwitch(true, 'telegram:7')
    const after = await armLarge()
    await after.hook.readSeal?.()
    expect(gate.state().lockdown).toBeUndefined()
    overwrite(path.join(after.dir, 'data/8.txt'), 'evil')
    expect(after.hook.checkSeal()).toMatch(/^tampered seal: "data\/8\.txt"/)
  })

  test('a small one needs no such reading', async () => {
    expect((await arm()).hook.readSeal).toBeUndefined()
  })
})

test('an interpreter is started by the real path that was approved, whatever its name leads to now; gone, it is a fault of that hook', async () => {
  const bin = path.join(fixture.root, 'bin')
  fs.mkdirSync(bin)
  const real = path.join(fixture.root, 'shell-1')
  fs.copyFileSync(fs.realpathSync('/bin/sh'), real)
  const found = path.join(bin, 'shell')
  fs.symlinkSync(real, found)
  gate = await fixture.open({ path: bin })
  const { hook } = await arm({ command: 'shell hooks/guard.sh' })
  expect(hook).toMatchObject({ argv: [real, expect.stringContaining('/seal/')], argv0: found })
  fs.copyFileSync(real, path.join(fixture.root, 'shell-2'))
  fs.rmSync(found)
  expect(hook.checkSeal()).toBeUndefined()
  fs.symlinkSync(path.join(fixture.root, 'shell-2'), found)
  expect(hook.checkSeal()).toBeUndefined()
  fs.rmSync(real)
  expect(hook.checkSeal()).toBe(
    `"${real}", which runs it, is missing; install it again, or approve the hook again`,
  )
  const isRunning = true
  expect(hook.checkSeal(isRunning)).toBeUndefined()
  expect(gate.state().lockdown).toBeUndefined()
  // Approved again, it is pinned anew: a new act, with the same fingerprint.
  expect(await gate.approve(hook.entry, 'telegram:7')).toMatchObject({ ok: true, isNew: true })
  expect(gate.armed()).toMatchObject([
    { fingerprint: hook.fingerprint, argv: [path.join(fixture.root, 'shell-2'), expect.any(String)] },
  ])
  expect(gate.armed().map((one) => one.checkSeal())).toEqual([undefined])
})

test('a start removes seals that no approval uses, and leftovers of a crash', async () => {
  const { hook } = await arm()
  const seals = path.join(fixture.home, 'seal')
  fs.mkdirSync(path.join(seals, '.new-left'))
  const other = await approveGuard(gate, anEntry({ args: ['other'] }))
  await gate.revoke(other, 'telegram:7')
  expect(fs.readdirSync(seals)).toHaveLength(4)
  await fixture.open()
  expect(fs.readdirSync(seals).toSorted()).toEqual([hook.fingerprint, 'package.json'])
})

test('two files that would lie in one place of the seal are a problem', () => {
  const outside = path.join(fixture.root, 'out.txt')
  fs.writeFileSync(outside, 'out')
  fixture.write(`_outside${outside}`, 'inside')
  const proposal = gate.propose(anEntry({ files: [outside, `_outside${outside}`] }))
  expect(proposal.problem?.code).toBe('entry.files')
})
