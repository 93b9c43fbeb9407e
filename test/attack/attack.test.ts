import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { childAs } from '../../src/attack/as-agent.ts'
import { runAttack, type AttackPorts } from '../../src/attack/attack.ts'
import type { AsAgent } from '../../src/attack/attacker.ts'
import { createFacts, stateOf } from '../../src/attack/facts.ts'
import type { Target } from '../../src/attack/forgery.ts'
import type { AttackResult } from '../../src/attack/judge.ts'
import { targetIn } from './target.ts'

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

/**
 * A process that has no hook host below it: this one may have one that a test before it left, and which ends
 * by itself.
 */
const quietPid = (): number => process.ppid

const attack = (
  names: readonly string[],
  over: Partial<AttackPorts> = {},
  at: Partial<Target> = {},
): Promise<readonly AttackResult[]> =>
  runAttack(
    {
      asAgent: childAs(workspace),
      target: () => Promise.resolve(targetIn({ root, home, workspace }, at)),
      facts: createFacts({
        home,
        gatePid: quietPid,
        gate: () => Promise.resolve({}),
        hasDebugger: () => false,
      }),
      secrets: () => [],
      look: () => Promise.resolve(),
      restore: () => Promise.resolve(),
      restart: () => Promise.resolve(),
      ownerSwitches: () => Promise.resolve(),
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
    spawn(process.execPath, ['-e', code], { stdio: 'pipe', detached: true })

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

test('what an attempt started ends with the attack', async () => {
  const pidFile = path.join(root, 'started')
  const leaves = script(`
    const { spawn } = require('node:child_process')
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      if (line.includes('isAlive')) console.log('{"isAlive":true}')
      if (!line.includes('"attempt"')) return
      const { pid } = spawn('sleep', ['300'], { stdio: 'ignore' })
      require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(pid))
      console.log('{"report":{"outcome":"refused","what":"it started a program"}}')
    })`)
  expect(await attack(['secrets.key'], { asAgent: leaves })).toMatchObject([{ kind: 'held' }])
  const started = Number(fs.readFileSync(pidFile, 'utf8'))
  await expect.poll(() => stateOf(started)).toBe('gone')
})

test('what an instance gives no occasion for is told with its reason', async () => {
  const results = await attack(
    ['program.own_path', 'entry.event', 'page.brute', 'folder.older', 'console.file', 'socket.other'],
    {},
    { hasPython: false },
  )
  expect(results.map(({ why }) => why)).toEqual([
    'there is no older copy',
    'python3 is not on this machine',
    'no hook of this kind is approved',
    'there is no other agent',
    'there is no page',
    'the console’s output goes to no file',
  ])
})
