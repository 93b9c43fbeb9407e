import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { maxChain } from '../../../src/core/dispatcher/fire.ts'
import { deepestChain } from '../../../src/handlers/transports/command.ts'
import type { ArmedHook } from '../../../src/core/model/hooks/entry.ts'
import { outside } from '../host/outside.ts'
import { pidOf, survivorsOf, untilGone } from '../host/processes.ts'
import { armed, payloadWith, startRig, within, type Rig } from './rig.ts'
import { needs } from '../../needs.ts'
import { stretched } from '../../stretched.ts'

/** Does with each request what its payload says. */
const obedient = `
const kept = {}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, session_id, payload } = JSON.parse(line)
  const say = (text) => process.stdout.write(text)
  const reply = (answer, as = id) => say(JSON.stringify({ id: as, answer }) + '\\n')
  new Function('id', 'session_id', 'payload', 'say', 'reply', 'kept', payload.tool_input.do)(id, session_id, payload, say, reply, kept)
})`
const hook = armed([process.execPath, '-e', obedient], { type: 'process' })

let rig: Rig
beforeEach(async () => {
  rig = await startRig()
})
afterEach(() => rig.stop())

const ask = (code: string, timeoutMs = 10_000, signal?: AbortSignal, who: ArmedHook = hook) =>
  rig.process.ask(who, payloadWith({ do: code }), within(timeoutMs, signal === undefined ? {} : { signal }))
const state = () => rig.process.state()[0]
const pid = (): number => state()?.pid ?? 0
const simple = 'reply({})'

describe('a resident program', () => {
  test('answers one request a line, as a command would print it', async () => {
    const result = await ask('reply({ session_id, event: payload.event, line: [id] })')
    expect(result).toMatchObject({ exitCode: 0, stderr: '', isTruncated: false })
    expect(result.failure).toBeUndefined()
    expect(JSON.parse(result.stdout)).toEqual({
      session_id: 'synthetic',
      event: 'pre_tool_call',
      line: ['1'],
    })
    expect(result.durationMs).toBeGreaterThan(0)
  })

  test('is started once and stays', async () => {
    const pids = [await ask('reply({ pid: process.pid })'), await ask('reply({ pid: process.pid })')].map(
      ({ stdout }) => stdout,
    )
    expect(pids[0]).toBe(pids[1])
    expect(state()).toMatchObject({ pid: JSON.parse(pids[0] ?? '').pid, restarts: 0, asked: 2, dropped: 0 })
    expect(state()?.uptimeMs).toBeGreaterThan(0)
  })

  test.each([
    [
      'python',
      [
        'python3',
        '-c',
        'import sys, json\nfor line in sys.stdin:\n    print(json.dumps({"id": json.loads(line)["id"], "answer": {"from": "python"}}), flush=True)',
      ],
    ],
    [
      'sh',
      [
        '/bin/sh',
        '-c',
        `while read -r line; do line=\${line#*'"id":"'}; echo '{"id":"'"\${line%%'"'*}"'","answer":{"from":"sh"}}'; done`,
      ],
    ],
  ])('may be written in %s', needs('python3'), async (name, argv) => {
    const written = armed(argv, { type: 'process' })
    for (let round = 0; round < 3; round++) {
      const result = await rig.process.ask(written, payloadWith(), within())
      expect(result).toMatchObject({ exitCode: 0, stdout: JSON.stringify({ from: name }) })
    }
    expect(rig.process.state()).toMatchObject([{ restarts: 0, asked: 3 }])
  })

  test('may answer several requests in any order, each to its own', async () => {
    const first = ask('kept.first = () => reply({ n: 1 })')
    const second = ask('kept.second = () => reply({ n: 2 })')
    const third = ask('reply({ n: 3 }); kept.second(); kept.first()')
    expect((await Promise.all([first, second, third])).map(({ stdout }) => JSON.parse(stdout).n)).toEqual([
      1, 2, 3,
    ])
  })

  test('answers a hundred at once, whole, however its lines are cut', async () => {
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        ask(
          `const text = JSON.stringify({ id, answer: { n: ${n}, text: 'é'.repeat(2000) } }) + '\\n'; say(text.slice(0, 1500)); say(text.slice(1500))`,
        ),
      ),
    )
    expect(results.map(({ stdout }) => JSON.parse(stdout).n)).toEqual(
      Array.from({ length: 100 }, (_, n) => n),
    )
  })

  test('gets the environment of a command, and a chain that makes what it causes a loop', async () => {
    const env = JSON.parse((await ask('reply(process.env)')).stdout)
    expect(env).toMatchObject({
      HOOKGATE_EVENT: 'pre_tool_call',
      HOOKGATE_CHAIN: deepestChain,
      HOME: '/nonexistent',
    })
    expect(deepestChain.split(',').length).toBeGreaterThan(maxChain)
    expect(deepestChain.split(',').every((link) => /^\w+:\w+$/.test(link))).toBe(true)
  })

  test('finds the folder that its plugin is promised', async () => {
    await rig.stop()
    const home = mkdtempSync(join(tmpdir(), 'hookgate-'))
    rig = await startRig({ env: () => ({ HOME: home, CLAUDE_PLUGIN_DATA: join(home, 'plugin') }) })
    const { stdout } = await ask(
      "reply({ found: require('node:fs').existsSync(process.env.CLAUDE_PLUGIN_DATA) })",
    )
    expect(stdout).toBe('{"found":true}')
    rmSync(home, { recursive: true })
  })
})

