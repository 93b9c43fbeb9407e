import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { stretched } from '../stretched.ts'
import { untilWithin } from '../until.ts'
import { startMessenger, type Arrived } from './messenger.ts'
import { longestPause, maxPauseMs } from './pause.ts'
import { createTurns, talk, type Told } from './talker.ts'

const chats = Array.from({ length: 50 }, (_, at) => `chat-${at}`)
const each = 400
/** So many times a process is killed, spread over all that is told, however fast the machine is. */
const maxKills = 12
/** What was asked for before hooks went on may arrive so much later, as an idle desktop counts. */
const usualOnItsWayMs = 300
const program = fileURLToPath(new URL('gate.ts', import.meta.url))
const until = untilWithin(30_000)
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))
/** One in ten says what the hook blocks. */
const textOf = (chat: string, number: number): string =>
  `${chat} ${number}${number % 10 === 7 ? ' forbidden' : ''}`
const numberOf = (text: string): number => Number(text.split(' ')[1])

const childrenOf = (pid: number): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/^.*\) /, '')
          .split(' ')[1] === String(pid)
          ? [Number(name)]
          : []
      } catch {
        return []
      }
    })

test('fifty chats, twenty thousand messages, a messenger that falters, hooks that go on and off, and each process killed now and then: every allowed one arrives once, in order, and none that a hook in force would have blocked', async () => {
  const root = mkdtempSync(join(tmpdir(), 'hookgate-load-'))
  const [home, workspace] = [join(root, 'home'), join(root, 'workspace')]
  mkdirSync(join(workspace, 'config'), { recursive: true })
  writeFileSync(
    join(workspace, 'config', 'shell_hooks.yaml'),
    'hooks:\n  - {event: on_outbound_message, matcher: forbidden, command: ./block.sh, on_error: block}\n',
  )
  writeFileSync(
    join(workspace, 'block.sh'),
    `#!/bin/sh\nprintf '%s' '{"decision": "block", "reason": "no"}'\n`,
  )
  chmodSync(join(workspace, 'block.sh'), 0o755)
  const messenger = await startMessenger()
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: root,
    HOOKGATE_HOME: home,
    HOOKGATE_WORKSPACE: workspace,
    HOOKGATE_PORT: '0',
    HOOKGATE_OWNERS: 'loop:owner',
  }
  let gate: ChildProcess | undefined
  const begin = async (): Promise<void> => {
    gate = spawn(process.execPath, [program, messenger.url], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    await once(gate.stdout ?? gate, 'data')
    await longestPause(gate)
  }
  /** Says something to the gate until it answers so; killed meanwhile, it is told again. */
  const command = async (text: string, holds: (answer: Arrived) => boolean): Promise<void> => {
    for (;;) {
      const from = messenger.arrived.length
      messenger.say(text)
      const answer = await untilWithin(2000)('an answer', () =>
        messenger.arrived
          .slice(from)
          .find((one) => one.kind === 'notice' && one.chat_id === 'owner' && holds(one)),
      ).catch(() => undefined)
      if (answer !== undefined) return
    }
  }
  /** When hooks were surely on: from their answer to the next word of the owner. */
  const on: { readonly fromMs: number; readonly onItsWayMs: number; toMs: number }[] = []
  const told: Told = { outcomes: new Map(), askedAtMs: new Map() }
  const kills = { gate: 0, others: 0 }
  const over = new AbortController()
  const isOver = (): boolean => over.signal.aborted

  const steer = async (): Promise<void> => {
    while (!isOver()) {
      await command('/hooks on', ({ text }) => text.includes('Hooks are ON'))
      const span = {
        fromMs: performance.now(),
        onItsWayMs: stretched(usualOnItsWayMs),
        toMs: Number.POSITIVE_INFINITY,
      }
      on.push(span)
      await pause(400 + Math.random() * 800)
      span.toMs = performance.now()
      if (Math.random() < 0.3) {
        await command('/hooks revoke ./block.sh', ({ text }) =>
          /Revoked|was not approved|No approved hook/.test(text),
        )
        await pause(100)
        await command('/hooks approve on_outbound_message ./block.sh', ({ text }) =>
          /✓ (?:A|Already a)pproved/.test(text),
        )
      } else await command('/hooks off', ({ text }) => text.includes('Hooks are OFF'))
      await pause(Math.random() * 300)
    }
  }
  const kill = async (): Promise<void> => {
    for (let turn = 0; turn < maxKills; turn += 1) {
      const least = ((turn + 1) / (maxKills + 1)) * chats.length * each
      while (!isOver() && told.outcomes.size < least) await pause(10)
      if (isOver()) return
      const children = childrenOf(gate?.pid ?? -1)
      const victim = turn % 3 === 0 ? undefined : children[turn % children.length]
      if (victim !== undefined) {
        process.kill(victim, 'SIGKILL')
        kills.others += 1
      } else {
        const ended = gate === undefined ? undefined : once(gate, 'exit')
        gate?.kill('SIGKILL')
        await ended
        kills.gate += 1
        await begin()
      }
    }
  }

  try {
    await begin()
    await command('/hooks approve on_outbound_message ./block.sh', ({ text }) =>
      /✓ (?:A|Already a)pproved/.test(text),
    )
    for (const chat of chats) messenger.say('help', { chat_id: chat })
    await until(
      'the agent to know its chats',
      () =>
        new Set(messenger.arrived.filter(({ kind }) => kind === 'push').map(({ chat_id }) => chat_id))
          .size === chats.length,
      60_000,
    )
    const others = [steer(), kill()]
    const turns = createTurns()
    messenger.falter()
    await Promise.all(
      chats.map((chat) =>
        talk(
          join(home, 'run', 'main.sock'),
          chat,
          Array.from({ length: each }, (_, number) => textOf(chat, number)),
          told,
          turns,
        ),
      ),
    )
    over.abort()
    await Promise.all(others)
    const pause = gate === undefined ? undefined : await longestPause(gate)

    const arrived = messenger.arrived.filter(
      ({ kind, text }) => kind === 'push' && /^chat-\d+ \d+( forbidden)?$/.test(text),
    )
    const times = Map.groupBy(arrived, ({ text }) => text)
    const seen = {
      kills,
      told: Object.fromEntries(
        [...Map.groupBy(told.outcomes.values(), ({ outcome }) => outcome)].map(([outcome, all]) => [
          outcome,
          all.length,
        ]),
      ),
      switches: on.length,
      pause,
    }
    process.stdout.write(`${JSON.stringify(seen)}\n`)
    // Of the last life of the gate, its start left out.
    expect(pause?.pausedMs).toBeLessThan(maxPauseMs * Math.max(1, pause?.slowness ?? 1))
    expect(told.outcomes.size).toBe(chats.length * each)
    for (const [text, { outcome }] of told.outcomes) {
      const count = times.get(text)?.length ?? 0
      if (outcome === 'delivered') expect([text, count]).toEqual([text, 1])
      else if (outcome === 'unknown') expect([text, count <= 1]).toEqual([text, true])
      else expect([text, outcome, count]).toEqual([text, 'withheld', 0])
      // Or its hook was killed while it was asked, and fails closed.
      if (outcome === 'withheld') expect(text).toMatch(/forbidden$/)
    }
    for (const chat of chats) {
      const numbers = arrived.filter(({ chat_id }) => chat_id === chat).map(({ text }) => numberOf(text))
      expect([chat, numbers]).toEqual([chat, numbers.toSorted((a, b) => a - b)])
    }
    const leaks = arrived.filter(
      ({ text, atMs }) =>
        text.endsWith('forbidden') &&
        on.some(
          ({ fromMs, onItsWayMs, toMs }) =>
            atMs < toMs && ((told.askedAtMs.get(text) ?? 0) > fromMs || atMs > fromMs + onItsWayMs),
        ),
    )
    expect(leaks).toEqual([])
    expect(
      [...told.outcomes.values()].filter(({ outcome }) => outcome === 'withheld').length,
    ).toBeGreaterThan(50)
    expect(kills.gate).toBeGreaterThan(1)
    expect(kills.others).toBeGreaterThan(1)
  } finally {
    over.abort()
    gate?.kill('SIGKILL')
    messenger.stop()
    rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}, 400_000)
