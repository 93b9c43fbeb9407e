import { setTimeout as pause } from 'node:timers/promises'
import type { ChannelPorts } from '../../core/model/chat/channel.ts'
import { messageOf } from '../../core/model/gate/problem.ts'
import { createClient, type PostgresClient } from './client.ts'
import { SCHEMA_NAME } from './migrations.ts'
import { prepareDatabase } from './prepare.ts'
import { createRequests, type Pulse } from './requests.ts'

/** Of several gates that name the same lease, one holds it. Each holder has a higher epoch than the last. */
export interface LeaseTerm {
  readonly name: string
  readonly epoch: number
}

/** How the ledger's lines and the sealed files reach the database. */
export interface DatabaseAccess {
  /** The address of the database with its password. It is never logged. */
  readonly url: string
  /** The time limit for one request, in milliseconds. */
  readonly deadlineMs: number
  /** The term in which this gate may write. Absent: it needs none. */
  readonly term?: LeaseTerm
  /** Whether it answers. Absent: each request waits for the time limit. */
  readonly pulse?: Pulse
}

/** A lease that this gate took. It is renewed until it is released. */
export interface Lease {
  readonly term: LeaseTerm
  /** False while another gate may have taken over. It costs two readings of a clock. */
  isHeld(): boolean
  /** The listener is called once, when another gate has taken over. */
  onLost(listener: () => void): void
  /** The listener is called each time when it is held again, and no other gate has had it meanwhile. */
  onRegained(listener: () => void): void
  /** Lets another gate take over at once. Never rejects. */
  release(): Promise<void>
}

const CHECK = `SELECT ${SCHEMA_NAME}.check_lease($1, $2)`
/**
 * The first statement of each transaction of a holder. It rejects for an older epoch. A gate without a term
 * needs none.
 */
export const checkLease = async ({ query }: PostgresClient, term: LeaseTerm | undefined): Promise<void> => {
  if (term !== undefined) await query(CHECK, [term.name, term.epoch])
}

/** The times are those of the database's server, so the clocks of the gates may differ. */
const nowMs = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
/** A database that is put back must not give an epoch twice, so an epoch is not lower than the time. */
const TAKE = `INSERT INTO ${SCHEMA_NAME}.lease AS old (name, epoch, holder, until)
    VALUES ($1, ${nowMs}, $2, clock_timestamp() + $3 * interval '1 millisecond')
  ON CONFLICT (name) DO UPDATE SET epoch = greatest(old.epoch + 1, excluded.epoch), holder = excluded.holder, until = excluded.until
    WHERE old.until < clock_timestamp()
  RETURNING epoch`
/** A lease that was released has no time left. */
const HOLDER = `SELECT holder, CASE WHEN isfinite(until)
    THEN extract(epoch FROM until - clock_timestamp())::float8 * 1000 ELSE 0 END AS "leftMs"
  FROM ${SCHEMA_NAME}.lease WHERE name = $1`
/** A lease that ended, and that nobody has taken since, is renewed as well. */
const RENEW = `UPDATE ${SCHEMA_NAME}.lease SET until = clock_timestamp() + $3 * interval '1 millisecond'
  WHERE name = $1 AND epoch = $2 RETURNING epoch`
const RELEASE = `UPDATE ${SCHEMA_NAME}.lease SET until = '-infinity' WHERE name = $1 AND epoch = $2`

/** What a lease needs beside its connections. */
export interface LeaseOptions {
  readonly name: string
  /** This gate, in words for the person who starts another one. */
  readonly holder: string
  readonly log: ChannelPorts['log']
  /**
   * Called once, when another gate holds the lease and this one begins to wait for it. When it rejects, this
   * gate does not wait.
   */
  waits(holder: string): void | Promise<void>
  /** How long the lease holds after its last renewal, in milliseconds. */
  readonly lengthMs?: number
  /** How often it is renewed, in milliseconds. It is also the time limit of one request. */
  readonly renewMs?: number
}

