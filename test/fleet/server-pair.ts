/** A PostgreSQL server and a standby that streams from it, over a relay that can be cut. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { embedded, withDatabase } from '../store/postgres-server.ts'
import { startRelay } from '../store/relay.ts'
import { untilWithin } from '../until.ts'

const until = untilWithin(30_000)
const database = 'gates'

const run = async (url: string, sql: string): Promise<readonly Record<string, unknown>[]> => {
  const client = postgres(url, { max: 1, onnotice: () => undefined })
  try {
    return await client.unsafe(sql)
  } finally {
    await client.end()
  }
}

export interface ServerPair {
  /** The database on the primary server. */
  readonly primary: string
  /** The same database on the standby. It can be read. After `failOver` it can be written, too. */
  readonly standby: string
  run(url: string, sql: string): Promise<readonly Record<string, unknown>[]>
  /** From now on the standby gets nothing more. */
  part(): void
  /** Ends the primary server and makes the standby a primary one. */
  failOver(): Promise<void>
  stop(): Promise<void>
}

export const startPair = async (): Promise<ServerPair> => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-pair-'))
  // The user of the servers passes through the folder.
  chmodSync(folder, 0o755)
  const [dataOfOne, dataOfOther] = [join(folder, 'one'), join(folder, 'other')]
  const one = await embedded(dataOfOne)
  await one.server.initialise()
  // A copy of the folder of a stopped server is a base backup.
  execFileSync('cp', ['-pR', dataOfOne, dataOfOther])
  const relay = await startRelay(one.url)
  const { hostname, port, username, password } = new URL(relay.through(one.url))
  const source = `host=${hostname} port=${port} user=${username} password=''${decodeURIComponent(password)}''`
  appendFileSync(join(dataOfOther, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
  writeFileSync(join(dataOfOther, 'standby.signal'), '')
  await one.server.start()
  const other = await embedded(dataOfOther)
  // It resolves when the server takes changes.
  const promoted = other.server.start()
  promoted.catch(() => undefined)
  const [primary, standby] = [withDatabase(one.url, database), withDatabase(other.url, database)]
  await run(one.url, `CREATE DATABASE ${database}`)
  await until('the standby to have the database', () =>
    run(standby, 'SELECT 1').then(
      () => true,
      () => false,
    ),
  )
  return {
    primary,
    standby,
    run,
    part: relay.cut,
    failOver: async () => {
      await one.server.stop()
      await run(other.url, 'SELECT pg_promote()')
      await promoted
    },
    stop: async () => {
      await one.server.stop()
      await other.server.stop()
      await relay.stop()
      rmSync(folder, { recursive: true })
    },
  }
}
