import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readFromHost } from '../../../src/handlers/host/from-host.ts'
import { startHookHost, type HookHost } from '../../../src/handlers/host/host.ts'
import { until } from '../../until.ts'

let folder = ''
let host: HookHost | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookgate-from-host-'))
})
afterEach(async () => {
  await host?.stop()
  host = undefined
  rmSync(folder, { recursive: true })
})

const result = { exitCode: 0, stdout: '{}', stderr: '', isTruncated: false, durationMs: 1 }
const request = { argv: ['/bin/true'], cwd: '/', env: {}, stdin: '{}', timeoutMs: 5000 }

/** Starts a host that a hook has taken over. It answers each run with this message, whose id is 0. */
const takenOver = async (message: unknown): Promise<() => number> => {
  const file = join(folder, 'host.mjs')
  writeFileSync(
    file,
    `process.on('message', (order) => {
  if (order.type === 'end') process.exit()
  if (order.type !== 'run') return
  const message = ${JSON.stringify(message)}
  process.send(message?.id === 0 ? { ...message, id: order.id } : message)
})
process.on('disconnect', () => process.exit())
process.send({ type: 'ready' })
`,
  )
  let losses = 0
  host = await startHookHost({
    sandbox: [process.execPath, file],
    log: () => undefined,
    onRestart: () => void (losses += 1),
  })
  return () => losses
}

test('a message of a host is taken', async () => {
  await takenOver({ type: 'done', id: 0, result, goesOn: false })
  expect(await host?.run(request)).toMatchObject({ exitCode: 0, stdout: '{}' })
})

test.each([
  ['null', null],
  ['a text', 'done'],
  ['no type', { id: 0 }],
  ['a type of another', { type: 'run', id: 0 }],
  ['a name of every object', { type: 'constructor', id: 0 }],
  ['no result', { type: 'done', id: 0, goesOn: false }],
  ['an output that is no text', { type: 'done', id: 0, result: { ...result, stdout: {} }, goesOn: false }],
  [
    'an answer that was not read with care',
    { type: 'done', id: 0, result: { ...result, json: {} }, goesOn: false },
  ],
  [
    'a failure of no kind',
    { type: 'done', id: 0, result: { ...result, failure: { kind: 'toString', detail: '' } }, goesOn: false },
  ],
  ['a time before the start', { type: 'done', id: 0, result: { ...result, durationMs: -1 }, goesOn: false }],
  ['a probe without words', { type: 'probed', id: 0, probe: { isSafe: false } }],
  ['a text of no resident', { type: 'stderr', id: 0, text: ['x'] }],
])('%s is no message of a host', (_, message) => {
  expect(readFromHost(message)).toBeUndefined()
})

test('what is no message ends the host with its runs, and the gate goes on with another one', async () => {
  const losses = await takenOver({ type: 'done', id: 0, goesOn: false })
  expect((await host?.run(request))?.failure).toMatchObject({ kind: 'host' })
  await until('another host', () => losses() > 0)
})
