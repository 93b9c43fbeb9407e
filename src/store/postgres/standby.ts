import { setTimeout as pause } from 'node:timers/promises'
import type { ChannelPorts } from '../../core/model/chat/channel.ts'
import type { KnownLedger, SharedLines } from '../../core/model/gate/shared.ts'
import { messageOf } from '../../core/model/gate/problem.ts'
import { standbySaidMs, type Standby } from '../../shared/gate/standby.ts'
import type { PostgresClient } from './client.ts'
import { linesBy, type KnownLines } from './ledger-lines.ts'
import { SCHEMA_NAME } from './migrations.ts'
import { createRequests, type Pulse } from './requests.ts'

const sayEveryMs = 1000
const lookEveryMs = 100
/** How often the gate that works asks what the others know, in milliseconds. */
const askEveryMs = 25

const SAY = `INSERT INTO ${SCHEMA_NAME}.standby (holder, version, generation, revision, why, until)
    VALUES ($1, $2, $3, $4, $5, clock_timestamp() + $6 * interval '1 millisecond')
  ON CONFLICT (holder) DO UPDATE SET version = excluded.version, generation = excluded.generation,
    revision = excluded.revision, why = excluded.why, until = excluded.until`
const LEAVE = `DELETE FROM ${SCHEMA_NAME}.standby WHERE holder = $1 OR until < clock_timestamp() - interval '1 day'`
const ALL = `SELECT holder, version, why,
    greatest(0, $2::bigint - CASE generation WHEN $1 THEN revision ELSE 0 END) AS behind
  FROM ${SCHEMA_NAME}.standby WHERE until > clock_timestamp() ORDER BY holder LIMIT 20`

/** Makes what reads the news of a ledger, verifies them, and says how far the ledger is known. */
export type FollowLedger = (lines: Pick<SharedLines, 'read'>) => Promise<() => Promise<KnownLedger>>

export interface StandbyOptions {
  readonly follow: FollowLedger
  /** This gate, in words. */
  readonly holder: string
  readonly version: string
  readonly log: ChannelPorts['log']
}

/**
 * Follows the ledger while this gate waits, and says to the one that works how far it knows it. So a takeover
 * finds what the database has lost.
 */
export const createStandby = (
  { follow: followLedger, holder, version, log }: StandbyOptions,
  connect: () => PostgresClient,
) => {
  const lines = linesBy(connect)
  const { request, stop } = createRequests({ connect, what: 'what a gate that waits says' })
  let following: Promise<void> | undefined
  let isOver = false
  let saidAtMs = -Infinity
  let said: KnownLedger | undefined

  const say = async (known: KnownLedger): Promise<void> => {
    const { end, why } = known
    const isNews = end?.head !== said?.end?.head || why !== said?.why
    if (!isNews && performance.now() - saidAtMs < sayEveryMs) return
    if (why !== undefined && why !== said?.why) log('error', 'this gate would begin in lockdown', { why })
    const at = performance.now()
    const place = [end?.generation ?? 0, end?.revision ?? 0]
    await request(({ query }) => query(SAY, [holder, version, ...place, why ?? null, standbySaidMs]))
    ;[said, saidAtMs] = [known, at]
  }
  const follow = async (look: () => Promise<KnownLedger>): Promise<void> => {
    let isLost = false
    for (;;) {
      await pause(lookEveryMs)
      if (isOver) return
      try {
        await say(await look())
        isLost = false
      } catch (error) {
        if (!isLost)
          log('warn', 'the ledger of the gate that works cannot be followed', { why: messageOf(error) })
        isLost = true
      }
    }
  }
  return {
    /** Rejects with a ProblemError when this gate could never take over. */
    start: async (): Promise<void> => {
      const look = await followLedger(lines)
      await say(await look())
      following = follow(look)
    },
    /** Never rejects. */
    stop: async (): Promise<void> => {
      isOver = true
      await following
      if (said !== undefined) await request(({ query }) => query(LEAVE, [holder])).catch(() => undefined)
      await Promise.all([stop(), lines.stop()])
    },
  }
}

/**
 * What the gate that works knows of the gates that wait. `end`: the end of the ledger as it wrote it. The
 * database may have lost that line again, and then a gate that knows all of the database does not know it.
 */
export const knowStandbys = (connect: () => PostgresClient, end: KnownLines['end'], pulse?: Pulse) => {
  const { request, stop } = createRequests({ connect, what: 'what the gates that wait say', pulse })
  const all = (): Promise<readonly Standby[]> => {
    const { generation = 0, revision = 0 } = end() ?? {}
    return request(({ query }) => query<Standby>(ALL, [generation, revision]))
  }
  return {
    all,
    /**
     * Waits until all of them know the newest line of the ledger, for at most so long. Resolves with those
     * that have not said so, in words.
     */
    untold: async (withinMs: number): Promise<readonly string[]> => {
      const endMs = performance.now() + withinMs
      let untold = (await all()).filter(({ behind }) => behind > 0).map(({ holder }) => holder)
      while (untold.length > 0 && performance.now() < endMs) {
        await pause(askEveryMs)
        const told = new Set((await all()).filter(({ behind }) => behind === 0).map(({ holder }) => holder))
        untold = untold.filter((holder) => !told.has(holder))
      }
      return untold
    },
    stop,
  }
}
