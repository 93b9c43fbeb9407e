import { applyRewrite } from '../../core/hooks/settle/rewrite.ts'
import { bridgeFindings } from '../../doctor/bridge-check.ts'
import { coverageOf } from '../../doctor/coverage.ts'
import { createDoctor, type Doctor } from '../../doctor/doctor.ts'
import { generalFindings } from '../../doctor/general.ts'
import { gitFindings } from '../../doctor/git-check.ts'
import { nodeFindings } from '../../doctor/node-check.ts'
import { worldFindings } from '../../doctor/world-check.ts'
import type { Base } from '../base.ts'
import type { Bridge } from '../agents/bridge.ts'
import type { GateChapter } from '../gate.ts'
import type { HookChapter } from '../hooks.ts'
import type { Watchers } from '../watch.ts'

/** Checks every hook and the instance. It changes nothing. */
export const createDoctorChapter = (
  { config: { workspace, person }, isolation, reader, channels, now, elapsedMs }: Base,
  { gatekeeper, rows }: GateChapter,
  { hooks }: HookChapter,
  bridge: Bridge,
  { noAnchor }: Watchers,
): Doctor => {
  return createDoctor({
    approved: gatekeeper.approvedHooks,
    approvedAs: (fingerprint) => gatekeeper.state().approvals.get(fingerprint),
    rows,
    ask: hooks.ask,
    rewriteFlaw: (payload, rewrite) => applyRewrite(payload, rewrite).fault,
    isFor: hooks.isFor,
    residents: hooks.residents,
    probe: hooks.probe,
    workspace,
    now,
    elapsedMs,
    general: async () => {
      // The settings of clients are read here alone.
      const { switchedOff } = await import('../../bridge/install/switched-off.ts')
      return [
        ...generalFindings(
          gatekeeper.state(),
          reader.source().problem,
          isolation.separation,
          noAnchor(),
          hooks.containment,
        ),
        ...worldFindings(isolation.world),
        ...nodeFindings(gatekeeper.nodes.all().length),
        ...gitFindings(await hooks.gitVersion()),
        ...bridgeFindings({
          strangers: bridge.strangers(),
          takenPort: bridge.takenPort(),
          switchedOff: switchedOff({
            home: person,
            project: workspace,
            env: process.env,
            machine: { root: '/', platform: process.platform },
          }),
        }),
      ]
    },
    coverage: () => coverageOf(channels.values()),
  })
}
