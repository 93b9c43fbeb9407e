import type { Plane } from '../../plane.ts'
import type { TestServer } from '../../store/postgres-server.ts'
import { anEntry } from '../../core/gatekeeper/gate-fixture.ts'
import { approve, type startGate } from '../gate.ts'
import { hookScript } from '../hook.ts'
import { awaited, measure, type Contender, type Measured } from '../measure.ts'
import { createPusher } from '../push.ts'

/** Measures with a PostgreSQL server that writes to the disk as in use. */
export const withServer = async (measured: (server: TestServer) => Promise<Measured>): Promise<Measured> => {
  // The package for this platform is an optional one.
  const { startServer } = await import('../../store/postgres-server.ts')
  const server = await startServer(true)
  try {
    return await measured(server)
  } finally {
    await server.stop()
  }
}

interface Beside {
  /** Ledger and history are files. */
  readonly files: Plane
  /** Both are in the database. */
  readonly database: Plane
}

/** A gate with files beside one with a database, each with one approved hook that no event here matches. */
const withBoth = (
  start: typeof startGate,
  measured: (both: Beside) => Promise<Measured>,
): Promise<Measured> =>
  withServer(async (server) => {
    const both = {
      files: await start(),
      database: await start('none', { HOOKGATE_DATABASE: await server.database() }),
    }
    for (const gate of Object.values(both)) {
      await gate.script('hook.sh', hookScript)
      await approve(gate, anEntry({ command: './hook.sh', matcher: { pattern: 'rm -rf /srv/billing' } }))
    }
    try {
      return await measured(both)
    } finally {
      // The server stops after this.
      await both.database.stop()
    }
  })

const stored =
  ({ files, database }: Beside) =>
  (): Promise<unknown> =>
    Promise.all([files, database].map(({ gate }) => gate.store.records({ limit: 1 })))

/** A gated event that no hook matches. */
export const measureEvent = (start: typeof startGate): Promise<Measured> =>
  withBoth(start, async (both) => {
    const fired = (name: string, { gate, workspace }: Plane): Contender =>
      awaited(name, async () => {
        const outcome = await gate.dispatcher.fire({
          agentId: 'main',
          event: 'pre_tool_call',
          sessionId: 'bench',
          cwd: workspace,
          fields: { tool_name: 'bash', tool_input: { command: 'git log --oneline | head -9' } },
        })
        if (outcome.kind !== 'verdict' || outcome.verdict.hooks.some((trace) => trace.fired))
          throw new Error('Expected a verdict without a match.')
      })
    const contenders = [fired('files', both.files), fired('database', both.database)]
    const times = await measure(contenders, { rounds: 40, burst: 25, warmUps: 300, between: stored(both) })
    return { times }
  })

const text = 'The build is green again: the fixture had a wrong date.'

/** Many pushes over fifty chats to delivered. Each takes so long on average. */
export const measureDurablePushes = (start: typeof startGate): Promise<Measured> =>
  withBoth(start, async (both) => {
    const times = await measure(
      [
        createPusher(both.files).many('files', text, 50, 4),
        createPusher(both.database).many('database', text, 50, 4),
      ],
      {
        rounds: 10,
        burst: 2,
        warmUps: 6,
        between: () => {
          for (const { memory } of [both.files, both.database]) memory.forget()
          return stored(both)()
        },
      },
    )
    return { times }
  })
