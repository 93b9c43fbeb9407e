import { believing } from '../../consent.ts'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createMemory, type MemoryChannel } from '../../../bots/memory/memory.ts'
import { decodeFor, envFor, stdinFor, viewFor } from '../../../src/dialects/dialects.ts'
import { connectDispatcher } from '../../../src/compose/outbound.ts'
import type { Dispatcher, DispatcherPorts } from '../../../src/core/dispatcher/dispatcher.ts'

import { inertHooks } from '../../../src/compose/health/inert.ts'
import {
  createObservedHooks as createHooks,
  type ObservedHooks as Hooks,
} from '../../../src/handlers/observers/observed-hooks.ts'
import { createHookEnv } from '../../../src/handlers/world/hook-env.ts'
import { createCommandTransport } from '../../../src/handlers/transports/command.ts'
import { faultAnswer } from '../../../src/core/model/hooks/answer.ts'
import type { Channel, ChannelPorts, Limit } from '../../../src/core/model/chat/channel.ts'
import type { Entry } from '../../../src/core/model/hooks/entry.ts'
import type { Prose } from '../../../src/core/model/chat/prose.ts'
import type { Address, AgentPush, HeldPush } from '../../../src/core/model/chat/push.ts'
import type { Notices } from '../../../src/notices/notices.ts'
import { createFileStore } from '../../../src/store/files.ts'
import { openStoreHere } from '../../store/here.ts'
import type { Store } from '../../../src/store/store.ts'
import { anEntry, openFixtureGate, type FixtureGate } from '../gatekeeper/gate-fixture.ts'
import { leaveHost, takeHost } from '../../hook-host.ts'
import { until } from '../../until.ts'

export const me = 'memory:owner'
export const main: Address = { channel: 'memory', chat_id: 'main' }

export { until }

/** A door between a test and what it wants to hold up. */
export const createBarrier = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { passed: promise, open: resolve }
}

export interface Rig {
  readonly dispatcher: Dispatcher
  readonly notices: Notices
  readonly gatekeeper: FixtureGate
  readonly hooks: Hooks
  readonly store: Store
  readonly memory: MemoryChannel
  readonly workspace: string
  readonly home: string
  /** What of time has passed beside the real time, and how far somebody has set the clock. */
  readonly clock: { aheadMs: number; setMs: number }
  /** Time passes at once, and what waits for a moment in it happens. */
  pass(ms: number): void
  readonly refused: string[]
  /** The pushes for which the owners were asked. */
  readonly asked: HeldPush[]
  /** Writes an executable and approves it. Returns its fingerprint. */
  approve(event: Entry['event'], script: string, options?: Partial<Entry>): Promise<string>
  write(file: string, content: string): void
  on(): Promise<void>
  off(): Promise<void>
  push(text: string, over?: Partial<AgentPush>): ReturnType<Dispatcher['push']>
  fire(
    event: Entry['event'],
    fields: Parameters<Dispatcher['fire']>[0]['fields'],
    over?: Partial<Parameters<Dispatcher['fire']>[0]>,
  ): ReturnType<Dispatcher['fire']>
  /** What arrived in a chat, the oldest first. */
  texts(chat?: string): readonly string[]
  /** The gate was killed and is started again: a new dispatcher over the same store. */
  restart(): Promise<Dispatcher>
  stop(): Promise<void>
}

export interface RigOptions {
  /** What stands in its place, and under its own name. */
  wrap?(memory: MemoryChannel): Channel
  store?(store: Store): DispatcherPorts['store']
  readonly maxUnits?: number
  readonly previews?: boolean
  readonly keep?: DispatcherPorts['keep']
  readonly limits?: readonly Limit[]
}

const hookPath = ['/usr/local/bin', '/usr/bin', '/bin', path.dirname(process.execPath)].join(':')

/**
 * Dispatcher, gatekeeper, hooks, hook host, store and memory channel, all of them real. One owner, in the
 * chat `main`.
 */
