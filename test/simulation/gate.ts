import { believing } from '../consent.ts'
import { cutOff } from '../../src/shared/gate/recovery.ts'
import { standbySaidMs } from '../../src/shared/gate/standby.ts'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { connectDispatcher } from '../../src/compose/outbound.ts'
import type { Dispatcher } from '../../src/core/dispatcher/dispatcher.ts'
import { openGateLedger } from '../../src/core/gatekeeper/gate.ts'
import { followLedger } from '../../src/core/gatekeeper/ledger/follow.ts'
import { renamed } from '../../src/proposals/sealed-text.ts'
import { budgets } from '../../src/shared/base/budgets.ts'
import type { Channel, Delivery } from '../../src/core/model/chat/channel.ts'
import { PUSH_TYPES } from '../../src/core/model/chat/content.ts'
import type { Payload } from '../../src/core/model/events/payload.ts'
import type { Verdict } from '../../src/core/model/hooks/verdict.ts'
import type { NodeQuestion, NodeLine } from '../../src/shared/nodes/protocol.ts'
import { createExchange } from '../../src/server/exchange.ts'
import type { Members } from '../../src/server/nodes/members.ts'
import { membersOf } from '../node/rig.ts'
import { createStore } from '../../src/store/create-store.ts'
import { createPostgresEngine } from '../../src/store/postgres/engine.ts'
import { linesBy } from '../../src/store/postgres/ledger-lines.ts'
import { holdLease, type Lease } from '../../src/store/postgres/lease.ts'
import { createStandby, knowStandbys } from '../../src/store/postgres/standby.ts'
import type { ActName } from '../fleet/history.ts'
import { anEntry } from '../core/gatekeeper/gate-fixture.ts'
import type { Seeded } from '../handlers/builtins/redact/seeded.ts'
import { verdictOn } from '../verdict.ts'
import type { Database } from './database.ts'
import { placeOf, type Beginning, type Standing } from './laws.ts'
import type { Machine } from './world.ts'

export const owner = 'sim:owner'
const fingerprint = 'a'.repeat(64)
export const approvalOfGuard = {
  fingerprint,
  entry: anEntry({ event: 'on_outbound_message', type: 'http', command: 'https://guard.example/' }),
  words: [],
  unsealed: [],
  hookDir: '/bin',
  files: [],
}

/** The hook forbids what this word is in. */
export const forbidden = 'forbidden'

export interface Receipt {
  readonly isChange: boolean
  /** The nodes that have not confirmed it. */
  readonly missing: readonly string[]
  /** The places of the gates that know it, as the receipt lets the owner believe. */
  readonly told: readonly string[]
  /** The last line of the ledger when it counted. */
  readonly head: string
}

/** A gate that works: what its channels and its interfaces call. */
export interface Service {
  /** Resolves with the reason when it was refused and nothing was done. */
  act(act: ActName): Promise<Receipt | string>
  /** Ends a lockdown with a new ledger. Undefined: there was none. */
  recover(): Promise<Receipt | undefined>
  /** How the list shows the switch. Undefined: it does not say. */
  isOn(): boolean | undefined
  /** False while another gate may have taken over. */
  isInCharge(): boolean
  readonly dispatcher: Dispatcher
  readonly members: Members
}

export interface GatePorts {
  readonly random: Seeded
  readonly database: Database
  readonly machine: Machine
  /** The process, as it calls itself. It begins with the name of its place and a space. */
  readonly holder: string
  /** The folder of this gate, which outlives its process. */
  readonly home: string
  readonly workspace: string
  /** The names of the machines that are nodes. */
  readonly nodes: readonly string[]
  /** Takes a message to the messenger. It resolves with what the messenger says. */
  deliver(chat: string, text: string): Promise<Delivery>
  /** Called when another gate has taken over. The process ends. */
  ended(): void
  /** Called with what the gate goes by, when that changes and when it decides something. */
  stands(standing: Standing): void
  /** Called when a gate that waited begins to work. */
  begins(beginning: Beginning): void
  log(what: string): void
}

