import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer as createHttp } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../until.ts'
import { claude, createAway, leave, words, type Away } from './away.ts'
import { cli } from '../e2e/program.ts'
import { answerOf, call, refusal, runBridge } from './run-bridge.ts'
import { needs } from '../needs.ts'
import { stretched } from '../stretched.ts'

let home = ''
let away: Away
beforeEach(async () => {
  away = await createAway()
  ;({ home } = away)
})
afterEach(() => away.remove())
const ask = (...asked: Parameters<Away['ask']>) => away.ask(...asked)

describe('While the gate is away, what its owner last set decides', () => {
  test.each([
    [
      'armed: it is refused, and told what to start',
      {},
      'its owner left the hooks on. Start it: hookgate start (in a clone: npm start)',
    ],
    ['off: no opinion', { isArmed: false }, undefined],
    ['off for a while that is over: it is refused', { isArmed: false, offUntilMs: 1 }, 'only until now'],
    ['off for a while: no opinion', { isArmed: false, offUntilMs: Date.now() + 3_600_000 }, undefined],
    [
      'off on a node that heard of its gate a moment ago: no opinion',
      { isArmed: false, knownUntilMs: Date.now() + 3_600_000 },
      undefined,
    ],
    [
      'off on a node that has not heard of its gate: it is refused',
      { isArmed: false, knownUntilMs: 1 },
      'has not heard of its gate for 30 s',
    ],
    [
      'off, but gate.yaml says deny: it is refused',
      { isArmed: false, unreachable: 'deny' as const },
      'bridge.unreachable: deny',
    ],
    ['armed, but gate.yaml says allow: no opinion', { unreachable: 'allow' as const }, undefined],
  ])('%s', async (_, facts, why) => {
    leave(home, facts)
    expect(await ask(claude)).toEqual(why === undefined ? undefined : refusal(words(why)))
  })

  test("another gate's own signature counts for nothing", async () => {
    const other = await mkdtemp(join(tmpdir(), 'hookgate-bridge-'))
    for (const name of ['run', 'secrets']) mkdirSync(join(other, '.hookgate', name), { recursive: true })
    leave(home)
    leave(other, { isArmed: false })
    writeFileSync(
      join(home, '.hookgate', 'run', 'switch.json'),
      readFileSync(join(other, '.hookgate', 'run', 'switch.json')),
    )
    expect(await ask(claude)).toEqual(refusal(words('was not signed by it')))
    await rm(other, { recursive: true })
  })

  test("Copilot, which runs a project's hooks for Claude Code too, is answered in its own words", async () => {
    leave(home)
    const why = words('hookgate start')
    expect(await ask(['claude-code', 'PermissionRequest'], { env: { COPILOT_CLI: '1' } })).toEqual({
      behavior: 'deny',
      message: why,
    })
  })
})

describe('A gate that does not answer, or not well, refuses', () => {
  test('one that hangs: before the client loses its patience', async () => {
    leave(home, { isArmed: false })
    await away.listen(createServer(() => undefined))
    const from = performance.now()
    expect(await ask([...claude, '--deadline', '1.5'])).toEqual(refusal(words('did not answer within')))
    expect(performance.now() - from).toBeLessThan(stretched(6000))
  })

  test('a client that never ends what it writes waits no longer', async () => {
    expect(answerOf(await runBridge([...claude, '--deadline', '1'], { home }))).toEqual(
      refusal(words('did not answer')),
    )
  })

  test('one that dies over the question', async () => {
    leave(home)
    await away.gateThat((request) => void request.once('readable', () => request.socket.destroy()))
    expect(await ask(claude)).toEqual(refusal(words('hookgate is not running')))
  })

  test('one that dies over its answer: half of it is none', async () => {
    leave(home)
    await away.gateThat((_, response) => {
      response
        .writeHead(200, { 'content-length': 100 })
        .write('{"hookSpecificOutput"', () => response.destroy())
    })
    expect(await ask(claude)).toEqual(refusal(words('hookgate is not running')))
  })

  test.each([
    ['text', 200, 'yes', 'cannot be read'],
    ['a list', 200, '[]', 'cannot be read'],
    ['an error page', 500, '<html>', 'it answered 500'],
    ['a redirect', 302, '', 'it answered 302'],
    [
      'a refusal',
      429,
      JSON.stringify({ error: { code: 'busy', message: 'Expected less.', fix: '' } }),
      'Expected less.',
    ],
  ])('one that answers %s', async (_, status, body, why) => {
    leave(home, { isArmed: false })
    await away.gateThat(
      (request, response) => void request.resume().once('end', () => response.writeHead(status).end(body)),
    )
    expect(await ask(claude)).toEqual(refusal(words(why)))
  })

  test('one that is going down counts as away', async () => {
    leave(home, { isArmed: false })
    await away.gateThat(
      (request, response) =>
        void request
          .resume()
          .once('end', () =>
            response
              .writeHead(503)
              .end(JSON.stringify({ error: { code: 'gate.stopping', message: '', fix: '' } })),
          ),
    )
    expect(await ask(claude)).toBeUndefined()
  })

  test('one that dies while it waits for a person is asked again until it is back', async () => {
    leave(home)
    const socket = join(home, '.hookgate', 'run', 'bridge.sock')
    const questions: string[] = []
    const dying = createHttp((request) => {
      void readText(request).then((text) => questions.push(text))
      setTimeout(() => {
        dying.close()
        dying.closeAllConnections()
      }, 1300)
    })
    await new Promise<void>((resolve) => dying.listen(socket, resolve))
    dying.once('close', () => {
      setTimeout(() => {
        void away.gateThat((request, response) => {
          void readText(request).then((text) => {
            questions.push(text)
            response.end('{"decision": "approve"}')
          })
        })
      }, 600)
    })
    expect(await ask([...claude, '--deadline', '20'])).toEqual({ decision: 'approve' })
    expect(questions).toEqual([call('ls'), call('ls')])
  })

  test('a client that gives up on the bridge still gets its refusal', async () => {
    let isAsked = false
    await away.gateThat(() => void (isAsked = true))
    const bridged = await runBridge(claude, {
      home,
      stdin: call('ls'),
      meanwhile: async (pid) => {
        await until('the question', () => isAsked)
        process.kill(pid, 'SIGTERM')
      },
    })
    expect(answerOf(bridged)).toEqual(refusal(words('was stopped')))
  })
})