export const createRig = async (options: RigOptions = {}): Promise<Rig> => {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hookgate-dispatcher-')))
  const [home, workspace] = [path.join(root, 'home'), path.join(root, 'workspace')]
  fs.mkdirSync(workspace)
  fs.mkdirSync(home)
  const clock = { aheadMs: 0, setMs: 0 }
  const now = (): number => Date.now() + clock.aheadMs + clock.setMs
  const elapsedMs = (): number => performance.now() + clock.aheadMs
  const log = (): void => undefined
  const store = await openStoreHere({ path: path.join(home, 'state.db'), log })
  const gatekeeper = await openFixtureGate({
    home,
    workspace,
    path: hookPath,
    now,
    elapsedMs,
    log,
    adopt: { owners: [{ id: me, chat_id: 'main' }], isOn: false },
    isForcedOn: false,
    onLockdown: () => undefined,
  })
  const host = await takeHost()
  const run = createCommandTransport({
    host,
    speech: { stdin: stdinFor, env: envFor },
    envOf: createHookEnv({
      path: hookPath,
      lang: 'C.UTF-8',
      user: 'hooks',
      tmpdir: os.tmpdir(),
      home: '/nonexistent',
    }),
  }).ask
  const hooks = createHooks({
    armed: gatekeeper.armed,
    revision: () => gatekeeper.state().revision,
    run,
    now,
    elapsedMs,
    log,
    view: viewFor,
    retire: () => undefined,
    recordShadows: (record) => store.addRecord(record),
    decode: (hook, payload, result) =>
      result.failure === undefined
        ? decodeFor(hook, payload, result)
        : faultAnswer(result.failure.kind, result.failure.detail),
  })
  const timers = new Map<NodeJS.Timeout, { readonly atMs: number; run(): void }>()
  const refused: string[] = []
  const asked: HeldPush[] = []
  const channels = new Map<string, Channel>()
  let count = 0
  const make = () => {
    const made = connectDispatcher({
      judge: hooks.judge,
      gate: gatekeeper.state,
      inert: inertHooks(gatekeeper),
      shadows: hooks.shadowsOf,
      isHeard: hooks.isHeard,
      keep: options.keep,
      translateFor: () => () => undefined,
      zoneFor: () => ({ name: 'UTC', isOwn: false }),
      ownerChats: () => [main],
      previews: () => options.previews ?? true,
      ownerOf: believing,
      buttonsLeft: gatekeeper.cards.left,
      shown: gatekeeper.handles.shown,
      channel: (name) => channels.get(name),
      store: options.store?.(store) ?? store,
      files: createFileStore(path.join(home, 'files')),
      workspace,
      now,
      elapsedMs,
      log,
      newId: () => `id-${++count}`,
      after: (delayMs, then) => {
        const run = (): void => {
          clearTimeout(timer)
          if (timers.delete(timer)) then()
        }
        const timer = setTimeout(run, delayMs)
        timers.set(timer, { atMs: elapsedMs() + delayMs, run })
      },
    })
    made.dispatcher.onHeld((held) => void (held === undefined || asked.push(held)))
    return made
  }
  let { dispatcher, notices } = make()
  const ports: ChannelPorts = {
    receive: () => undefined,
    isAdmitted: (outgoing) => dispatcher.isAdmitted(outgoing),
    tripped: (name, what) => void refused.push(`${name} ${what}`),
    trouble: () => undefined,
    menu: [],
    now,
    elapsedMs,
    log,
  }
  const memory = createMemory({ maxUnits: options.maxUnits ?? 4096, limits: options.limits ?? [] }, ports)
  const wrapped = options.wrap?.(memory) ?? memory
  for (const name of ['memory', wrapped.name]) channels.set(name, wrapped)
  gatekeeper.onChange(() => {
    hooks.drop()
    dispatcher.wake()
  })
  const write: Rig['write'] = (file, content) => {
    fs.mkdirSync(path.dirname(path.join(workspace, file)), { recursive: true })
    fs.writeFileSync(path.join(workspace, file), content)
    fs.chmodSync(path.join(workspace, file), 0o755)
  }
  return {
    get dispatcher() {
      return dispatcher
    },
    get notices() {
      return notices
    },
    gatekeeper,
    hooks,
    store,
    memory,
    workspace,
    home,
    clock,
    pass: (ms) => {
      clock.aheadMs += ms
      for (const { atMs, run } of [...timers.values()].toSorted((a, b) => a.atMs - b.atMs))
        if (atMs <= elapsedMs()) run()
    },
    refused,
    asked,
    write,
    approve: async (event, script, over = {}) => {
      const file = over.command?.split(' ')[0] ?? `./hook-${++count}.sh`
      write(file, `#!/bin/sh\n${script}\n`)
      const done = await gatekeeper.approve(anEntry({ event, command: file, ...over }), me)
      if (!done.ok) throw new Error(done.problem.message)
      return done.approval.fingerprint
    },
    on: async () => void (await gatekeeper.setSwitch(true, me)),
    off: async () => void (await gatekeeper.setSwitch(false, me)),
    push: (text, over = {}) =>
      dispatcher.push({
        ...main,
        push_id: `push-${++count}`,
        agent_id: 'main',
        session_id: 's1',
        cwd: workspace,
        type: 'text',
        text,
        marks: [],
        parts: [],
        files: [],
        ...over,
      }),
    fire: (event, fields, over = {}) =>
      dispatcher.fire({ agentId: 'main', event, sessionId: 's1', cwd: workspace, fields, ...over }),
    texts: (chat = 'main') =>
      memory
        .sent()
        .filter(({ chat_id }) => chat_id === chat)
        .map(({ text }) => text),
    restart: async () => {
      ;({ dispatcher, notices } = make())
      await dispatcher.restore()
      return dispatcher
    },
    stop: async () => {
      for (const timer of timers.keys()) clearTimeout(timer)
      await hooks.stop()
      await leaveHost(host)
      await store.close()
      fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** A hook that says what it is told to; single quotes may not be in it. */
export const says = (answer: object): string => `printf '%s' '${JSON.stringify(answer)}'`
export const blocks = (reason: string): string => says({ decision: 'block', reason })
/** A hook that waits until a file is there. */
export const waitsFor = (file: string, then = ':'): string =>
  `while [ ! -e ${file} ]; do sleep 0.02; done; ${then}`

/** Until the messenger has given all its planned outcomes, and everything waits as one of them asked. */
export const untilPaused = async ({ memory, store }: Rig): Promise<unknown> =>
  await until(
    'everything to wait',
    async () => memory.isHealed() && (await store.outbox()).every(({ state }) => state === 'queued'),
  )

/** A notice, as it arrives in the owner's chat. */
export const told = async ({ dispatcher, texts }: Rig, text: Prose): Promise<string> => {
  const before = texts().length
  await dispatcher.notify(main, text)
  return await until('the notice', () => texts()[before])
}
