import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../src/attack/gate/free-port.ts'
import { stretched } from '../stretched.ts'
import { untilWithin } from '../until.ts'
import { startMessenger } from './messenger.ts'
import { longestPause, maxPauseMs } from './pause.ts'

/** Fewer than each flood takes, so that a flood without bounds would leave none. */
const descriptors = 1024
const answerMs = 1000
const program = fileURLToPath(new URL('gate.ts', import.meta.url))
const half = fileURLToPath(new URL('half-requests.ts', import.meta.url))
const until = untilWithin(30_000)
const root = mkdtempSync(join(tmpdir(), 'hookgate-floods-'))
const home = join(root, 'home')

let gate: ChildProcess
let messenger: Awaited<ReturnType<typeof startMessenger>>
let [page, loopback] = [0, 0]

beforeAll(async () => {
  messenger = await startMessenger()
  page = await freePort()
  loopback = await freePort()
  mkdirSync(join(root, 'workspace', 'config'), { recursive: true })
  mkdirSync(home)
  writeFileSync(
    join(root, 'workspace', 'config', 'shell_hooks.yaml'),
    `hooks:
  - {event: pre_tool_call, matcher: "(rm|dd) -rf", command: ./block.sh}
  - {event: pre_tool_call, matcher: "answer ", command: ./answer.cjs, on_error: block}
`,
  )
  writeFileSync(join(root, 'workspace', 'answer.cjs'), answering, { mode: 0o755 })
  writeFileSync(join(root, 'workspace', 'block.sh'), '#!/bin/sh\necho no >&2\nexit 2\n', { mode: 0o755 })
  writeFileSync(join(home, 'gate.yaml'), `bridge: {http: {port: ${loopback}}}\n`)
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: root,
    HOOKGATE_HOME: home,
    HOOKGATE_WORKSPACE: join(root, 'workspace'),
    HOOKGATE_PORT: String(page),
    HOOKGATE_OWNERS: 'loop:owner',
  }
  const line = `ulimit -n ${descriptors}; exec "$0" "$@"`
  const words = ['-c', line, process.execPath, program, messenger.url]
  gate = spawn('sh', words, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  await once(gate.stdout ?? gate, 'data')
  // A start may take its time.
  await longestPause(gate)
}, 60_000)
afterAll(() => {
  gate.kill('SIGKILL')
  messenger.stop()
  rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})

