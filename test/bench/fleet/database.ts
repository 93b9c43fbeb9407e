import { startThreadedPlane, type Plane } from '../../plane.ts'
import { hookScript } from '../hook.ts'
import { awaited, measure, type Contender } from '../measure.ts'
import { anEntry } from '../../gatekeeper/gate-fixture.ts'
import { createPusher } from '../push.ts'
import type { Subject } from '../table.ts'

/** The owner's word counts for a hook that no event of these rows matches. */
const entry = anEntry({ command: './hook.sh', matcher: { pattern: 'rm -rf /srv/billing' } })

/** A whole gate in this process, with hooks on and one approved. */
export const startArmed = async (env: Readonly<Record<string, string>>, gateYaml = ''): Promise<Plane> => {
  const plane = await startThreadedPlane('hooks: []\n', { 'hook.sh': hookScript }, env, 'none', {}, gateYaml)
  await plane.gate.gatekeeper.setSwitch(true, 'memory:owner')
  const approved = await plane.gate.gatekeeper.approve(entry, 'memory:owner')
  if (!approved.ok) throw new Error(approved.problem.message)
  return plane
}

interface Beside {
  /** Ledger and history are files. */
  readonly files: Plane
  /** Both are in the database. */
  readonly database: Plane
}

const stored = ({ gate }: Plane): Promise<unknown> => gate.store.records({ limit: 1 })

/** A gated event that no hook matches, with a database and without. */
export const measureEvent = async (planes: Beside): Promise<Subject> => {
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
  const times = await measure([fired('files', planes.files), fired('database', planes.database)], {
    rounds: 40,
    burst: 25,
    warmUps: 300,
    between: () => Promise.all([stored(planes.files), stored(planes.database)]),
  })
  return { name: 'a gated event with no match', times }
}

const text = 'The build is green again: the fixture had a wrong date.'

/** Many pushes over fifty chats to delivered, with a database and without. Each takes so long on average. */
export const measureDurablePushes = async (planes: Beside): Promise<Subject> => {
  const both = [planes.files, planes.database]
  const times = await measure(
    [
      createPusher(planes.files).many('files', text, 50, 4),
      createPusher(planes.database).many('database', text, 50, 4),
    ],
    {
      rounds: 10,
      burst: 2,
      warmUps: 6,
      between: async () => {
        for (const { memory } of both) memory.forget()
        await Promise.all(both.map(stored))
      },
    },
  )
  return { name: 'a push of 250 at a time over 50 chats', times }
}
