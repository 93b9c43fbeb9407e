import { setFlagsFromString } from 'node:v8'
import type { Config } from '../../src/config/load.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import type { Payload } from '../../src/core/model/events/payload.ts'
import type { EventName } from '../../src/core/model/events/event.ts'
import type { Entry } from '../../src/core/model/hooks/entry.ts'
import type * as Consents from '../consent.ts'
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
  await (await ownerOf(plane)).setSwitch(true)
  return { ...plane, bridgePort }
}

type Approving = ReturnType<ReturnType<typeof Consents.actingIn>['approve']>
/** The acts as they were before an owner's consent was an object. */
interface OlderActs {
  setSwitch(isOn: boolean, by: string): Promise<unknown>
  approve(
    entry: Entry,
    by: string,
  ): Promise<Awaited<Approving> | { readonly ok: true; readonly approval: { readonly fingerprint: string } }>
}

/** What the owner does, at an older revision as well. */
const ownerOf = async ({ gate }: Pick<Plane, 'gate'>) => {
  const older = gate.gatekeeper as unknown as Partial<OlderActs>
  const { setSwitch, approve } = older
  if (setSwitch !== undefined && approve !== undefined)
    return {
      setSwitch: (isOn: boolean) => setSwitch(isOn, 'memory:owner'),
      approve: (entry: Entry) => approve(entry, 'memory:owner'),
    }
  const { actingIn } = await import('../consent.ts')
  return actingIn(gate.gatekeeper)
}

/** Resolves with the fingerprint of the approval. */
export const approve = async ({ gate }: Plane, entry: Entry): Promise<string> => {
  const approved = await (await ownerOf({ gate })).approve(entry)
  if (!approved.ok) throw new Error(approved.problem.message)
  return 'approval' in approved ? approved.approval.fingerprint : approved.fingerprint
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