/**
 * How often a gate that waits tries to take the lease, in milliseconds. It tries at the moment when the lease
 * ends, too.
 */
const tryEveryMs = 1000

/** The shortest pause before the next try, in milliseconds. */
const soonMs = 20

/** A moment by both clocks. One of them stands still while a machine sleeps. */
interface BothClocks {
  readonly monotonicMs: number
  readonly wallMs: number
}
const clocksNow = (): BothClocks => ({ monotonicMs: performance.now(), wallMs: Date.now() })

const usualRenewMs = 3000

/** Waits until this gate holds the lease. Rejects when the database cannot be used at the start. */
export const takeLease = async (
  /** `url`: the address of the database with its password. It is never logged. */
  options: LeaseOptions & { readonly url: string },
): Promise<Lease> => {
  const { url, renewMs = usualRenewMs } = options
  await prepareDatabase(url)
  return holdLease(options, () => createClient(url, renewMs))
}

interface OtherHolder {
  readonly holder: string
  /** How long the lease holds if it is not renewed. */
  readonly leftMs: number
}

/** Takes a lease in a database that is prepared. */
export const holdLease = async (
  { name, holder, log, waits, lengthMs = 9000, renewMs = usualRenewMs }: LeaseOptions,
  connect: () => PostgresClient,
): Promise<Lease> => {
  const { request, stop } = createRequests({ connect, what: 'what a lease needs' })
  const take = (): Promise<{ readonly epoch: number } | OtherHolder> =>
    request(async ({ query }) => {
      const [taken] = await query<{ readonly epoch: number }>(TAKE, [name, holder, lengthMs])
      if (taken !== undefined) return taken
      const [other] = await query<OtherHolder>(HOLDER, [name])
      return other ?? { holder: 'unknown', leftMs: 0 }
    })
  let isWaiting = false
  const taken = async (): Promise<{ readonly epoch: number; readonly at: BothClocks }> => {
    for (;;) {
      let other: OtherHolder | undefined
      try {
        const at = clocksNow()
        const found = await take()
        if ('epoch' in found) return { ...found, at }
        other = found
      } catch (error) {
        if (!isWaiting) throw error
        log('warn', 'the database of the gate that works cannot be reached', { why: messageOf(error) })
      }
      if (other !== undefined && !isWaiting) await waits(other.holder)
      isWaiting = true
      await pause(Math.max(soonMs, Math.min(other?.leftMs ?? tryEveryMs, tryEveryMs)))
    }
  }
  const { epoch, at: takenAt } = await taken()
  /** When the newest renewal was asked for. */
  let renewed = takenAt
  const lostListeners: (() => void)[] = []
  const regainedListeners: (() => void)[] = []
  let isOver = false
  const isHeld = (): boolean =>
    !isOver && performance.now() - renewed.monotonicMs < lengthMs && Date.now() - renewed.wallMs < lengthMs
  let timer: NodeJS.Timeout | undefined
  const renew = async (): Promise<void> => {
    const at = clocksNow()
    try {
      const rows = await request(({ query }) => query(RENEW, [name, epoch, lengthMs]))
      if (rows.length > 0) {
        const wasHeld = isHeld()
        renewed = at
        if (!wasHeld && isHeld()) for (const listener of regainedListeners) listener()
      } else if (!isOver) {
        isOver = true
        for (const listener of lostListeners) listener()
      }
    } catch (error) {
      log('warn', 'the lease of this gate could not be renewed', { why: messageOf(error) })
    }
    if (!isOver) timer = setTimeout(() => void renew(), renewMs)
  }
  timer = setTimeout(() => void renew(), renewMs)

  return {
    term: { name, epoch },
    isHeld,
    onLost: (listener) => void lostListeners.push(listener),
    onRegained: (listener) => void regainedListeners.push(listener),
    release: async () => {
      isOver = true
      clearTimeout(timer)
      await request(({ query }) => query(RELEASE, [name, epoch])).catch(() => undefined)
      await stop()
    },
  }
}