describe('a reply that nobody waits for', () => {
  test('is dropped when it comes late, and counted', async () => {
    // Its start is not what takes the time.
    await ask(simple)
    const late = await ask('kept.late = () => reply({ late: true })', 300)
    expect(late).toMatchObject({
      exitCode: null,
      failure: { kind: 'timeout', detail: expect.stringContaining('0.3 s') },
    })
    expect(await ask('kept.late(); reply({ mine: true })')).toMatchObject({ stdout: '{"mine":true}' })
    expect(state()).toMatchObject({ dropped: 1, restarts: 0 })
  })

  test('is dropped when its id is unknown, and counted', async () => {
    expect(
      await ask('reply({ stolen: true }, "999"); reply({ stolen: true }, "0"); reply({ mine: true })'),
    ).toMatchObject({ stdout: '{"mine":true}' })
    expect(state()?.dropped).toBe(2)
  })

  test('is dropped when the same request was answered before', async () => {
    await ask('reply({ n: 1 }); reply({ n: 2 })')
    expect(await ask('reply({ n: 3 })')).toMatchObject({ stdout: '{"n":3}' })
    expect(state()?.dropped).toBe(1)
  })

  test('a hundred times in a row ends the program', async () => {
    const result = await ask(
      'for (let n = 0; n < 200; n++) reply({}, "x" + n); setTimeout(() => reply({}), 1000)',
    )
    expect(result).toMatchObject({
      failure: { kind: 'killed', detail: expect.stringContaining('100 times in a row') },
    })
  })
})

describe('a program that breaks the rules', () => {
  test('is heard after one and two lines of garbage, not after three', async () => {
    const nonsense = String.raw`say('hello\n'); say('{"answer":{}}\n');`
    expect(await ask(`${nonsense} reply({ n: 1 })`)).toMatchObject({ stdout: '{"n":1}' })
    expect(await ask(`${nonsense} reply({ n: 2 })`)).toMatchObject({ stdout: '{"n":2}' })
    expect(state()).toMatchObject({ dropped: 4, restarts: 0 })
    const group = outside(pid())
    expect(await ask(String.raw`${nonsense} say('7\n'); setTimeout(() => reply({}), 1000)`)).toMatchObject({
      failure: { kind: 'killed', detail: expect.stringContaining('3 lines in a row') },
    })
    await untilGone(group)
    expect(await ask(simple)).toMatchObject({ exitCode: 0 })
    expect(state()?.restarts).toBe(1)
  })

  test('is ended for a line over 1 MiB, with or without its end', async () => {
    for (const end of ['', String.raw`\n`]) {
      const result = await ask(
        `say('x'.repeat(1024 * 1024 + 1) + '${end}'); setTimeout(() => reply({}), 1000)`,
      )
      expect(result).toMatchObject({
        failure: { kind: 'killed', detail: expect.stringContaining('1048576 bytes') },
      })
    }
  })

  test('is given no request over 1 MiB, and does not pay for it', async () => {
    await ask(simple)
    expect(
      await rig.process.ask(hook, payloadWith({ text: 'x'.repeat(1024 * 1024) }), within()),
    ).toMatchObject({
      failure: { kind: 'limit', detail: expect.stringContaining('takes less than 1048576') },
    })
    expect(await ask(simple)).toMatchObject({ exitCode: 0 })
    expect(state()?.restarts).toBe(0)
  })

  test('answers with a fault when the answer is no object', async () => {
    for (const answer of ['undefined', 'null', '"text"', '[]'])
      expect(await ask(`reply(${answer})`)).toMatchObject({ failure: { kind: 'garbled' } })
  })

  test('stays after two timeouts in a row and is ended by the third', async () => {
    await ask(simple)
    const group = outside(pid())
    await ask('', 100)
    await ask('', 100)
    expect(await ask(simple)).toMatchObject({ exitCode: 0 })
    await expect.poll(() => survivorsOf(group)).toHaveLength(1)
    for (let round = 0; round < 3; round++)
      expect(await ask('', 100)).toMatchObject({ failure: { kind: 'timeout' } })
    await untilGone(group)
    expect(await ask(simple)).toMatchObject({ exitCode: 0 })
    expect(state()).toMatchObject({ restarts: 1, lastError: expect.stringContaining('3 times in a row') })
  })

  test('that closed its stdout without leaving is ended', async () => {
    const mute = armed(['/bin/sh', '-c', 'exec >&- <&-; sleep 60'], { type: 'process' })
    expect(await rig.process.ask(mute, payloadWith(), within(8000))).toMatchObject({
      failure: { kind: 'killed', detail: expect.stringContaining('closed its stdin or stdout') },
    })
  })
})

