import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../e2e/program.ts'
import { alive } from '../process-list.ts'

const script = resolve(import.meta.dirname, 'try.ts')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookgate-try-'))
  // The user of the PostgreSQL server passes through the folder.
  chmodSync(folder, 0o755)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const begin = () => {
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  return {
    ended: once(child, 'close').then(([code]): number | null => code as number | null),
    output: () => output,
    interrupt: () => void child.kill('SIGINT'),
  }
}
/** Everything that it starts has a folder of its own in the words of its command, or in its files. */
const left = (): readonly string[] => [
  ...readdirSync(folder),
  ...alive().flatMap(({ command }) => (command.includes(folder) ? [command] : [])),
]

test('the try-out of the fleet shows that a second gate and the node go on after a kill, and leaves nothing behind', async () => {
  const tried = begin()
  const code = await tried.ended
  const output = tried.output()
  expect(code, output).toBe(0)
  for (const words of [
    '✓ A PostgreSQL server from npm runs',
    '✓ The first gate works on the database.',
    'It waits until the first one ends.',
    '✓ The node desk has joined with that code.',
    'hookgate  ./guard.sh: the guard said no',
    'The first gate is killed with kill -9.',
    '✓ The second gate has answered',
    '✓ The node was connected to the second gate',
    '✓ The hook that you approved on the first gate has blocked',
    'All went as said. Nothing is left on this machine.',
  ])
    expect(output).toContain(words)
  expect(left()).toEqual([])
})

test('a try-out that is interrupted leaves nothing behind either', async () => {
  const tried = begin()
  await until('the second gate to wait', () => tried.output().includes('It waits until the first one ends.'))
  tried.interrupt()
  expect(await tried.ended).toBe(1)
  // The agents of a gate that was killed end by themselves.
  await until('the end of everything', () => left().length === 0)
})
