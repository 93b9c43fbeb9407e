import { setFlagsFromString } from 'node:v8'
import type { Config } from '../../src/config/load.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import type { Payload } from '../../src/core/model/events/payload.ts'
import type { EventName } from '../../src/core/model/events/event.ts'
import type { Entry } from '../../src/core/model/hooks/entry.ts'
import type * as Planes from '../plane.ts'
import type { Plane } from '../plane.ts'

/** A whole gate of one row, with hooks on and none approved. */
export interface BenchGate extends Plane {
  /** The port of the bridge on loopback. */
  readonly bridgePort: number
}

export const startGate = async (
  separation: Config['separation'] = 'none',
  env: Readonly<Record<string, string>> = {},
  gateYaml = '',
): Promise<BenchGate> => {
  // As `hookgate start` does, and as early; there and back again.
  setFlagsFromString('--semi-space-growth-factor=1')
  const planes: Partial<typeof Planes> & Pick<typeof Planes, 'startPlane'> = await import('../plane.ts')
  const { freePort } = await import('../../src/attack/gate/free-port.ts')
  const bridgePort = await freePort()
  const allEnv = { STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL: '1', ...env }
  // At an older revision every plane has its threads.
  const start = planes.startThreadedPlane ?? planes.startPlane
  const plane = await start('hooks: []\n', {}, allEnv, separation, { port: bridgePort }, gateYaml)
  setFlagsFromString('--semi-space-growth-factor=2')
  await plane.gate.gatekeeper.setSwitch(true, 'memory:owner')
  return { ...plane, bridgePort }
}

/** Resolves with the fingerprint of the approval. */
export const approve = async ({ gate }: Plane, entry: Entry): Promise<string> => {
  const approved = await gate.gatekeeper.approve(entry, 'memory:owner')
  if (!approved.ok) throw new Error(approved.problem.message)
  return approved.approval.fingerprint
}

type Trace =
  Awaited<ReturnType<Plane['gate']['dispatcher']['fire']>> extends infer Fired
    ? Fired extends {
        readonly kind: 'verdict'
        readonly verdict: { readonly hooks: readonly (infer Hook)[] }
      }
      ? Hook
      : never
    : never

/**
 * Fires the same event at each call. Exactly one hook has to be asked, with the answer that is expected:
 * another one that answered, too, would be measured with it.
 */
export const createFire =
  (
    { gate, workspace }: Plane,
    event: EventName,
    fields: JsonObject,
    isExpected = ({ answer }: Trace): boolean => answer?.kind === 'abstain',
  ) =>
  async (): Promise<Payload> => {
    const fired = await gate.dispatcher.fire({
      agentId: 'main',
      event,
      sessionId: 'bench',
      cwd: workspace,
      fields,
    })
    const [hook, ...others] = fired.kind === 'verdict' ? fired.verdict.hooks : []
    if (fired.kind !== 'verdict' || hook === undefined || others.length > 0 || !isExpected(hook))
      throw new Error(`Expected one hook and its answer, got ${JSON.stringify(fired).slice(0, 500)}.`)
    return fired.verdict.payload
  }