/** How long the owner's word took to be carried out and answered, in milliseconds. */
const say = async (text: string, words: string): Promise<number> => {
  const from = messenger.arrived.length
  const sentMs = performance.now()
  messenger.say(text)
  await until(`"${words}"`, () =>
    messenger.arrived
      .slice(from)
      .find(
        ({ kind, chat_id, text: said }) => kind === 'notice' && chat_id === 'owner' && said.includes(words),
      ),
  )
  return performance.now() - sentMs
}
/** Turns hooks on and off while it goes on, and expects each off within a second. */
const expectSwitch = async (): Promise<void> => {
  for (let round = 0; round < 3; round++) {
    await say('/hooks on', 'Hooks are ON')
    expect(await say('/hooks off', 'Hooks are OFF')).toBeLessThan(stretched(answerMs))
  }
}
/** What one pass over an event of 8 MB takes on this machine, at least, in milliseconds of processor time. */
const passMs = (): number => {
  const value = { text: '\n'.repeat(4_000_000) }
  const passes = Array.from({ length: 5 }, () => {
    const before = process.threadCpuUsage()
    JSON.stringify(value)
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...passes)
}
/**
 * That the flood held the thread no longer than that, as an idle desktop counts milliseconds. A collection of
 * the whole memory may fall into one flood by chance. What the gate does itself it does in each flood.
 * `leastMs`: what cannot be less on this machine.
 */
const expectNoPause = async (flood: () => Promise<void>, leastMs = (): number => 0): Promise<void> => {
  for (let tries = 3; ; tries--) {
    await longestPause(gate)
    await flood()
    const pause = await longestPause(gate)
    process.stdout.write(`${JSON.stringify(pause)}\n`)
    const mostMs = Math.max(maxPauseMs * Math.max(1, pause.slowness), leastMs())
    if (pause.pausedMs < mostMs) return
    if (tries === 1) expect(pause.pausedMs).toBeLessThan(mostMs)
  }
}
const memoryMb = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gate.pid}/status`, 'utf8'))?.[1]) / 1024
/** The process that the agent runs in, by the path of its program. */
const agentHost = (): number => {
  const text = readFileSync(`/proc/${gate.pid}/task/${gate.pid}/children`, 'utf8')
  const children = text.trim().split(' ').map(Number)
  const found = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('agents/host'))
  if (found === undefined) throw new Error('Expected the gate to have an agent host.')
  return found
}

/** Another process, so that its work delays no caller here. It has connected as often as it wants to hold. */
const halfRequests = async (port: number, count: number): Promise<() => void> => {
  const words = [half, String(port), String(count)]
  const stranger = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(stranger.stdout, 'data')
  return () => void stranger.kill('SIGKILL')
}

const exchange = async (options: object, body: string): Promise<IncomingMessage> => {
  const sent = httpRequest({ method: 'POST', agent: false, ...options })
  // An answer may come before all is sent, and then nobody takes the rest.
  sent.on('error', () => undefined).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return response
}
const ask = async (options: object, body: string): Promise<number> => {
  const response = await exchange(options, body)
  await once(response.resume(), 'end')
  return response.statusCode ?? 0
}

test('half requests at the page take nothing that the gate needs to turn hooks off', async () => {
  const stop = await halfRequests(page, 2 * descriptors)
  await expectNoPause(expectSwitch)
  expect(await ask({ host: '127.0.0.1', port: page, path: '/healthz', method: 'GET' }, '')).toBe(200)
  stop()
}, 60_000)

test('half requests at the HTTP hooks shut no client out that has the token', async () => {
  const stop = await halfRequests(loopback, 2 * descriptors)
  const token = readFileSync(join(home, 'secrets', 'bridge-token'), 'utf8').trim()
  const headers = { authorization: `Bearer ${token}` }
  const to = { host: '127.0.0.1', port: loopback, path: '/bridge/claude-code/Stop', headers }
  const body = JSON.stringify({ session_id: 's', cwd: '/', hook_event_name: 'Stop' })
  // A connection may be closed before its request arrives, as the oldest of those that said nothing yet. A
  // client comes again then.
  const askAgain = (tries: number): Promise<number> =>
    ask(to, body).catch((error: unknown) => {
      if (tries === 0) throw error
      return askAgain(tries - 1)
    })
  await expectNoPause(async () => {
    for (let round = 0; round < 20; round++) {
      expect(await askAgain(2)).toBe(200)
    }
    await expectSwitch()
  })
  stop()
}, 60_000)

test('thousands of messages for an agent that does not go on take a bounded part of the memory', async () => {
  const host = agentHost()
  process.kill(host, 'SIGSTOP')
  const before = memoryMb()
  await expectNoPause(async () => {
    for (let at = 0; at < 8000; at++) messenger.say(`${at} ${'x'.repeat(4000)}`)
    await expectSwitch()
  })
  const most = memoryMb()
  process.kill(host, 'SIGCONT')
  const told = messenger.arrived.filter(({ text }) => text.includes('Too many of your messages are waiting'))
  process.stdout.write(`${JSON.stringify({ before, most, told: told.length })}\n`)
  expect(told.length).toBeGreaterThan(0)
  expect(told.length).toBeLessThan(20)
  expect(most - before).toBeLessThan(200)
}, 90_000)

/** Such a pass took 15 ms where this was written. A turn has one pass and a collection or two. */
const leastOfLargestMs = (): number => 5 * passMs()
const named = (count: number): string =>
  Array.from({ length: count }, (_, at) => `"name${at}":${at}`).join(',')
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
/** What an agent can put beside the command of one call, and what it is answered. */
const largest: readonly (readonly [what: string, fields: () => string, status: number])[] = [
  ['one text', () => `"text":"${'word '.repeat(1_600_000)}"`, 200],
  ['a text of line ends, each of them an escape', () => `"text":"${'\\n'.repeat(4_000_000)}"`, 200],
  ['a text of halves of characters', () => `"text":"${'\\ud800'.repeat(1_300_000)}"`, 200],
  ['as many names as one event may have', () => named(16_000), 200],
  ['more names than that', () => named(400_000), 413],
  ['a name that stands twice, at the end', () => `${named(16_000)},"name0":0`, 400],
  ['a list 10 000 deep', () => `"list":${nested(10_000)}`, 400],
  ['a list as deep as can be', () => `"list":${nested(4_000_000)}`, 413],
  ['names under the one of the prototype', () => `"__proto__":{${named(16_000)}}`, 200],
]
/** Fires that event several times at once, as an agent would that wants the gate to stand still. */
const atOnce = <Answer>(work: (options: object, body: string) => Promise<Answer>, body: string) => {
  const headers = { 'content-type': 'application/json' }
  const to = { socketPath: join(home, 'run', 'main.sock'), path: '/v1/events/pre_tool_call', headers }
  return Promise.all(Array.from({ length: 5 }, () => work(to, body)))
}
const callOf = (command: string, fields = '"text":""'): string =>
  `{"session_id":"s","cwd":"/","tool_name":"bash","tool_input":{"command":"${command}",${fields}}}`

describe('events of up to 8 MB that a hook is asked about hold the thread no longer than an owner would feel', () => {
  beforeAll(async () => {
    await say('/hooks approve pre_tool_call ./block.sh', '✓ Approved')
  })
  test.each(largest)(
    '%s',
    async (_, fields, status) => {
      await say('/hooks on', 'Hooks are ON')
      const body = callOf('rm -rf /', fields())
      await expectNoPause(async () => {
        const asked = atOnce(ask, body)
        await expectSwitch()
        expect(new Set(await asked)).toEqual(new Set([status]))
      }, leastOfLargestMs)
    },
    90_000,
  )
})

/** What a hook can say, as JavaScript, and the verdict about the step. The hook blocks when it fails. */
const said: Readonly<Record<string, readonly [words: string, verdict: string]>> = {
  'more than is read': [`'{"reason":"' + 'x'.repeat(8e6) + '"}'`, 'block'],
  'a long reason': [`'{"decision":"block","reason":"' + 'x'.repeat(1e6) + '"}'`, 'block'],
  'halves of characters': [`'{"decision":"block","reason":"' + '\\\\ud800'.repeat(170_000) + '"}'`, 'block'],
  'as many names as are read': [`'{' + names(16_000) + '}'`, 'allow'],
  'more names than that': [`'{' + names(100_000) + '}'`, 'block'],
  'a rewrite of many names': [`'{"tool_input":{' + names(16_000) + '}}'`, 'allow'],
  'a name that stands twice': [`'{' + names(16_000) + ',"1":1}'`, 'block'],
  'a list 10 000 deep': [`'{"reason":' + nested(10_000) + '}'`, 'block'],
  'a list as deep as can be': [`'{"tool_input":' + nested(500_000) + '}'`, 'block'],
  'names under the one of the prototype': [
    `'{"__proto__":{"decision":"block",' + names(16_000) + '}}'`,
    'allow',
  ],
}
const answering = `#!${process.execPath}
const names = (count) => Array.from({ length: count }, (_, at) => '"' + at + '":1').join(',')
const nested = (levels) => '['.repeat(levels) + ']'.repeat(levels)
const said = { ${Object.entries(said)
  .map(([what, [words]]) => `${JSON.stringify(what)}: () => ${words}`)
  .join(',\n')} }