/** How long a hook works, in milliseconds. */
const hookMs = 30

/** Starts one gate, and resolves when it works. It takes the parts that the product takes, in its order. */
export const startGate = async (ports: GatePorts): Promise<Service> => {
  const { random, database, machine, holder, home, workspace } = ports
  const now = (): number => Date.now()
  const elapsedMs = (): number => performance.now()
  const log = (level: string, what: string, fields?: object): void =>
    ports.log(`${machine.name} ${level} ${what} ${JSON.stringify(fields ?? {})}`)
  const connect = (deadlineMs: number) => () => database.connect(machine, deadlineMs)
  /** The guard has no files, so its seal is an empty folder. */
  const seal = (): void => void mkdirSync(join(home, 'seal', fingerprint), { recursive: true, mode: 0o700 })

  let waitedSinceMs: number | undefined
  const standby = createStandby(
    { follow: (lines) => Promise.resolve(followLedger(home, lines)), holder, version: '1', log },
    connect(10_000),
  )
  const waits = async (other: string): Promise<void> => {
    log('info', 'waits', { other })
    waitedSinceMs = elapsedMs()
    await standby.start()
  }
  let waited: Omit<Beginning, 'by' | 'lockdown'> | undefined
  const taken = async (): Promise<Lease> => {
    try {
      const held = await holdLease({ name: 'gate', holder, log, waits }, connect(3000))
      const said = database.standbys().find((row) => row['holder'] === holder)
      if (said !== undefined && waitedSinceMs !== undefined)
        waited = {
          sinceMs: Math.max(waitedSinceMs, database.lostMs()),
          atMs: elapsedMs(),
          isWarned: said['why'] !== null,
        }
      return held
    } finally {
      await standby.stop()
    }
  }
  const lease = await taken()
  const { term } = lease
  lease.onLost(ports.ended)
  const { failures } = database
  const engine = createPostgresEngine({ connect: connect(10_000), failures, bounds: budgets.records, term })
  const store = createStore({ engine, log })
  const lines = linesBy(connect(10_000), { term })
  const standbys = knowStandbys(connect(standbySaidMs), lines.end)
  seal()
  const gate = await openGateLedger({
    home,
    workspace,
    renamed,
    adopt: { owners: [{ id: owner }], isOn: false },
    isForcedOn: false,
    lines,
    now,
    elapsedMs,
    log,
    onLockdown: (why) => log('error', 'lockdown', { why }),
  })
  const state = () => ({
    ...gate.view().state,
    ...(lease.isHeld() ? {} : { lockdown: cutOff }),
  })

  const isApproved = (): boolean => gate.folded().approvals.has(fingerprint)
  const stand = (): void => {
    const { isOn, revision, head, lockdown } = state()
    ports.stands({
      by: holder,
      epoch: term.epoch,
      atMs: elapsedMs(),
      revision,
      head,
      isOn,
      isApproved: isApproved(),
      isDeciding: lockdown === undefined,
    })
  }
  const { lockdown: found } = gate.view().state
  if (waited !== undefined) ports.begins({ by: holder, ...waited, lockdown: found })
  stand()

  const judge = async (payload: Payload): Promise<Verdict> => {
    const { isOn, revision } = gate.view().state
    stand()
    await new Promise((done) => setTimeout(done, random.below(hookMs)))
    if (gate.view().state.revision !== revision) return judge(payload)
    const isOutbound = payload.event === 'on_outbound_message'
    const isGuarded = isOn && (!isOutbound || isApproved())
    // The payload of a push also has the messages before it.
    const isForbidden = JSON.stringify(payload['notification'] ?? payload['tool_input']).includes(forbidden)
    return isGuarded && isForbidden
      ? { ...verdictOn(payload, 'block', revision), by: 'guard', reason: 'It is forbidden.' }
      : verdictOn(payload, 'allow', revision)
  }
  const channel: Channel = {
    name: 'sim',
    maxUnits: 4096,
    forms: PUSH_TYPES,
    hasButtons: false,
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    deliver: ({ chat_id, text }) => ports.deliver(chat_id, text),
  }
  let count = 0
  const { dispatcher } = connectDispatcher({
    judge,
    gate: state,
    inert: () => [],
    shadows: () => 0,
    isHeard: () => true,
    translateFor: () => () => undefined,
    zoneFor: () => ({ name: 'UTC', isOwn: false }),
    ownerChats: () => [{ channel: 'sim', chat_id: 'owner' }],
    channel: (name) => (name === 'sim' ? channel : undefined),
    store,
    // No message here has a file.
    files: {
      keep: () => Promise.reject(new Error('no files here')),
      read: () => Promise.reject(new Error('no files here')),
      pathOf: () => '',
      drop: () => undefined,
      hold: () => undefined,
      sweep: () => Promise.resolve(),
    },
    ownerOf: believing,
    buttonsLeft: () => undefined,
    shown: () => undefined,
    previews: () => true,
    workspace,
    newId: () => `${machine.name}-${term.epoch}-${++count}`,
    after: (delayMs, run) => void setTimeout(run, delayMs),
    elapsedMs,
    now,
    log,
  })
  const members = membersOf({
    enrolled: () => ports.nodes,
    questions: createExchange<NodeQuestion, NodeLine>({
      newId: () => `q${++count}`,
      lineOf: (id, question) => ({ type: 'question', id, question }),
      endOf: (id) => ({ type: 'end', id }),
    }),
    facts: () => {
      const { isOn, lockdown } = state()
      return { isArmed: isOn || lockdown !== undefined, unreachable: 'owner' }
    },
    elapsedMs,
  })
  const changed = (): void => {
    dispatcher.wake()
    members.tell()
  }
  gate.onChange(() => {
    stand()
    changed()
  })
  lease.onRegained(changed)
  await dispatcher.restore()

  const dataOf = { on: {}, off: {}, approve: approvalOfGuard, revoke: { fingerprint } }
  /**
   * Waits as the product does before it says that an act counted. The product asks nobody about what was so
   * already, and then this looks who knows of it.
   */
  const receipt = async (isChange: boolean): Promise<Receipt> => {
    const { head } = gate.view().state
    const waiting = database.standbys()
    const asked = isChange && state().lockdown === undefined
    const [missing, untold] = await Promise.all([
      members.told(2000),
      asked ? standbys.untold(standbySaidMs).catch(() => undefined) : undefined,
    ])
    const { generation = 0, revision = 0 } = lines.end() ?? {}
    const knows = (row: (typeof waiting)[number]): boolean =>
      asked
        ? untold?.includes(String(row['holder'])) === false
        : row['generation'] === generation && Number(row['revision']) >= revision
    const told = [holder, ...waiting.filter(knows).map(({ holder: by }) => String(by))].map(placeOf)
    return { isChange, missing, told, head }
  }
  return {
    dispatcher,
    members,
    isInCharge: lease.isHeld,
    isOn: () => {
      const { isOn, lockdown } = state()
      return lockdown === undefined ? isOn : undefined
    },
    recover: async () => {
      if (gate.view().state.lockdown === undefined) return undefined
      const done = await gate.recover(owner)
      if (!done.ok) throw new Error('the lockdown could not be ended')
      return receipt(true)
    },
    act: async (act) => {
      const { lockdown } = state()
      if (lockdown !== undefined) return lockdown
      seal()
      const isChange = await gate.change(() => {
        const { isOn } = gate.folded()
        const isSo = { on: isOn, off: !isOn, approve: isApproved(), revoke: !isApproved() }
        return {
          acts: isSo[act] ? [] : [{ act, by: owner, data: dataOf[act] }],
          answer: () => !isSo[act],
        }
      })
      return receipt(isChange)
    },
  }
}
