import { hostname } from 'node:os'
import { join } from 'node:path'
import type { ChannelPorts } from '../core/model/chat/channel.ts'
import type { SharedFiles, SharedLines } from '../core/model/gate/shared.ts'
import { standbySaidMs, type Standby } from '../shared/gate/standby.ts'
import type { Lease } from './postgres/lease.ts'
import type { FollowLedger } from './postgres/standby.ts'
import { openSqliteStore, type SqliteOptions } from './sqlite/open.ts'
import type { Store } from './store.ts'

export interface StoreOptions {
  readonly home: string
  /** The address of a PostgreSQL database. Absent: the store is a file in `home`. */
  readonly database: string | undefined
  readonly follow: FollowLedger
  /** The version of this hookgate, for the gate that works while this one waits. */
  readonly version: string
  readonly log: ChannelPorts['log']
  /** Opens the file. Undefined: in a thread of its own. */
  readonly openFile: ((options: SqliteOptions) => Promise<Store>) | undefined
  /**
   * Called once, when another gate works on the database, and this one begins to wait until that one ends.
   * When it rejects with a ProblemError, this gate could not take over, and does not start.
   */
  waits(holder: string): Promise<void>
}

/** The store, and what a gate has that shares its database with others. */
export interface OpenedStore {
  readonly store: Store
  /** The lines of the ledger. Undefined: the ledger is a file in `home`. */
  readonly lines: SharedLines | undefined
  /** The sealed files for the other gates. Undefined: there are no others. */
  readonly sharedFiles: SharedFiles | undefined
  /**
   * False while the database is silent or another gate may have taken over, so that this one may allow
   * nothing.
   */
  isInCharge(): boolean
  /** The gates that wait to take over. Rejects when the database cannot be reached. */
  waitingGates(): Promise<readonly Standby[]>
  /**
   * The gates that wait and do not know the newest line of the ledger within this time, in words. Rejects
   * when the database cannot be reached.
   */
  untoldGates(withinMs: number): Promise<readonly string[]>
  /** The listener is called once, when another gate has taken over. */
  onTakenOver(listener: () => void): void
  /** The listener is called each time when this gate may work again, and no other one has worked. */
  onInChargeAgain(listener: () => void): void
  /** Ends the store and the ledger's lines, and then lets another gate take over. Never rejects. */
  close(): Promise<void>
}

/** The time limit for one request of the ledger or for one sealed file, in milliseconds. */
const requestMs = 10_000
/** A question whether the database answers is asked anew after this time, over another connection. */
const askMs = 2000

const openDatabase = async (url: string, options: StoreOptions): Promise<OpenedStore> => {
  // The driver takes memory, so a gate without a database does not load it.
  const { takeLease } = await import('./postgres/lease.ts')
  const { openPostgresStore } = await import('./postgres/open.ts')
  const { createClient } = await import('./postgres/client.ts')
  const { openPostgresLines } = await import('./postgres/ledger-lines.ts')
  const { createStandby, knowStandbys } = await import('./postgres/standby.ts')
  const { startPulse } = await import('./postgres/pulse.ts')
  const { openSharedFiles } = await import('./postgres/shared-files.ts')
  const holder = `process ${process.pid} on ${hostname()}`
  const { log } = options
  const connect = () => createClient(url, requestMs)
  const standby = createStandby({ ...options, holder }, connect)
  const waits = async (other: string): Promise<void> => {
    await options.waits(other)
    await standby.start()
  }
  const taken = async (): Promise<Lease> => {
    try {
      return await takeLease({ url, name: 'gate', holder, log, waits })
    } finally {
      await standby.stop()
    }
  }
  const lease = await taken()
  const { term } = lease
  const pulse = startPulse(() => createClient(url, askMs))
  pulse.onSilent(() => log('warn', 'the database does not answer, so nothing is allowed'))
  pulse.onAnswer(() => log('info', 'the database answers again'))
  try {
    const store = await openPostgresStore({ url, log, term, pulse })
    const lines = await openPostgresLines({ url, deadlineMs: requestMs, term, pulse })
    const sharedFiles = openSharedFiles({ url, deadlineMs: requestMs, term, pulse })
    const standbys = knowStandbys(() => createClient(url, standbySaidMs), lines.end, pulse)
    const isInCharge = (): boolean => lease.isHeld() && pulse.isAnswering()
    return {
      store,
      lines,
      sharedFiles,
      isInCharge,
      waitingGates: standbys.all,
      untoldGates: standbys.untold,
      onTakenOver: lease.onLost,
      onInChargeAgain: (listener) => {
        const again = (): void => {
          if (isInCharge()) listener()
        }
        lease.onRegained(again)
        pulse.onAnswer(again)
      },
      close: async () => {
        await store.close()
        await lines.stop()
        await sharedFiles.stop()
        await standbys.stop()
        await pulse.stop()
        await lease.release()
      },
    }
  } catch (error) {
    await pulse.stop()
    await lease.release()
    throw error
  }
}

/**
 * Opens the store where the configuration wants it. Of several gates with one database, the first one works
 * and the others wait here. Rejects with a ProblemError when the file or the database cannot be used.
 */
export const openStore = async (options: StoreOptions): Promise<OpenedStore> => {
  const { home, database, log, openFile = openSqliteStore } = options
  if (database !== undefined) return openDatabase(database, options)
  const store = await openFile({ path: join(home, 'state.db'), log })
  return {
    store,
    lines: undefined,
    sharedFiles: undefined,
    isInCharge: () => true,
    waitingGates: () => Promise.resolve([]),
    untoldGates: () => Promise.resolve([]),
    onTakenOver: () => undefined,
    onInChargeAgain: () => undefined,
    close: store.close,
  }
}
