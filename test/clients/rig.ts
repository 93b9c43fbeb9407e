import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { startModel, type AskedModel } from '../fixtures/model/model.ts'
import type { Reply, Turn } from '../fixtures/model/wire.ts'
import { freePort } from '../../src/attack/gate/free-port.ts'
import { killGroup } from '../../src/shared/base/process-group.ts'
import { startPlane, type Plane } from '../plane.ts'
import { cli } from '../e2e/program.ts'
import { cacheFolder } from './cache.ts'
import type { RealClient } from './clients.ts'

const patienceMs = 240_000

/** What the person asks for. A subagent does not see it. */
export const prompt = 'please do it'

export interface Run {
  readonly code: number | null
  readonly output: string
  /** What the model was asked with its tools on, the oldest first; a title or a summary is not. */
  readonly turns: readonly AskedModel[]
  /** Whether a tool really made this file. */
  made(name: string): boolean
}

export interface Rig {
  readonly plane: Plane
  /** Runs the real client once, with a model that says this; beyond its end the last one stays. */
  run(...says: readonly [Reply, ...Reply[]]): Promise<Run>
  /** The same, with a model that answers each turn by this script. */
  follow(script: (turn: Turn) => Reply): Promise<Run>
  /** `hookgate bridge …` as a person types it. */
  hookgate(...args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }>
  stop(): Promise<void>
}

/** What a hook of these tests says of a line of shell. */
export const judge = `#!/bin/sh
case "$(cat)" in
  *deny-me*) echo '{"decision": "block", "reason": "not on my machine"}' ;;
  *rewrite-me*) echo '{"tool_input": {"command": "touch rewritten"}}' ;;
  *ask-me*) echo '{"decision": "ask", "reason": "it looks odd"}' ;;
esac
`
const hang = '#!/bin/sh\nsleep 60\n'
const refuse = `#!/bin/sh
if [ -e stubborn ]; then echo '{"decision": "block", "reason": "nobody looked at it yet"}'; fi
`

const entries = `hooks:
  - {event: pre_tool_call, command: ./judge.sh, on_error: block}
  - {event: pre_tool_call, command: ./hang.sh, matcher: hang-me, timeout: 2, on_error: block}
  - {event: on_stop, command: ./refuse.sh, on_error: block}
`

/** Nothing that a client wants from elsewhere is reached, whether or not it runs in a network of its own. */
export const offline = {
  http_proxy: 'http://127.0.0.1:9',
  https_proxy: 'http://127.0.0.1:9',
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  no_proxy: '127.0.0.1,localhost',
  NO_PROXY: '127.0.0.1,localhost',
}

/** Runs a program to its end, with nothing at its stdin. */
export const runProgram = async (
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly output: string }> => {
  const [file = '', ...args] = command
  const child = spawn(file, args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  const timer = setTimeout(() => {
    killGroup(child.pid)
  }, patienceMs)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(timer)
  return { code, output }
}

/**
 * A real gate with two hooks in force, a model that says what it is told to, and a real client whose hooks
 * `bridge install` wrote.
 */
export const startRig = async (client: RealClient): Promise<Rig> => {
  const root = mkdtempSync(join(tmpdir(), 'hookgate-client-'))
  const [home, project] = [join(root, 'home'), join(root, 'project')]
  for (const folder of [home, project]) mkdirSync(folder)
  const port = await freePort()
  const plane = await startPlane(
    entries,
    { 'judge.sh': judge, 'hang.sh': hang, 'refuse.sh': refuse },
    {},
    'none',
    { port },
  )
  writeFileSync(join(plane.home, 'gate.yaml'), `bridge: {http: {port: ${port}}}\n`)
  await plane.ask('/hooks approve pre_tool_call ./judge.sh', (answer) => answer.includes('Approved'))
  await plane.ask('/hooks approve pre_tool_call ./hang.sh', (answer) => answer.includes('Approved'))
  await plane.ask('/hooks approve on_stop ./refuse.sh', (answer) => answer.includes('Approved'))
  await plane.ask('/hooks on', (answer) => answer.includes('ON'))
  const model = await startModel(() => ({ text: 'nothing was said yet' }))
  const stage = { home, project, model: model.url, cache: cacheFolder }
  client.prepare(stage)
  const follow: Rig['follow'] = async (script) => {
    for (const name of ['made', 'rewritten']) rmSync(join(project, name), { force: true })
    const before = model.asked.length
    model.follow((turn) => (turn.toolNames.length === 0 ? { text: 'A title' } : script(turn)))
    const ran = await runProgram(client.command(stage, prompt), project, {
      HOME: home,
      ...offline,
      ...client.env(stage),
    })
    return {
      ...ran,
      turns: model.asked.slice(before).filter(({ toolNames }) => toolNames.length > 0),
      made: (name) => existsSync(join(project, name)),
    }
  }
  return {
    plane,
    follow,
    run: (...says) => {
      let at = 0
      return follow(() => says[Math.min(at++, says.length - 1)] ?? says[0])
    },
    hookgate: (...args) =>
      runProgram([process.execPath, cli, 'bridge', ...args], project, {
        HOME: home,
        HOOKGATE_HOME: plane.home,
      }),
    stop: async () => {
      await model.stop()
      await plane.stop()
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}
