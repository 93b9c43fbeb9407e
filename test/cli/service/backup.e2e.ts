import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { approveGuard, createFixture, type Fixture } from '../../core/gatekeeper/gate-fixture.ts'
import { cli } from '../../e2e/program.ts'
import { needs } from '../../needs.ts'
import { untilWithin } from '../../until.ts'

const until = untilWithin(30_000)
const passphrase = 'six words that nobody knows'
let fixture: Fixture
let folder = ''
beforeEach(async () => {
  fixture = createFixture()
  await fixture.open()
  folder = mkdtempSync(join(tmpdir(), 'hookgate-passphrase-'))
})
afterEach(() => {
  fixture.remove()
  rmSync(folder, { recursive: true })
})

const env = () => ({ PATH: process.env['PATH'], HOME: folder, HOOKGATE_HOME: fixture.home })
/** `piped` comes through a pipe, as from a password manager. */
const verb = (words: readonly string[], piped = '', more: Readonly<Record<string, string>> = {}) => {
  const script = 'printf %s "$PIPED" | "$0" "$@"'
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', script, process.execPath, cli, ...words], {
    cwd: folder,
    env: { ...env(), ...more, PIPED: piped },
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { status, said: `${stdout}${stderr}` }
}

/** Holds the program up after each write to its terminal, as a busy machine does. */
const slowly = `data:text/javascript,${encodeURIComponent(`
  const { stderr } = process
  const write = stderr.write.bind(stderr)
  stderr.write = (...words) => {
    const isWritten = write(...words)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
    return isWritten
  }
`)}`

