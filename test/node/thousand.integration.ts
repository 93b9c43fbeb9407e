import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { newKey } from '../../src/node/identity.ts'
import { createLink } from '../../src/node/link.ts'
import { untilWithin } from '../until.ts'
import { runBareNode } from './rig.ts'

const count = 1000
const descriptors = 20_000
const until = untilWithin(60_000)
const program = fileURLToPath(new URL('many-nodes.ts', import.meta.url))

test(`a gate that may open ${descriptors} files has room for ${count} nodes that do nothing, and loses none of them`, async () => {
  const keys = Array.from({ length: count }, newKey)
  const gate = spawn('sh', ['-c', `ulimit -n ${descriptors}; exec "$0" "$@"`, process.execPath, program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const over = new AbortController()
  let ended: readonly Promise<void>[] = []
  try {
    let told = { port: 0, connected: 0, stayed: 0 }
    createInterface({ input: gate.stdout }).on('line', (line) => {
      told = JSON.parse(line) as typeof told
    })
    gate.stdin.end(keys.map(({ x }) => `${x}\n`).join(''))
    await until('the gate to listen', () => told.port > 0)
    const said: string[] = []
    ended = keys.map((key) =>
      runBareNode({
        link: createLink({ key, gates: [`http://127.0.0.1:${told.port}`], version: '1.0.0' }),
        say: (line) => void said.push(line),
        signal: over.signal,
      }),
    )
    await until('all of them to be connected, and to stay', () => told.stayed === count)
    expect(told.connected).toBe(count)
    expect(said.filter((line) => line.includes('does not serve'))).toEqual([])
  } finally {
    over.abort()
    await Promise.allSettled(ended)
    gate.kill('SIGKILL')
    await once(gate, 'exit')
  }
})