describe('a program that dies', () => {
  // Which of the two is told first is not settled.
  const ended = expect.stringMatching(/exit code 3|got one closed/)

  test('fails what it was asked at once, and comes back', async () => {
    const startedAtMs = performance.now()
    const waiting = ask('')
    expect(await ask('process.exit(3)')).toMatchObject({
      exitCode: null,
      failure: { kind: 'killed', detail: ended },
    })
    expect(await waiting).toMatchObject({ failure: { kind: 'killed' } })
    expect(performance.now() - startedAtMs).toBeLessThan(stretched(5000))
    expect(await ask(simple)).toMatchObject({ exitCode: 0 })
    expect(state()).toMatchObject({ restarts: 1, lastError: ended })
    expect(rig.told.join('\n')).toMatch(/exit code 3|got one closed/)
  })

  test('again and again comes back later and later, and then waits for the next question', async () => {
    const once = async (): Promise<number> => {
      const fromMs = performance.now()
      await ask('process.exit(1)')
      await ask(simple)
      return performance.now() - fromMs
    }
    // Without any pause.
    const floorMs = await once()
    const startedAtMs = performance.now()
    for (let round = 0; round < 3; round++)
      expect(await ask('process.exit(1)')).toMatchObject({ failure: { kind: 'killed' } })
    // Nothing, then a tenth of a second.
    expect(performance.now() - startedAtMs).toBeGreaterThan(100)
    expect(await ask(simple)).toMatchObject({ exitCode: 0 })
    expect(performance.now() - startedAtMs).toBeGreaterThan(600)
    // An answer in time starts the row anew; the next pause would be a second.
    expect(await once()).toBeLessThan(900 + floorMs)
  })

  test('before it was there tells why it does not start, at once and each time', async () => {
    const missing = armed(['/nowhere/resident'], { type: 'process' })
    for (let round = 0; round < 4; round++) {
      expect(await ask(simple, 400, undefined, missing)).toMatchObject({
        failure: { kind: 'start', detail: expect.stringContaining('/nowhere/resident does not exist') },
      })
    }
  })

  test('is not started anew once its seal is damaged, and whoever asks is told', async () => {
    const marks = mkdtempSync(join(tmpdir(), 'hookgate-'))
    let damaged: string | undefined
    const sealed = armed(
      [
        process.execPath,
        '-e',
        `require('node:fs').writeFileSync(${JSON.stringify(marks)} + '/' + process.pid, ''); ${obedient}`,
      ],
      { type: 'process' },
      { checkSeal: () => damaged },
    )
    try {
      expect(await ask(simple, 10_000, undefined, sealed)).toMatchObject({ exitCode: 0 })
      damaged = 'tampered seal: run.js'
      expect(await ask('process.exit(1)', 10_000, undefined, sealed)).toMatchObject({
        failure: { kind: 'killed' },
      })
      await expect.poll(() => state()?.lastError).toBe(damaged)
      expect(await ask(simple, 5000, undefined, sealed)).toMatchObject({
        failure: { kind: 'changed', detail: damaged },
      })
      expect(readdirSync(marks)).toHaveLength(1)
    } finally {
      rmSync(marks, { recursive: true })
    }
  })

  test('leaves its last words on stderr for doctor, at most 4 KiB', async () => {
    await ask(
      'for (let n = 0; n < 5; n++) process.stderr.write("x".repeat(10000)); process.stderr.write("the end"); process.exit(1)',
    )
    await expect.poll(() => state()?.stderr).toMatch(/xthe end$/)
    expect(state()?.stderr).toHaveLength(4096)
  })
})