/** Runs a verb on a terminal of its own, and types each answer when its question is there. */
const onTerminal = async (
  words: string,
  answers: readonly (readonly [question: string, typed: string])[],
) => {
  const program = `"${process.execPath}" --import "${slowly}" "${cli}" ${words}`
  const child = spawn('script', ['-qec', program, '/dev/null'], {
    cwd: folder,
    env: env(),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let shown = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (shown += text))
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  for (const [question, typed] of answers) {
    await until(question, () => shown.includes(question))
    child.stdin.write(typed)
  }
  return { status: await ended, shown }
}

test(
  'a new passphrase is asked for twice, nothing of it is shown, and the backup opens with it',
  needs('script', 'Linux'),
  async () => {
    const made = await onTerminal('backup a.backup', [
      ['Passphrase for the backup: ', `${passphrase}!\u007F\r`],
      ['The same again: ', `nonsense\u0015${passphrase}\r`],
    ])
    expect(made).toEqual({ status: 0, shown: expect.stringContaining('Wrote ') })
    expect(made.shown).not.toMatch(/six|words|nonsense/)
    const back = await onTerminal('restore a.backup', [['Passphrase of the backup: ', `${passphrase}\r`]])
    expect(back).toEqual({ status: 0, shown: expect.stringContaining('each verified') })
    expect(back.shown).not.toContain('six')
  },
)

test('what is typed ahead is hidden, and answers the next question', needs('script', 'Linux'), async () => {
  const made = await onTerminal('backup a.backup', [
    ['Passphrase for the backup: ', `${passphrase}\r${passphrase}\r`],
  ])
  expect(made).toEqual({ status: 0, shown: expect.stringContaining('Wrote ') })
  expect(made.shown).not.toContain('six')
})

test(
  'two different ones, one that is too short, and Ctrl-C write nothing',
  needs('script', 'Linux'),
  async () => {
    const different = await onTerminal('backup a.backup', [
      ['Passphrase for the backup: ', `${passphrase}\r`],
      ['The same again: ', `${passphrase}x\r`],
    ])
    expect(different).toEqual({
      status: 1,
      shown: expect.stringContaining('the same passphrase twice, got two'),
    })
    const short = await onTerminal('backup a.backup', [['Passphrase for the backup: ', 'short\r']])
    expect(short).toEqual({ status: 1, shown: expect.stringContaining('got 5 characters') })
    const ended = await onTerminal('backup a.backup', [['Passphrase for the backup: ', 'abc\u0003']])
    expect(ended.status).toBe(130)
    expect(existsSync(join(folder, 'a.backup'))).toBe(false)
  },
)

test('a file gives the passphrase by its first line, if nobody else may read it', () => {
  const file = join(folder, 'passphrase')
  writeFileSync(file, `${passphrase}\nanother line\n`, { mode: 0o600 })
  expect(verb(['backup', 'a.backup', '--passphrase-file', file])).toMatchObject({ status: 0 })
  chmodSync(file, 0o644)
  expect(verb(['restore', 'a.backup', '--passphrase-file', file])).toEqual({
    status: 1,
    said: expect.stringContaining(`Close it: chmod 600 ${file}`),
  })
  chmodSync(file, 0o600)
  writeFileSync(file, `${passphrase}\r\n`)
  expect(verb(['restore', 'a.backup', '--passphrase-file', file])).toMatchObject({ status: 0 })
  expect(verb(['restore', 'a.backup', '--passphrase-file', '/dev/stdin'], `${passphrase}\n`)).toMatchObject({
    status: 0,
  })
})

test('without a terminal and without a file it says what to do, and wrong words end with 1', () => {
  expect(verb(['backup', 'a.backup'])).toEqual({
    status: 1,
    said: expect.stringContaining('--passphrase-file FILE'),
  })
  expect(verb(['backup'])).toEqual({ status: 1, said: 'Expected "hookgate backup FILE", got no file.\n' })
  expect(verb(['restore', 'a', 'b'])).toMatchObject({ status: 1 })
  expect(verb(['restore', 'nowhere', '--passphrase-file', '/dev/stdin'], `${passphrase}\n`)).toEqual({
    status: 1,
    said: expect.stringContaining('got an error (ENOENT). Nothing was changed.'),
  })
})

test('who may not read the gate is told whom to run it as', needs('root'), () => {
  const [file, nobody] = [join(folder, 'passphrase'), 65_534]
  writeFileSync(file, passphrase, { mode: 0o600 })
  for (const path of [folder, file]) chownSync(path, nobody, nobody)
  chmodSync(fixture.root, 0o711)
  const { status, stderr } = spawnSync(
    process.execPath,
    [cli, 'backup', join(folder, 'a.backup'), '--passphrase-file', file],
    { uid: nobody, gid: nobody, cwd: '/', env: env(), encoding: 'utf8', timeout: 60_000 },
  )
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/got "EACCES.* Nothing was changed\. Run it as root/),
  ])
})

test('what root puts back belongs to whom the folder belongs', needs('root'), async () => {
  await approveGuard(await fixture.open())
  const file = join(folder, 'passphrase')
  writeFileSync(file, passphrase, { mode: 0o600 })
  expect(verb(['backup', 'a.backup', '--passphrase-file', file])).toMatchObject({ status: 0 })
  const [uid, gid] = [64_001, 64_002]
  const ownersIn = (top: string): readonly string[] => [
    ...new Set(
      [top, ...readdirSync(top, { recursive: true }).map((name) => join(top, String(name)))].map((path) => {
        const stat = lstatSync(path)
        return `${stat.uid}:${stat.gid}`
      }),
    ),
  ]
  const service = join(fixture.root, 'service')
  mkdirSync(service)
  chownSync(service, uid, gid)
  for (const parent of [folder, fixture.root]) chmodSync(parent, 0o711)
  // The folder is missing, so that of the service around it tells. The second time it is there.
  for (const _ of [1, 2]) {
    const home = { HOOKGATE_HOME: join(service, 'gate') }
    expect(verb(['restore', 'a.backup', '--passphrase-file', file], '', home)).toMatchObject({ status: 0 })
    expect(ownersIn(service)).toEqual([`${uid}:${gid}`])
  }
})