describe('Whatever it is called with, it ends with 0 and says one object or nothing', () => {
  test.each([
    ['nothing', [], refusal(words('got neither. "hookgate bridge install <client>" writes this command'))],
    [
      'no event: that of the payload is refused',
      ['claude-code'],
      refusal(words('Expected "hookgate bridge')),
    ],
    [
      'an unknown client',
      ['claude-cod', 'PreToolUse'],
      refusal(words('hookgate knows no client "claude-cod". "hookgate bridge install <client>"')),
    ],
    ['an option that is none', [...claude, '--force'], refusal(words('--force'))],
    ['a deadline that is none', [...claude, '--deadline', 'soon'], refusal(words('--deadline'))],
    ['one word more', [...claude, 'now'], refusal(words('got more words'))],
    ['names that are none', ['__proto__', 'constructor'], undefined],
    ['an event that is a path', ['claude-code', '../../v1/push'], undefined],
  ])('%s', async (_, args, expected) => {
    leave(home, { isArmed: false })
    expect(await ask(args)).toEqual(expected)
  })

  test('10 MB are too much, are read to their end, and are refused', async () => {
    leave(home, { isArmed: false })
    expect(await ask(claude, { stdin: Buffer.alloc(10_000_000, 120) })).toEqual(
      refusal(words('larger than 8 MB')),
    )
  })

  test('what the gate answers comes out as it is, whole, with nothing beside it', async () => {
    const large = JSON.stringify({ systemMessage: 'ü'.repeat(1_000_000) })
    const seen: unknown[] = []
    await away.gateThat((request, response) => {
      seen.push([
        request.method,
        request.url,
        request.headers['x-hookgate-chain'],
        Number(request.headers['x-hookgate-deadline-ms']),
        Number(request.headers['x-hookgate-ask-ms']),
      ])
      request.resume().once('end', () => response.end(large))
    })
    const { stdout, stderr, code } = await runBridge([...claude, '--deadline', '60'], {
      home,
      stdin: call('ls'),
      env: { HOOKGATE_CHAIN: 'pre_tool_call:e1' },
    })
    expect({ isSame: stdout === large, stderr, code }).toEqual({ isSame: true, stderr: '', code: 0 })
    const [[method, url, chain, deadline, asks]] = seen as [[string, string, string, number, number]]
    expect([method, url, chain]).toEqual(['POST', '/v1/bridge/claude-code/PreToolUse', 'pre_tool_call:e1'])
    for (const ms of [deadline, asks]) expect(ms > 50_000 && ms < 60_000).toBe(true)
  })
})

test(
  'At a terminal, wrong words are told at once: nothing is waited for',
  { ...needs('python3'), timeout: 15_000 },
  async () => {
    const script =
      'import os, pty, sys\npid, fd = pty.fork()\nif pid == 0: os.execv(sys.argv[1], sys.argv[1:])\nout = b""\ntry:\n  while True: out += os.read(fd, 4096)\nexcept OSError: sys.stdout.buffer.write(out)'
    const child = spawn('python3', ['-c', script, process.execPath, cli, 'bridge'], {
      env: { PATH: process.env['PATH'] ?? '', HOME: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    expect(await readText(child.stdout)).toContain(
      'got neither. "hookgate bridge install <client>" writes this command',
    )
  },
)
