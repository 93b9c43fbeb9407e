import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createResidentSupervisor,
  type ResidentSupervisor,
} from '../../../../src/handlers/host/resident/supervisor.ts'

let folder: string
let program: Socket
let supervisor: ResidentSupervisor

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hookgate-'))
  const server = createServer({ pauseOnConnect: true }).listen(join(folder, 's'))
  const arrived = once(server, 'connection')
  program = connect(join(folder, 's'))
  const [socket]: Socket[] = await arrived
  server.close()
  supervisor = createResidentSupervisor(
    ({ connected }) => {
      if (socket !== undefined) connected(socket)
    },
    () => undefined,
  )
})
afterEach(() => {
  supervisor.end('The test is over.')
  program.destroy()
  rmSync(folder, { recursive: true })
})

const ask = (timeoutMs: number) => supervisor.ask((id) => `${id}\n`, timeoutMs)
const answer = (id: string) => void program.write(`{"id":"${id}","answer":{"to":"${id}"}}\n`)

describe('a question', () => {
  test('that was answered in time counts as answered, although the gate was held up meanwhile', async () => {
    const first = ask(60_000)
    await once(program, 'data')
    answer('1')
    await first
    const second = ask(20)
    answer('2')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 40)
    expect(await second).toMatchObject({ json: { to: '2' } })
  })

  test('has a time of its own, shorter or longer than that of the one before', async () => {
    const long = ask(60_000)
    expect(await ask(20)).toMatchObject({ failure: { kind: 'timeout' } })
    expect(await ask(10)).toMatchObject({ failure: { kind: 'timeout' } })
    answer('2')
    answer('1')
    expect(await long).toMatchObject({ json: { to: '1' } })
    expect(supervisor.state()).toMatchObject({ asked: 3, dropped: 1, restarts: 0 })
  })
})
