import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { childAs } from '../../../src/doctor/attack/as-agent.ts'
import { runAttack, type AttackPorts } from '../../../src/doctor/attack/attack.ts'
import type { AsAgent } from '../../../src/doctor/attack/attacker.ts'
import { createFacts } from '../../../src/doctor/attack/facts.ts'
import type { Target } from '../../../src/doctor/attack/forgery.ts'
import type { AttackResult } from '../../../src/doctor/attack/judge.ts'

let root: string
let home: string
let workspace: string
beforeEach(() => {
  root = fs.mkdtempSync(path.join(tmpdir(), 'hg-runner-'))
  home = path.join(root, 'home')
  workspace = path.join(root, 'work')
  for (const folder of ['home/secrets', 'work/config'])
    fs.mkdirSync(path.join(root, folder), { recursive: true })
  fs.writeFileSync(path.join(home, 'secrets', 'ledger.key'), 'k'.repeat(32))
  fs.writeFileSync(path.join(home, 'ledger.jsonl'), 'one\ntwo\n')
  fs.writeFileSync(path.join(workspace, 'config', 'shell_hooks.yaml'), 'hooks: [] # mine\n')
  fs.writeFileSync(path.join(workspace, 'config', 'agent.yaml'), 'shell_hooks: {enabled: true} # mine\n')
})
afterEach(() => fs.rmSync(root, { recursive: true, force: true }))

const target = (over: Partial<Target> = {}): Target => ({
  isDisposable: false,
  mark: 'mark',
  home,
  workspace,
  tree: root,
  cli: [],
  userHome: root,
  hookPath: [],
  gatePid: process.pid,
  sockets: [],
  isOn: true,
  ...over,
})

/** A process that has no hook host below it: this one may have one that a test before it left, and which ends by itself. */
const quietPid = (): number => process.ppid

const attack = (
  names: readonly string[],
  over: Partial<AttackPorts> = {},
  at: Partial<Target> = {},
): Promise<readonly AttackResult[]> =>
  runAttack(
    {
      asAgent: childAs(workspace),
      target: () => Promise.resolve(target(at)),
      facts: createFacts({
        home,
        gatePid: quietPid,
        gate: () => Promise.resolve({}),
        hasDebugger: () => false,
      }),
      secrets: () => [],
      look: () => Promise.resolve(),
      restore: () => Promise.resolve(),
      now: Date.now,
      ...over,
    },
    { only: ({ name }) => names.includes(name) },
  )

const kinds = (results: readonly AttackResult[]): readonly string[] =>
  results.map(({ forgery, kind }) => `${forgery.name} ${kind}`)

test('a program that runs as the same user reads the key, and that is told', async () => {
  expect(await attack(['secrets.key'])).toMatchObject([
    { kind: 'broken', why: 'secrets/ledger.key was read' },
  ])
})

test('on an instance in use nothing of the gate’s folder changes, and no mark is left', async () => {
  const before = createFacts({
    home,
    gatePid: () => 1,
    gate: () => Promise.resolve({}),
    hasDebugger: () => false,
  })
  const { files } = await before()
  const results = await attack([
    'ledger.append_signed',
    'ledger.delete',
    'ledger.own_key',
    'ledger.bit',
    'folder.delete',
    'folder.parent',
    'gate_yaml.token',
    'signal.kill',
    'start.profile',
  ])
  expect(kinds(results)).toEqual([
    'ledger.append_signed broken',
    'ledger.bit held',
    'ledger.own_key broken',
    'ledger.delete held',
    'folder.delete broken',
    'folder.parent broken',
    'gate_yaml.token broken',
    'start.profile broken',
    'signal.kill broken',
  ])
  expect((await before()).files).toEqual(files)
  expect(fs.readdirSync(root)).toEqual(['home', 'work'])
})

test('the workspace’s files are put back after each attempt, a link in their place too', async () => {
  const seen: string[] = []
  const face = path.join(workspace, 'config', 'agent.yaml')
  const proposals = path.join(workspace, 'config', 'shell_hooks.yaml')
  const results = await attack(['entry.link', 'entry.bomb', 'switch.flip', 'switch.delete'], {
    look: async () =>
      void seen.push(
        fs.lstatSync(proposals).isSymbolicLink()
          ? 'link'
          : fs.existsSync(face)
            ? fs.readFileSync(face, 'utf8').trim()
            : 'gone',
      ),
  })
  expect(kinds(results)).toEqual([
    'entry.bomb held',
    'entry.link held',
    'switch.flip held',
    'switch.delete held',
  ])
  expect(seen).toEqual([
    'shell_hooks: {enabled: true} # mine',
    'link',
    'shell_hooks: {enabled: false}',
    'gone',
  ])
  expect(fs.readFileSync(proposals, 'utf8')).toBe('hooks: [] # mine\n')
  expect(fs.readFileSync(face, 'utf8')).toBe('shell_hooks: {enabled: true} # mine\n')
})

const script =
  (code: string): AsAgent =>
  () =>
    spawn(process.execPath, ['-e', code], { stdio: 'pipe' })

test('a process that does not start says nothing about the gate: nothing counts as tried', async () => {
  await expect(attack(['secrets.key'], { asAgent: () => spawn('/nonexistent/program') })).rejects.toThrow(
    /Nothing was tried/,
  )
  await expect(attack(['secrets.key'], { asAgent: script('') })).rejects.toThrow(/Nothing was tried/)
})

test('an attempt that ends the process is followed by the next, and what it says out of turn does not count', async () => {
  const dies = script(
    'console.log("not json"); require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => line.includes("isAlive") ? console.log(\'{"isAlive":true}\') : process.exit(1))',
  )
  expect(await attack(['secrets.key', 'secrets.ledger'], { asAgent: dies })).toMatchObject([
    { kind: 'held', why: 'refused: it did not come to an end' },
    { kind: 'held' },
  ])
})

test('a run on an instance in use ends in time, and says what was left out', async () => {
  let nowMs = 0
  const results = await attack(['secrets.key', 'secrets.ledger', 'secrets.folder'], {
    now: () => (nowMs += 30_000),
  })
  expect(results.map(({ kind, why }) => [kind, why])).toEqual([
    ['broken', 'secrets/ledger.key was read'],
    ['untried', 'the time was up'],
    ['untried', 'the time was up'],
  ])
})

test('what an instance gives no occasion for is told with its reason', async () => {
  const results = await attack([
    'signal.winch',
    'entry.event',
    'page.brute',
    'folder.older',
    'console.file',
    'socket.other',
  ])
  expect(results.map(({ why }) => why)).toEqual([
    'there is no older copy',
    'no hook of this kind is approved',
    'there is no other agent',
    'there is no page',
    'the console’s output goes to no file',
    'it would stop an instance in use; the test suite tries it',
  ])
})
