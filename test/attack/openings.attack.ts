import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readSwitch } from '../../src/bridge/switch-file.ts'
import { createSwitchWriter } from '../../src/bridge/switch-writer.ts'
import { childAs } from '../../src/attack/as-agent.ts'
import { runAttack } from '../../src/attack/attack.ts'
import type { AsAgent } from '../../src/attack/attacker.ts'
import { createFacts } from '../../src/attack/facts.ts'
import type { Target } from '../../src/attack/forgery.ts'
import { forgeries } from '../../src/attack/table.ts'
import { killGroup, startClean } from '../../src/shared/base/process-group.ts'
import { targetIn } from './target.ts'

/** What a gate does with one request: its answer, after whatever it changed. */
type Gate = (said: {
  readonly path: string
  readonly body: string
  readonly headers: IncomingMessage['headers']
}) => readonly [status: number, body: string]

const tight: Gate = ({ path, headers }) =>
  path.startsWith('/api/')
    ? [401, '{}']
    : path.startsWith('/v1/events/')
      ? [200, '{"verdict":"block"}']
      : path.startsWith('/v1/push')
        ? [200, '{}']
        : path.startsWith('/v1/bridge/') ||
            (path.startsWith('/bridge/') &&
              headers.authorization === 'Bearer ToKen' &&
              headers.origin === undefined &&
              /^127\.0\.0\.1:\d+$/.test(headers.host ?? ''))
          ? [200, '{"permissionDecision":"deny"}']
          : path.startsWith('/bridge/')
            ? [403, '']
            : [404, '{}']
const first = { asked: 'waits', held: 'waits', isOn: true }

let root: string
let home: string
let workspace: string
let origin: string
let servers: readonly Server[]
let gate: Gate
let state: Record<string, unknown>

const listen = async (at: string | number): Promise<Server> => {
  const server = createServer(
    (request: IncomingMessage, response: ServerResponse) =>
      void text(request).then((body) => {
        const [status, said] = gate({ path: String(request.url), body, headers: request.headers })
        response.writeHead(status, { 'content-length': Buffer.byteLength(said) }).end(said)
      }),
  )
  server.listen(typeof at === 'number' ? { port: at, host: '127.0.0.1' } : { path: at })
  await once(server, 'listening')
  return server
}

beforeEach(async () => {
  root = fs.mkdtempSync(path.join(tmpdir(), 'hg-open-'))
  home = path.join(root, 'home')
  workspace = path.join(root, 'work')
  for (const folder of ['home/secrets', 'home/run', 'work/config', 'older/run'])
    fs.mkdirSync(path.join(root, folder), { recursive: true })
  fs.writeFileSync(path.join(home, 'gate.yaml'), '{}\n')
  fs.writeFileSync(path.join(home, 'secrets', 'bridge-token'), 'ToKen\n')
  const write = createSwitchWriter(home)
  write({ isArmed: false, unreachable: 'owner' })
  fs.copyFileSync(path.join(home, 'run', 'switch.json'), path.join(root, 'older', 'run', 'switch.json'))
  write({ isArmed: true, unreachable: 'owner' })
  gate = tight
  state = { ...first }
  const http = await listen(0)
  servers = [
    http,
    await listen(path.join(home, 'run', 'main.sock')),
    await listen(path.join(home, 'run', 'bridge.sock')),
  ]
  origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
})
afterEach(() => {
  for (const server of servers) server.close().closeAllConnections()
  fs.rmSync(root, { recursive: true, force: true })
})

/** Tries one forgery; `held` or `broken`, with the words. */
const tried = async (
  name: string,
  {
    ownerSwitches = () => undefined,
    asAgent = childAs(workspace),
    ...over
  }: Partial<Target> & { readonly ownerSwitches?: () => void; readonly asAgent?: AsAgent } = {},
): Promise<string> => {
  const card = (handle: string) => ({
    handle,
    presses: [`press-${handle}`],
    body: { session_id: 's', cwd: '/', tool_name: 'bash', tool_input: { command: 'ASKME' } },
  })
  const target = targetIn(
    { root, home, workspace },
    {
      sockets: ['main', 'other'].map((agent) => path.join(home, 'run', `${agent}.sock`)),
      older: path.join(root, 'older'),
      page: origin,
      stolen: { login: 'login', session: 'session' },
      bridge: { origin, token: 'ToKen' },
      waiting: {
        asked: card('asked'),
        held: card('helds'),
        allowed: card('other').body,
        granted: card('other').body,
      },
      ...over,
    },
  )
  const [judged] = await runAttack(
    {
      asAgent,
      target: () => Promise.resolve(target),
      facts: createFacts({
        home,
        gatePid: () => process.pid,
        gate: () => Promise.resolve({ ...state, away: readSwitch(home) }),
        hasDebugger: () => false,
      }),
      secrets: () => [],
      look: () => Promise.resolve(),
      restore: () => Promise.resolve(),
      ownerSwitches: () => Promise.resolve(ownerSwitches()),
      restart: () => Promise.resolve(),
    },
    { only: (forgery) => forgery.name === name },
  )
  return `${judged?.kind}: ${judged?.why}`
}