describe('a program that is no longer in force', () => {
  test("is ended with who waits for it, and not by the others' ends", async () => {
    await ask(simple)
    const group = outside(pid())
    rig.process.retire(new Set([hook.fingerprint]))
    expect(await ask(simple)).toMatchObject({ exitCode: 0 })
    const waiting = ask('')
    rig.process.retire(new Set())
    expect(await waiting).toMatchObject({ failure: { kind: 'killed' } })
    await untilGone(group)
    expect(rig.process.state()).toEqual([])
    expect(await ask(simple, 10_000, AbortSignal.abort())).toMatchObject({ failure: { kind: 'killed' } })
    expect(rig.process.state()).toEqual([])
  })

  test('is asked by doctor all the same, and stays no longer than its answer', async () => {
    rig.live.add('another one')
    expect(await ask(simple)).toMatchObject({ exitCode: 0 })
    expect(rig.process.state()).toEqual([])
  })

  test('takes its children along', async () => {
    const { stdout } = await ask("reply({ pid: require('node:child_process').spawn('sleep', ['61.5']).pid })")
    expect(JSON.parse(stdout).pid).toBeGreaterThan(1)
    const group = outside(pid())
    // The list of processes is no snapshot: one that changes while it is read may be missing from it.
    await expect.poll(() => survivorsOf(group)).toHaveLength(2)
    rig.process.retire(new Set())
    await untilGone(group)
  })

  test('leaves nothing behind when the gate stops', async () => {
    await ask(simple)
    const group = outside(pid())
    const waiting = ask('')
    await rig.process.stop()
    expect(await waiting).toMatchObject({
      failure: { kind: 'killed', detail: expect.stringContaining('hookgate is stopping') },
    })
    await untilGone(group)
  })

  test('dies with its hook host, and comes back with it', async () => {
    await ask(simple)
    const group = outside(pid())
    const waiting = ask('')
    process.kill(pidOf(rig.host), 'SIGKILL')
    // Both end at the same time, and either is noticed first.
    expect((await waiting).failure?.kind).toMatch(/^(?:host|killed)$/)
    await untilGone(group)
    expect(await ask(simple)).toMatchObject({ exitCode: 0 })
    expect(outside(pid())).not.toBe(group)
  })
})

describe('the place where programs reach the gate', () => {
  test("is the gate's alone, and nobody listens there when nobody is expected", async () => {
    await ask(simple)
    expect(statSync(join(rig.folder, 'run')).mode & 0o777).toBe(0o700)
    expect(readdirSync(join(rig.folder, 'run'))).toEqual([])
  })

  test('takes no one without the token', async () => {
    const path = join(rig.folder, 'run', 's')
    const stopped = pidOf(rig.host)
    // While its hook host sleeps, the gate waits for a program.
    process.kill(stopped, 'SIGSTOP')
    try {
      const asked = ask('reply({ from: "the program" })')
      await expect.poll(() => existsSync(path)).toBe(true)
      for (const token of ['', 'x', '0'.repeat(64), 'y'.repeat(500)]) {
        const stranger = connect(path)
        stranger.write(`${token}\n{"id":"1","answer":{"from":"a stranger"}}\n`)
        stranger.on('error', () => undefined).resume()
        await once(stranger, 'close')
      }
      process.kill(stopped, 'SIGCONT')
      expect(await asked).toMatchObject({ stdout: '{"from":"the program"}' })
    } finally {
      process.kill(stopped, 'SIGCONT')
    }
  })

  test('with a path that is too long is told', async () => {
    await rig.stop()
    const long = mkdtempSync(join(tmpdir(), 'x'.repeat(100)))
    vi.stubEnv('TMPDIR', long)
    rig = await startRig()
    vi.unstubAllEnvs()
    expect(await ask(simple)).toMatchObject({
      failure: { kind: 'limit', detail: expect.stringContaining('may have 103') },
    })
    rmSync(long, { recursive: true })
  })
})
