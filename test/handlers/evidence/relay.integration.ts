import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startHookHost, type HookHost } from '../../../src/handlers/host/host.ts'
import { relayed } from '../../../src/handlers/evidence/programs.ts'
import { until } from '../../until.ts'

let folder = ''
let host: HookHost | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookgate-relay-'))
})
afterEach(async () => {
  await host?.stop()
  host = undefined
  rmSync(folder, { recursive: true })
})

/** A host that a hook has taken over: it runs this text for each message of the gate, after it is ready. */
const takenOver = (text: string): readonly string[] => {
  const file = join(folder, 'host.mjs')
  writeFileSync(
    file,
    `const send = (message) => process.send(message)\nprocess.on('message', (order) => { ${text} })\nprocess.on('disconnect', () => process.exit())\nsend({ type: 'ready' })\n`,
  )
  return [process.execPath, file]
}
const start = async (text: string): Promise<{ readonly host: HookHost; readonly losses: () => number }> => {
  let losses = 0
  host = await startHookHost({
    sandbox: relayed(takenOver(text)),
    log: () => undefined,
    onRestart: () => void (losses += 1),
  })
  return { host, losses: () => losses }
}
const request = { argv: ['/bin/true'], cwd: '/', env: {}, stdin: '{}', timeoutMs: 5000 }

test('what a host sends without an order, or in a form that is not its own, does not reach the gate', async () => {
  const { host: one } = await start(`
    if (order.type !== 'run') return
    send({ type: 'ready' }); send({ type: 'ended', id: 77 }); send({ type: 'started', id: 77, pid: 1 })
    send({ type: 'stderr', id: 77, text: 'x' })
    send({ cmd: 'NODE_HANDLE', type: 'x', msg: {} })
    send({ type: 'done', id: order.id, goesOn: 'yes', result: { exitCode: 'a', stdout: {}, isTruncated: 1,
      failure: { kind: 'constructor', detail: {} }, durationMs: -1, more: 'x' } })
    send({ type: 'done', id: order.id, result: { exitCode: 0, stdout: 'twice' } })`)
  expect((await one.run(request)).failure?.kind).toBe('host')
  // The gate works on.
  expect((await one.run(request)).failure?.kind).toBe('host')
})

test('a host that sends without an end loses its connection, and the gate grows by nothing of it', async () => {
  const { host: one, losses } = await start(
    `
    if (order.type !== 'run') return
    const { writeSync } = process.getBuiltinModule('fs')
    for (;;)
      try {
        writeSync(3, 'x'.repeat(65536))
      } catch (error) {
        // A full pipe takes more later. A closed one never does.
        if (error.code !== 'EAGAIN') process.exit()
      }`,
  )
  const before = process.memoryUsage().rss
  const result = await one.run({ ...request, timeoutMs: 60_000 })
  expect(result.failure?.kind).toBe('host')
  await until('another host', () => losses() > 0)
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
})
