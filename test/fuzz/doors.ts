import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type NetConnectOpts } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../src/attack/gate/free-port.ts'
import { isObject, type Json } from '../../src/core/model/base/json.ts'
import { startBotApi } from '../fixtures/bot-api/server.ts'
import type { Door, Target } from './target.ts'

/** A server that has not answered half a request by then waits for the rest of it. */
const patienceMs = 300
/** An answer to a health question that takes longer means that the gate hangs. */
const healthMs = 10_000
const program = fileURLToPath(new URL('gate.ts', import.meta.url))
const token = '1234:fuzz-token'

interface Health {
  readonly heldBytes: number
  readonly longestTurnMs: number
}

interface Gate {
  readonly home: string
  readonly port: number
  /** The port for nodes. */
  readonly nodesPort: number
  health(): Promise<Health>
  /** Throws when the gate ended. */
  check(): void
  stop(): Promise<void>
}

const startGate = async (env: Readonly<Record<string, string>> = {}): Promise<Gate> => {
  const root = mkdtempSync(join(tmpdir(), 'hookgate-fuzz-'))
  const [home, workspace] = [join(root, 'home'), join(root, 'workspace')]
  mkdirSync(join(workspace, 'config'), { recursive: true })
  writeFileSync(join(workspace, 'config', 'shell_hooks.yaml'), 'hooks: []\n')
  mkdirSync(home)
  const nodesPort = await freePort()
  writeFileSync(join(home, 'gate.yaml'), `separation: none\nnodes: {port: ${nodesPort}}\n`)
  const child: ChildProcess = fork(program, {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: root,
      HOOKGATE_HOME: home,
      HOOKGATE_WORKSPACE: workspace,
      HOOKGATE_PORT: '0',
      HOOKGATE_OWNERS: 'telegram:7',
      ...env,
    },
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4000)))
  const check = (): void => {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The gate ended with ${child.exitCode ?? child.signalCode}:\n${said}`)
  }
  const [ready] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => [undefined]),
  ])) as [{ port: number } | undefined]
  if (ready === undefined) check()
  return {
    home,
    port: ready?.port ?? 0,
    nodesPort,
    check,
    health: async () => {
      // A gate that ends closes its channel first.
      if (!child.connected && child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      check()
      const answered = once(child, 'message', { signal: AbortSignal.timeout(healthMs) })
      child.send('health')
      const [health] = (await answered.catch(() => {
        check()
        throw new Error(`The gate said nothing for ${healthMs} ms.`)
      })) as [Health]
      return health
    },
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit')
        child.disconnect()
        await ended
      }
      rmSync(root, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

const latin = (text: string): Buffer => Buffer.from(text, 'utf8')

/** Writes the bytes, ends its side, and resolves when the other side has ended too, or had time enough. */
const exchange = (to: NetConnectOpts, bytes: Buffer): Promise<void> =>
  new Promise((done) => {
    const socket = connect(to)
    const end = (): void => void socket.destroy()
    socket
      .setTimeout(patienceMs, end)
      .on('error', end)
      .on('close', () => done())
      .resume()
    socket.end(bytes)
  })

/** Content-Length as it would be, except where the input says something of its own. */
const request = (method: string, path: string, body = '', headers = ''): string =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

/** The length that is told is mended, so that changes of the body reach the reader of the body. */
const mended = (input: string): string => {
  const at = input.indexOf('\r\n\r\n')
  if (at === -1 || input.length % 4 === 0) return input
  const length = Buffer.byteLength(input.slice(at + 4))
  return input.slice(0, at).replace(/Content-Length: \d+/i, `Content-Length: ${length}`) + input.slice(at)
}

/** Inputs are HTTP as bytes, and the gate has to answer words about its health throughout. */
const overSocket = (where: (gate: Gate) => NetConnectOpts) => async (): Promise<Door> => {
  const gate = await startGate()
  const to = where(gate)
  return {
    take: async (input) => {
      await exchange(to, latin(mended(input)))
      gate.check()
    },
    longestTurnMs: async () => (await gate.health()).longestTurnMs,
    heldBytes: async () => (await gate.health()).heldBytes,
    close: gate.stop,
  }
}

const payload = JSON.stringify({
  session_id: 's',
  tool_name: 'bash',
  tool_input: { command: 'ls' },
  tool_use_id: 't',
})
const person = { id: 7, is_bot: false, first_name: 'Ann' }
const chat = { id: 7, type: 'private' }
const said = (text: string, rest: Readonly<Record<string, Json>> = {}): string =>
  JSON.stringify({ message: { message_id: 9, date: 4_000_000_000, text, chat, from: person, ...rest } })

const httpWords = [
  '\r\n',
  '\r\n\r\n',
  'Transfer-Encoding: chunked\r\n',
  '0\r\n\r\n',
  'Content-Length: 5\r\n',
  'Origin: null\r\n',
  'Expect: 100-continue\r\n',
  'Upgrade: websocket\r\n',
  '%00',
  '/../',
  '//',
  '?',
  '{',
  '}',
  '"',
  ':',
]

const jwtPart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
/** A proof in the right form whose signature is none. */
const unsignedProof = [
  jwtPart({ typ: 'dpop+jwt', alg: 'EdDSA', jwk: { kty: 'OKP', crv: 'Ed25519', x: 'k'.repeat(43) } }),
  jwtPart({ htm: 'POST', htu: 'http://127.0.0.1/v1/node/lines', jti: '1', iat: 1 }),
  'AAAA',
].join('.')
const provenByNobody = `x-hookgate-protocol: 3\r\nDPoP: ${unsignedProof}\r\n`

/** What is reached through a whole gate that runs beside the fuzzer. */
export const doors = {
  'agent-interface': {
    of: 'the interface of agents',
    maxChars: 60_000,
    words: httpWords,
    seeds: [
      request('POST', '/v1/events/pre_tool_call', payload),
      request(
        'POST',
        '/v1/events/on_user_message',
        JSON.stringify({ session_id: 's', message: 'hello', kind: 'message' }),
      ),
      request('POST', '/v1/push', JSON.stringify({ chat_id: 'x', type: 'text', text: 'hello' })),
      request('POST', '/v1/builtins/1', '{"call": 1}'),
      request('GET', '/v1/world'),
      request('GET', '/v1/files/abc'),
      request('GET', '/v1/inbox'),
      request(
        'POST',
        '/v1/model/chat/completions',
        JSON.stringify({ messages: [{ role: 'user', content: 'x' }] }),
      ),
    ],
    open: overSocket(({ home }) => ({ path: join(home, 'run', 'main.sock') })),
  },
  bridge: {
    of: 'the socket of bridged clients',
    maxChars: 60_000,
    words: httpWords,
    seeds: [
      request(
        'POST',
        '/v1/bridge/claude-code/PreToolUse',
        JSON.stringify({ session_id: 's', cwd: '/', tool_name: 'Bash', tool_input: { command: 'ls' } }),
      ),
    ],
    open: overSocket(({ home }) => ({ path: join(home, 'run', 'bridge.sock') })),
  },
  page: {
    of: 'the port of the local page',
    maxChars: 30_000,
    words: httpWords,
    seeds: [
      request('GET', '/'),
      request('GET', '/login?code=abc'),
      request('GET', '/api/stream', '', 'Accept: text/event-stream\r\n'),
      request('POST', '/api/say', '{"text": "/hooks on"}', 'Content-Type: application/json\r\n'),
    ],
    open: overSocket(({ port }) => ({ host: '127.0.0.1', port })),
  },
  nodes: {
    of: 'the port for nodes',
    maxChars: 30_000,
    words: [...httpWords, 'DPoP: ', 'dpop+jwt', 'EdDSA', '"jwk"', '.', 'x-hookgate-protocol: 3\r\n'],
    seeds: [
      request('POST', '/v1/node/enrol', '{"code": "abc", "key": "x"}', 'x-hookgate-protocol: 3\r\n'),
      request('POST', '/v1/node/lines', '{"number": 0}', provenByNobody),
      request('POST', '/v1/node/agents/main/v1/push', '{}', provenByNobody),
    ],
    open: overSocket(({ nodesPort }) => ({ host: '127.0.0.1', port: nodesPort })),
  },
  telegram: {
    of: 'updates of the Bot API, through grammY to the gate',
    maxChars: 60_000,
    words: [
      '"text"',
      '"entities"',
      '"caption"',
      '"photo"',
      '"document"',
      '"forward_origin"',
      '"callback_query"',
      '/hooks ',
      'approve',
      '\\n',
      '{',
      '}',
      ':',
    ],
    seeds: [
      said('hello'),
      said('/hooks'),
      said('/hooks approve pre_tool_call ./a.sh', {
        entities: [{ type: 'bot_command', offset: 0, length: 6 }],
      }),
      JSON.stringify({
        callback_query: {
          id: '1',
          from: person,
          data: 'x:1',
          chat_instance: '1',
          message: { message_id: 9, date: 1, chat, text: 'card' },
        },
      }),
      said('', {
        document: { file_id: 'f', file_unique_id: 'u', file_size: 5, file_name: 'a.txt' },
        caption: 'see',
      }),
    ],
    open: async () => {
      const api = await startBotApi({ token })
      const gate = await startGate({ TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: api.root })
      return {
        take: async (input) => {
          const update = readObject(input)
          if (update === undefined) return
          api.inject(update)
          // A poll takes what waits, and the next poll says that it was taken.
          const endsAtMs = Date.now() + healthMs
          while (api.pending().length > 50) {
            gate.check()
            if (Date.now() > endsAtMs) throw new Error(`No update was taken for ${healthMs} ms.`)
            await new Promise((done) => setTimeout(done, 2))
          }
        },
        longestTurnMs: async () => (await gate.health()).longestTurnMs,
        heldBytes: async () => (await gate.health()).heldBytes,
        close: async () => {
          await gate.stop()
          await api.stop()
        },
      }
    },
  },
} as const satisfies Readonly<Record<string, Target>>

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const json = JSON.parse(text) as Json
    return isObject(json) ? { ...json } : undefined
  } catch {
    return undefined
  }
}
