/** Two gates on one database: one works, the other waits. Each is restarted when it has ended. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readHead } from '../../src/core/gatekeeper/ledger/head.ts'
import { chainOf } from '../../src/core/gatekeeper/ledger/lines.ts'
import { hasStarted, launch, until, type Program } from '../e2e/program.ts'
import { arm, openPhone, ownedEnv, put, type Chat } from '../e2e/rig.ts'
import type { BotApi } from '../fixtures/bot-api/server.ts'
import type { useDatabase } from '../store/postgres-server.ts'
import { startRelay, type Relay } from '../store/relay.ts'
import type { ChainLine, Sighting } from './history.ts'

type Database = ReturnType<typeof useDatabase>

/** The groups of the agent. A messenger takes one message a second in a chat, so there are several. */
export const groups = [-1001, -1002, -1003, -1004, -1005, -1006, -1007, -1008]
/** One owner gives commands, another one talks to the agent. */
export const commander = 7
export const talker = 8

const says = (reason: string): string => `#!/bin/sh\necho '{"decision": "block", "reason": "${reason}"}'\n`
export const reasons = { event: 'the guard of events said no', message: 'the guard of messages said no' }
export const messageGuard = 'on_outbound_message ./messages.sh'

/** A place for a gate: its folder outlives the process. */
export interface Member {
  readonly name: string
  readonly home: string
  readonly gate: string
  readonly relay: Relay
  program(): Program
  isAlive(): boolean
}

export interface Fleet {
  readonly members: readonly [Member, Member]
  readonly phone: Chat
  /** The member that holds the lease. Undefined: nobody does. */
  working(): Promise<Member | undefined>
  /** Starts the gate of a member again, after it has ended. `isNew`: on a new folder, with the key alone. */
  restart(member: Member, isNew?: boolean): void
  /** The items that wait to be sent. */
  waiting(): Promise<readonly string[]>
  chain(): Promise<readonly ChainLine[]>
  /** Where the database and the folder of each gate say that the ledger ends. */
  sightings(): Promise<readonly Sighting[]>
  /** How often the agents have done something. */
  timesDone(text: string): number
  stop(): Promise<void>
}

const isAlive = ({ child }: Program): boolean => child.exitCode === null && child.signalCode === null

export const startFleet = async (api: BotApi, database: Database): Promise<Fleet> => {
  const root = mkdtempSync(join(tmpdir(), 'hookgate-fleet-'))
  const phone = openPhone(api)

  const member = async (name: string, prepare: (home: string) => void) => {
    const home = join(root, name)
    const gate = join(home, '.hookgate')
    const keyFile = join(gate, 'secrets', 'ledger.key')
    const makeFolder = (): void => {
      mkdirSync(join(gate, 'secrets'), { recursive: true, mode: 0o700 })
      const chats = JSON.stringify(groups)
      writeFileSync(join(gate, 'gate.yaml'), `channels: {telegram: {chats: ${chats}}}\n`)
    }
    makeFolder()
    prepare(home)
    const relay = await startRelay(database.url())
    const env = {
      ...ownedEnv(api),
      HOOKGATE_OWNERS: `telegram:${commander},telegram:${talker}`,
      HOOKGATE_DATABASE: relay.through(database.url()),
    }
    let program = launch(home, env)
    return {
      name,
      home,
      gate,
      relay,
      program: () => program,
      isAlive: () => isAlive(program),
      begin: (isNew: boolean): void => {
        if (isNew) {
          const bytes = readFileSync(keyFile)
          rmSync(gate, { recursive: true, maxRetries: 5, retryDelay: 100 })
          makeFolder()
          writeFileSync(keyFile, bytes, { mode: 0o600 })
        }
        program = launch(home, env)
      },
    } satisfies Member & { begin(isNew: boolean): void }
  }

  const first = await member('first', () => undefined)
  await until('the first gate', () => hasStarted(first.program()), 40_000)
  await put(first.program(), 'events.sh', says(reasons.event))
  await put(first.program(), 'messages.sh', says(reasons.message))
  await arm(first.program(), phone, [
    { event: 'pre_tool_call', command: './events.sh', matcher: 'forbidden' },
    { event: 'on_outbound_message', command: './messages.sh', matcher: 'forbidden' },
  ])
  const second = await member('second', (home) => {
    cpSync(join(first.gate, 'secrets', 'ledger.key'), join(home, '.hookgate', 'secrets', 'ledger.key'))
    cpSync(join(first.home, 'hookgate'), join(home, 'hookgate'), { recursive: true })
  })
  const members = [first, second] as const
  const key = readFileSync(join(first.gate, 'secrets', 'ledger.key'))

  /** The server is away for a moment when it is restarted. */
  const query = (sql: string): ReturnType<Database['run']> =>
    until('the database to answer', () => database.run(sql).catch(() => undefined))
  const chain: Fleet['chain'] = async () => {
    const rows = await query(
      `SELECT line FROM hookgate.ledger_line JOIN hookgate.ledger USING (generation) ORDER BY n`,
    )
    return rows.map(({ line }) => {
      const { prev, act } = JSON.parse(String(line)) as { readonly prev: string; readonly act: string }
      return { head: chainOf(String(line)), previous: prev, act }
    })
  }
  return {
    members,
    phone,
    working: async () => {
      const [row] = await query('SELECT holder FROM hookgate.lease WHERE until > clock_timestamp()')
      return members.find(
        (each) =>
          row !== undefined && String(row['holder']).startsWith(`process ${each.program().child.pid} `),
      )
    },
    restart: (of, isNew = false) => members.find((each) => each === of)?.begin(isNew),
    waiting: async () =>
      (await query('SELECT * FROM hookgate.outbox')).map((row) => JSON.stringify(row).slice(0, 500)),
    chain,
    sightings: async () => {
      const [end] = await query('SELECT revision, head FROM hookgate.ledger')
      const kept = members.flatMap(({ name, gate }): readonly Sighting[] => {
        const head = readHead(gate, key)
        return head === undefined || head === false ? [] : [{ by: `the ${name} gate`, ...head }]
      })
      return [
        ...kept,
        { by: 'the database', revision: Number(end?.['revision']), head: String(end?.['head']) },
      ]
    },
    timesDone: (text) =>
      members
        .map(({ home }) => join(home, 'hookgate', 'done.txt'))
        .filter(existsSync)
        .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
        .filter((line) => line === text).length,
    stop: async () => {
      for (const each of members) {
        if (isAlive(each.program())) await each.program().kill()
        await each.relay.stop()
      }
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}
