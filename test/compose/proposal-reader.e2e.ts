import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startProposalReader, type ProposalReader } from '../../src/compose/proposal-reader/reader.ts'
import { until } from '../until.ts'

/** Nested keys: the parser takes twice as long for each one more. */
const endless = '? '.repeat(2000)
const good = 'hooks:\n  - {event: on_stop, command: ./guard.sh}\n'
let root: string
let workspace: string
let reader: ProposalReader
const proposals = (text: string): void => writeFileSync(join(workspace, 'config/shell_hooks.yaml'), text)
const face = (text: string): void => writeFileSync(join(workspace, 'config/agent.yaml'), text)
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'hookgate-proposals-')))
  workspace = join(root, 'workspace')
  mkdirSync(join(workspace, 'config'), { recursive: true })
  mkdirSync(join(root, 'home'))
  writeFileSync(join(workspace, 'guard.sh'), '#!/bin/sh\n', { mode: 0o755 })
})
afterEach(async () => {
  await reader.stop()
  rmSync(root, { recursive: true, force: true, maxRetries: 3 })
})
const start = (stepWithinMs = 500): void => {
  const home = join(root, 'home')
  reader = startProposalReader(
    {
      home,
      workspace,
      person: join(root, 'person'),
      agentHooks: join(root, 'none'),
      http: { env: {}, allowLocal: false },
    },
    { path: '/usr/bin:/bin', listed: {}, hasModel: false, readLaw: { kind: 'reader', home } },
    () => undefined,
    stepWithinMs,
  )
}
const commands = (): readonly string[] =>
  reader.source().proposed.map((place) => (place.kind === 'entry' ? place.entry.command : place.command))

test('four kilobytes that no parser finishes are given up and told, and what is mended is read again', async () => {
  proposals(endless)
  face(endless)
  start()
  await reader.begun()
  expect(reader.source().problem?.message).toContain('too hard to read')
  expect(reader.switchInFile()).toBeUndefined()
  expect(await reader.render(true)).toMatchObject({ why: expect.stringContaining('too hard to read') })
  const hook = { event: 'on_stop', command: './more.sh' }
  expect(await reader.add(hook)).toMatchObject({ why: expect.stringContaining('too hard to read') })
  proposals(good)
  face('shell_hooks: {enabled: on}\n')
  await reader.look()
  expect(reader.source().problem).toBeUndefined()
  expect(commands()).toEqual(['./guard.sh'])
  expect(reader.switchInFile()).toBe(true)
  expect(await reader.add(hook)).toEqual({ text: `${good}  - event: on_stop\n    command: ./more.sh\n` })
  expect(await reader.render(false)).toEqual({ text: 'shell_hooks: { enabled: false }\n' })
})

/** How many threads this process has. */
const threads = (): number => readdirSync('/proc/self/task').length

test.runIf(process.platform === 'linux')(
  'a thread that does not finish is ended, not only left alone',
  async () => {
    // The system's own threads are there from the first file on.
    await stat(workspace)
    const before = threads()
    proposals(endless)
    start()
    await reader.begun()
    expect(reader.source().problem?.message).toContain('too hard to read')
    await reader.stop()
    await until('its threads to be gone', () => threads() <= before)
  },
)

test('the thread of the gate goes on while a file is read that takes long', async () => {
  proposals(good)
  start()
  await reader.begun()
  proposals(endless)
  const asked = reader.look()
  let ticks = 0
  const ticking = setInterval(() => void (ticks += 1), 20)
  await asked
  clearInterval(ticking)
  expect(ticks).toBeGreaterThan(5)
  await until('the file to be given up', () => reader.source().problem !== undefined)
})

test('what a person names is looked at anew and first, as it lies there now', async () => {
  proposals(good)
  start()
  await reader.begun()
  writeFileSync(join(workspace, 'other.sh'), '#!/bin/sh\n', { mode: 0o755 })
  for (let turn = 0; turn < 5; turn++) {
    writeFileSync(join(workspace, 'other.sh'), `#!/bin/sh\n# ${turn}\n`)
    proposals(`hooks:\n  - {event: on_stop, command: ./other.sh ${turn}}\n`)
    await reader.look(`on_stop ./other.sh ${turn}`)
    expect(commands()).toEqual([`./other.sh ${turn}`])
    const [place] = reader.source().proposed
    if (place?.kind !== 'entry') throw new Error('Expected an entry.')
    expect(reader.propose(place.entry)).toMatchObject({
      fingerprint: expect.any(String),
      files: [{ path: 'other.sh', bytes: 14 }],
    })
  }
})

test('an approval gets the bytes and the fingerprint that the files have now, read by the thread', async () => {
  writeFileSync(join(workspace, 'guard.sh'), '#!/bin/sh\n# one\n')
  writeFileSync(join(workspace, 'words.txt'), 'words')
  proposals('hooks:\n  - {event: on_stop, command: ./guard.sh, files: [./words.txt]}\n')
  start()
  await reader.begun()
  const [place] = reader.source().proposed
  if (place?.kind !== 'entry') throw new Error('Expected an entry.')
  const { entry } = place
  expect(await reader.prepare(entry)).toMatchObject({
    record: { entry, fingerprint: reader.propose(entry).fingerprint },
    contents: [
      { path: 'guard.sh', content: Buffer.from('#!/bin/sh\n# one\n') },
      { path: 'words.txt', content: Buffer.from('words') },
    ],
  })
  writeFileSync(join(workspace, 'words.txt'), 'others')
  const changed = await reader.prepare(entry)
  expect('problem' in changed ? changed : changed.contents.map(({ content }) => content.toString())).toEqual([
    '#!/bin/sh\n# one\n',
    'others',
  ])
  rmSync(join(workspace, 'words.txt'))
  expect(await reader.prepare(entry)).toMatchObject({ problem: { code: 'file.missing' } })
})

test('where nothing moves the thread ends, and each change brings it back', async () => {
  proposals(good)
  start()
  await reader.begun()
  await until('the thread to rest', () => !reader.isAwake())
  proposals('hooks:\n  - {event: on_stop, command: ./guard.sh again}\n')
  await until('the change to be seen', () => commands()[0] === './guard.sh again')
  await until('the thread to rest', () => !reader.isAwake())
  const fingerprint = (): string | undefined => {
    const [place] = reader.source().proposed
    return place?.kind === 'entry' ? reader.propose(place.entry).fingerprint : undefined
  }
  const before = fingerprint()
  writeFileSync(join(workspace, 'guard.sh'), '#!/bin/sh\n# changed\n')
  await until('the change of a program to be seen', () => fingerprint() !== before)
})

test('a change right after a long reading is seen, though the thread may rest by then', async () => {
  // Where this reading takes 0.2 s or more, the next one is put off by nine times as long.
  const one = `  - {event: on_stop, command: ./guard.sh, args: [${'word, '.repeat(50)}]}\n`
  const long = `hooks:\n${one.repeat(200)}`
  proposals(long)
  start(20_000)
  await reader.begun()
  proposals(long.replaceAll('./guard.sh', './guard.sh again'))
  await reader.look()
  await until('the change to be seen', () => commands().includes('./guard.sh again'), 90_000)
})

test('a file that breaks keeps what could be read of it last, also where another thread reads it then', async () => {
  proposals(good)
  start()
  await reader.begun()
  for (const broken of ['hooks: "\n', endless]) {
    await until('the thread to end', () => !reader.isAwake())
    proposals(broken)
    await reader.look()
    await until('the problem to be told', () => reader.source().problem !== undefined)
    expect(commands()).toEqual(['./guard.sh'])
  }
})