const { tool_input } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
process.stdout.write(said[tool_input.command.slice(7)]())
`
describe('answers of up to 8 MB of a hook hold the thread no longer, and what cannot be read blocks', () => {
  beforeAll(async () => {
    await say('/hooks approve pre_tool_call ./answer.cjs', '✓ Approved')
    await say('/hooks on', 'Hooks are ON')
  })
  test.each(Object.entries(said))(
    '%s',
    async (what, [, verdict]) => {
      await expectNoPause(async () => {
        const asked = await atOnce(async (...call) => json(await exchange(...call)), callOf(`answer ${what}`))
        expect(asked.map((answer) => Object(answer).verdict)).toEqual(asked.map(() => verdict))
      })
    },
    90_000,
  )
})

/** Such a turn also copies what the buffers of 120 connections hold, some 25 MB of new memory. */
const leastOfManyMs = (): number => 2 * leastOfLargestMs()
test('answers of 8 MB that nobody reads take a bounded part of the memory', async () => {
  const before = memoryMb()
  const tool_input = { text: 'x'.repeat(8_000_000) }
  const text = JSON.stringify({ session_id: 's', cwd: '/', tool_name: 'x', tool_input })
  const path = '/v1/events/pre_tool_call'
  const head = `POST ${path} HTTP/1.1\r\nhost: gate\r\ncontent-length: ${text.length}\r\n\r\n`
  let most = 0
  const watching = setInterval(() => (most = Math.max(most, memoryMb())), 50)
  onTestFinished(() => clearInterval(watching))
  await expectNoPause(async () => {
    const readers = Array.from({ length: 120 }, () => {
      const socket = connect(join(home, 'run', 'main.sock')).on('error', () => undefined)
      socket.pause()
      socket.write(head)
      socket.write(text)
      return socket
    })
    await expectSwitch()
    await until('them to be over', () =>
      readers.every(
        ({ bytesWritten, closed, writableLength: unsent }) =>
          closed || (bytesWritten > text.length && unsent === 0),
      ),
    )
    for (const socket of readers) socket.destroy()
  }, leastOfManyMs)
  process.stdout.write(`${JSON.stringify({ before, most })}\n`)
  expect(most - before).toBeLessThan(600)
}, 90_000)

test('an approval that seals 500 files of 20 MB, and the first run of that hook, hold up no command', async () => {
  const folder = join(root, 'workspace', '.claude', 'hooks')
  mkdirSync(folder, { recursive: true })
  for (let at = 1; at < 500; at++) writeFileSync(join(folder, `${at}.txt`), `${at} ${'word '.repeat(8300)}`)
  writeFileSync(join(folder, 'large.sh'), '#!/bin/sh\ncat > /dev/null\n', { mode: 0o755 })
  const hooks = { Stop: [{ hooks: [{ type: 'command', command: './.claude/hooks/large.sh' }] }] }
  writeFileSync(join(folder, '..', 'settings.json'), JSON.stringify({ hooks }))
  const proposals = join(root, 'workspace', 'config', 'shell_hooks.yaml')
  appendFileSync(proposals, 'sources:\n  - claude-code: .claude/settings.json\n')
  // The last file that the card names: then all of it was shown.
  await say('/hooks show ./.claude/hooks/large.sh', '/99.txt')
  await expectNoPause(async () => {
    const approving = say('/hooks approve on_stop ./.claude/hooks/large.sh', '✓ Approved')
    await expectSwitch()
    process.stdout.write(`${JSON.stringify({ approvedMs: Math.round(await approving) })}\n`)
  })
  const headers = { 'content-type': 'application/json' }
  const to = { socketPath: join(home, 'run', 'main.sock'), path: '/v1/events/on_stop', headers }
  await expectNoPause(async () => {
    await say('/hooks on', 'Hooks are ON')
    const asked = ask(to, JSON.stringify({ session_id: 's', cwd: '/', response: 'done' }))
    await expectSwitch()
    expect(await asked).toBe(200)
  })
}, 120_000)

test('files of the workspace that take any parser long, and a pipe in the way of agent.yaml, hold up nobody', async () => {
  const config = join(root, 'workspace', 'config')
  // Nested keys: a parser takes twice as long for each one more.
  writeFileSync(join(config, 'shell_hooks.yaml'), '? '.repeat(2000))
  const keys = Array.from({ length: 24_000 }, (_, at) => `k${at}: 1\n`).join('')
  writeFileSync(join(config, 'agent.yaml'), keys)
  const pipe = join(config, `agent.yaml.hookgate-${gate.pid}`)
  const line = 'while :; do mkfifo "$0" 2> /dev/null; done'
  const maker = spawn('sh', ['-c', line, pipe], { stdio: 'ignore' })
  onTestFinished(() => void maker.kill('SIGKILL'))
  const isGivenUp = (): boolean => messenger.arrived.some(({ text }) => text.includes('too hard to read'))
  await expectNoPause(async () => {
    while (!isGivenUp()) await expectSwitch()
    await expectSwitch()
  })
}, 90_000)