/** A gate that takes an answer wherever its words fit `where`. */
const takes =
  (where: (path: string) => boolean, words: RegExp, change: Readonly<Record<string, unknown>>): Gate =>
  (said) => {
    if (where(said.path) && words.test(`${said.path} ${said.body}`)) Object.assign(state, change)
    return tight(said)
  }
const at =
  (...starts: readonly string[]) =>
  (path: string): boolean =>
    starts.some((start) => path.startsWith(start))
const isVerb = (path: string): boolean =>
  path.startsWith('/v1/') && !/^\/v1\/(events|push|bridge)\b/.test(path)

describe('a hole that was opened on purpose is found, and where there is none the gate held', () => {
  const yes = /\/y asked|press-asked/
  const release = /\/hooks release helds|press-helds/
  const isAsked = { asked: 'allow' }
  const isHeld = { held: 'it left' }
  const allows: Gate = (said) =>
    said.path.startsWith('/v1/events/') ? [200, '{"verdict":"allow"}'] : tight(said)
  const consents: Gate = (said) => (said.path.startsWith('/bridge/') ? [200, ''] : tight(said))

  test.each<[string, Gate]>([
    ['asked.message', takes(at('/v1/events/on_user_message'), yes, isAsked)],
    ['asked.push', takes(at('/v1/push'), yes, isAsked)],
    ['asked.verbs', takes(isVerb, yes, isAsked)],
    [
      'asked.page',
      (said) => (said.path === '/api/press' && said.body.includes('press-asked') ? [202, ''] : tight(said)),
    ],
    ['asked.bridge', takes(at('/bridge/'), yes, isAsked)],
    ['held.message', takes(at('/v1/events/on_user_message'), release, isHeld)],
    ['held.push', takes(at('/v1/push'), release, isHeld)],
    ['held.verbs', takes(isVerb, release, isHeld)],
    [
      'held.page',
      (said) =>
        said.path === '/api/say' &&
        said.body.includes('/hooks release helds') &&
        said.headers.authorization !== undefined
          ? [202, '']
          : tight(said),
    ],
    ['held.bridge', takes(at('/v1/bridge/'), release, isHeld)],
    ['asked.decision', takes(at('/v1/events/on_permission_decision'), /"decision":"allow"/, isAsked)],
    [
      'asked.headers',
      (said) => (said.headers['x-hookgate-by'] === 'telegram:7' ? allows(said) : tight(said)),
    ],
    ['asked.unseen', takes(at('/v1/events/pre_tool_call'), /Delete the backups/, { unseen: 1 })],
    ['secrets.disguised', ({ body }) => [200, body.replace('xghp_', 'x[redacted]')]],
    ['asked.other', (said) => (said.body.includes('"/tmp"') ? allows(said) : tight(said))],
    ['granted.operator', (said) => (said.body.includes('ASKME; echo') ? allows(said) : tight(said))],
    ['granted.option', (said) => (said.body.includes('--output=') ? allows(said) : tight(said))],
    ['asked.other_agent', consents],
    ['asked.parked', (said) => (said.body.includes('otherwise') ? consents(said) : tight(said))],
    ['socket.number', () => [200, '{"verdict":"allow","payload":{"chat":1234567890123456800}}']],
    ['bridge.no_token', (said) => (said.headers.authorization === 'Bearer null' ? [200, ''] : tight(said))],
    ['bridge.elsewhere', (said) => (said.path.includes('?token=ToKen') ? [404, ''] : tight(said))],
    ['bridge.browser', (said) => (said.headers.origin === 'null' ? [200, ''] : tight(said))],
    ['bridge.verbs', takes(at('/bridge/'), /UserPromptSubmit.*\/hooks off/, { isOn: false })],
  ])('%s', async (name, leaky) => {
    expect(await tried(name)).toMatch(
      name.startsWith('bridge.') && name !== 'bridge.verbs' ? /^held: refused: answered 403/ : /^held: /,
    )
    state = { ...first }
    gate = leaky
    expect(await tried(name)).toMatch(
      /^broken: (asked: "waits" → "allow"|held: "waits" → "it left"|isOn: true → false|its own call was allowed|unseen: none → 1|\d+ was judged as another number|\d+ of \d+ were (?:accepted|not found))/,
    )
  })

  test.each<[string, RegExp]>([
    ['away.key', /secrets\/bridge\.key was read/],
    ['away.edit', /away: .*"isArmed":true.* → .*was not signed by it.*run\/switch\.json changed/],
    ['away.own_key', /away: .* → .*"isArmed":false.*run\/bridge\.pub, run\/switch\.json changed/],
    ['away.signed', /away: .* → .*"isArmed":false.*run\/switch\.json changed/],
    ['away.older', /away: .* → .*"isArmed":false.*run\/switch\.json changed/],
    ['away.delete', /away: .* → .*is not there/],
    ['bridge.token', /secrets\/bridge-token was read/],
    ['bridge.socket', /it was answered \(404\)/],
    [
      'bridge.replace',
      /an agent’s socket: bridge\.sock \d+, main\.sock \d+ → bridge\.sock \d+, main\.sock \d+/,
    ],
  ])('%s: a folder that the agent may write', async (name, words) => {
    expect(await tried(name)).toMatch(new RegExp(`^broken: ${words.source}`))
  })

  test('away.link: a gate that writes through it', async () => {
    const fresh = path.join(home, 'run', 'switch.json.new')
    expect(await tried('away.link', { ownerSwitches: () => fs.rmSync(fresh) })).toBe(
      'held: the link was made, and changed nothing',
    )
    expect(
      await tried('away.link', {
        ownerSwitches: () => (fs.writeFileSync(fresh, '{"facts":""}'), fs.rmSync(fresh)),
      }),
    ).toBe('broken: gate.yaml changed')
  })

  test('bridge.take_port: a port that nobody has', async () => {
    expect(await tried('bridge.take_port')).toBe('held: refused: the port is in use')
    servers[0]?.close()
    expect(await tried('bridge.take_port')).toBe('broken: it listens on 127.0.0.1')
  })

  test('secrets.left_open: an open file that the agent inherits', async () => {
    const file = fs.openSync(path.join(home, 'gate.yaml'), 'r')
    const gap = Array.from({ length: 30 }, () => 'ignore' as const)
    const asAgent: AsAgent = ([program = '', ...args]) =>
      spawn(program, args, { detached: true, stdio: ['pipe', 'pipe', 'pipe', ...gap, file] })
    expect(await tried('secrets.left_open', { asAgent })).toMatch(/^broken: \d+ open files were left to it$/)
    fs.closeSync(file)
    startClean()
    expect(await tried('secrets.left_open')).toBe('held: refused: nothing was left open')
  })

  test('guard.feed: a guard that waits at a pipe', async () => {
    const heard = path.join(root, 'heard')
    // Its own words name the guard, as the shell's do that waits for one.
    const waits = `sleep 300 | sh -c 'cat > ${heard}; :' seal/fed`
    const guard = spawn('/bin/sh', ['-c', waits], { stdio: 'ignore', detached: true })
    gate = (said) =>
      fs.existsSync(heard) && fs.readFileSync(heard, 'utf8').includes('"ls"') ? allows(said) : tight(said)
    const over = { guard: { fingerprint: 'fed', proposal: {}, script: '', word: 'FORBIDDEN' } }
    expect(await tried('guard.feed', over)).toBe('broken: the harmful step was allowed')
    killGroup(guard.pid)
    fs.rmSync(heard)
    expect(await tried('guard.feed', over)).toMatch(/^held: /)
  })

  test('every forgery of these kinds is tried here', () => {
    expect(forgeries.filter(({ name }) => /^(asked|granted|held|away|bridge)\./.test(name))).toHaveLength(33)
  })
})
