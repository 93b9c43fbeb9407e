/** A PostgreSQL server for tests: the one that HOOKGATE_TEST_DATABASE names, or one from npm. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import postgres, { type Sql } from 'postgres'
import { freePort } from '../../src/attack/gate/free-port.ts'
import { installPackages } from '../packages.ts'
import { loadPostgres, type LocalServer } from '../fleet/local-server.ts'

export interface TestServer {
  /** The address of an empty database of its own. */
  database(options?: string): Promise<string>
  drop(url: string): Promise<void>
  /** Runs statements as the administrator, in the database of the address. */
  run(url: string, sql: string): Promise<readonly Record<string, unknown>[]>
  /** The folder with the server's data. Undefined: it is not our server. */
  readonly folder: string | undefined
  /** Ends it and starts it again, at the same address. Rejects when it is not our server. */
  restart(): Promise<void>
  stop(): Promise<void>
}

// No hook with a time limit waits for this.
if (process.env['HOOKGATE_TEST_DATABASE'] === undefined) await installPackages('test/fleet')

const password = 'p@ss/word:#1'

/** Starts PostgreSQL on the data in a folder. It runs as the user `postgres` where the tests run as root. */
export const embedded = async (
  databaseDir: string,
  isDurable = false,
): Promise<{ server: LocalServer; url: string }> => {
  const port = await freePort()
  const Postgres = await loadPostgres()
  const server = new Postgres({
    databaseDir,
    port,
    password,
    authMethod: 'scram-sha-256',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      // Tests need no data that outlives a power cut.
      ...(isDurable ? [] : ['fsync=off']),
    ].flatMap((setting) => ['-c', setting]),
    onLog: () => undefined,
    onError: () => undefined,
  })
  return { server, url: `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres` }
}

export const withDatabase = (url: string, database: string): string =>
  Object.assign(new URL(url), { pathname: `/${database}` }).href

type Started = Pick<TestServer, 'folder' | 'restart' | 'stop'> & { readonly url: string }

const maxPorts = 5
/** Between the choice of a port and the start another program can take it. */
const startOnFreePort = async (
  databaseDir: string,
  isDurable: boolean,
  tries = 1,
): Promise<Awaited<ReturnType<typeof embedded>>> => {
  const made = await embedded(databaseDir, isDurable)
  try {
    await made.server.start()
    return made
  } catch (error) {
    if (tries === maxPorts) throw error
    return startOnFreePort(databaseDir, isDurable, tries + 1)
  }
}

const startOurs = async (isDurable: boolean): Promise<Started> => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-postgres-'))
  // The user of the server passes through the folder.
  chmodSync(folder, 0o755)
  const databaseDir = join(folder, 'data')
  const { server: maker } = await embedded(databaseDir, isDurable)
  await maker.initialise()
  const { server, url } = await startOnFreePort(databaseDir, isDurable)
  const stop = async (): Promise<void> => {
    await server.stop()
    rmSync(folder, { recursive: true })
  }
  const restart = async (): Promise<void> => {
    await server.stop()
    await server.start()
  }
  return { url, folder: databaseDir, restart, stop }
}

const named = (url: string): Started => ({
  url,
  folder: undefined,
  restart: () => Promise.reject(new Error('Expected a server of our own to restart.')),
  stop: () => Promise.resolve(),
})

/** `isDurable`: what is committed outlives a power cut, as on the server of an operator. */
export const startServer = async (isDurable = false): Promise<TestServer> => {
  const name = process.env['HOOKGATE_TEST_DATABASE']
  const { url, folder, restart, stop } = name === undefined ? await startOurs(isDurable) : named(name)
  const connect = (to: string): Sql => postgres(to, { max: 1, onnotice: () => undefined })
  const admin = connect(url)
  let made = 0
  return {
    folder,
    restart,
    database: async (options = '') => {
      const name = `hookgate_test_${process.pid}_${++made}`
      await admin.unsafe(`CREATE DATABASE ${name} ${options}`)
      return withDatabase(url, name)
    },
    drop: async (of) => {
      await admin.unsafe(`DROP DATABASE ${new URL(of).pathname.slice(1)} WITH (FORCE)`)
    },
    run: async (of, text) => {
      const client = connect(of)
      try {
        return await client.unsafe(text)
      } finally {
        await client.end()
      }
    },
    stop: async () => {
      await admin.end()
      await stop()
    },
  }
}

/** One server for a file of tests, and an empty database for each of them. */
export const useDatabase = () => {
  let server: TestServer
  let url = ''
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    url = await server.database()
  })
  // What a file ends after a test, it ends before the database goes.
  afterEach(() => server.drop(url))
  return {
    url: () => url,
    /** Runs statements as the administrator. */
    run: (sql: string) => server.run(url, sql),
    restart: () => server.restart(),
    /** False where somebody else's server is used, which no test may end. */
    isOurs: () => server.folder !== undefined,
  }
}
