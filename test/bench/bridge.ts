import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent } from 'undici'
import { buildProgram } from '../build-program.ts'
import type { BenchGate } from './gate.ts'
import { awaited, measure, type Measured } from './measure.ts'

/** A step about which no hook has an opinion: what is left is the way there and back. */
const stdin = JSON.stringify({
  session_id: 'bench',
  cwd: '/',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'ls -la' },
  tool_use_id: 't1',
})

const run = async (args: readonly string[], env: Readonly<Record<string, string>>): Promise<void> => {
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  child.stdin.end(stdin)
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0 || said !== '')
    throw new Error(`Expected no opinion of ${args.join(' ')}, got ${code} and ${JSON.stringify(said)}`)
}

/**
 * An event of a foreign agent, by the process that its hook starts, as it is published, beside a hook of the
 * client's own that does nothing.
 */
export const measureBridge = async (gate: BenchGate): Promise<Measured> => {
  const folder = await mkdtemp(join(tmpdir(), 'hookgate-bench-'))
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, HOOKGATE_HOME: gate.home }
  try {
    const cli = await buildProgram(folder)
    const times = await measure(
      [
        awaited('node --eval 0', () => run(['--eval', '0'], env)),
        awaited('hookgate bridge', () => run([cli, 'bridge', 'claude-code', 'PreToolUse'], env)),
      ],
      { rounds: 20, burst: 2, warmUps: 5 },
    )
    return { times }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The same event as an HTTP hook, beside a server that answers 204 to anything. */
export const measureBridgeHttp = async (gate: BenchGate): Promise<Measured> => {
  const server = createServer(
    (request, response) => void request.resume().once('end', () => response.writeHead(204).end()),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new Agent()
  const token = (await readFile(join(gate.home, 'secrets', 'bridge-token'), 'utf8')).trim()
  const post = async (to: number, expected: number): Promise<void> => {
    const answered = await agent.request({
      origin: `http://127.0.0.1:${to}`,
      path: '/bridge/claude-code/PreToolUse',
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: stdin,
    })
    const text = await answered.body.text()
    if (answered.statusCode !== expected || text !== '')
      throw new Error(`Expected ${expected} and nothing, got ${answered.statusCode} and ${text}`)
  }
  const { port: bare } = server.address() as AddressInfo
  try {
    const times = await measure(
      [awaited('bare 204', () => post(bare, 204)), awaited('HTTP hook', () => post(gate.bridgePort, 200))],
      { rounds: 40, burst: 25, warmUps: 500 },
    )
    return { times }
  } finally {
    await agent.destroy()
    server.closeAllConnections()
    server.close()
  }
}
