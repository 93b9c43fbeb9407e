import type { Config } from '../config/load.ts'
import { bridgeFindings } from '../doctor/bridge-check.ts'
import { coverageOf } from '../doctor/coverage.ts'
import { createDoctor, type Doctor, type DoctorPorts } from '../doctor/doctor.ts'
import { generalFindings } from '../doctor/general.ts'
import { gitFindings } from '../doctor/git-check.ts'
import { worldFindings } from '../doctor/world-check.ts'
import type { Gatekeeper } from '../gatekeeper/gatekeeper.ts'
import type { HookPlane } from '../hooks/plane.ts'
import type { Channel } from '../model/channel.ts'
import type { Problem } from '../model/problem.ts'
import type { House } from '../separation/separation.ts'
import type { Bridge } from './bridge.ts'

export interface DoctorParts extends Pick<DoctorPorts, 'rows'> {
  readonly config: Config
  readonly house: House
  readonly gatekeeper: Gatekeeper
  readonly hooks: HookPlane
  sourceProblem(): Problem | undefined
  /** Why no messenger keeps how far the ledger has come, in words. */
  noAnchor(): string | undefined
  readonly bridge: Pick<Bridge, 'strangers' | 'takenPort'>
  channels(): Iterable<Channel>
  now(): number
}

/** Looks whether every hook and the instance are well. It changes nothing. */
export const createDoctorChapter = ({
  config: { workspace },
  house,
  gatekeeper,
  hooks,
  rows,
  channels,
  noAnchor,
  sourceProblem,
  bridge,
  now,
}: DoctorParts): Doctor => {
  return createDoctor({
    approved: gatekeeper.approvedHooks,
    approvedAs: (fingerprint) => gatekeeper.state().approvals.get(fingerprint),
    rows,
    ask: hooks.ask,
    isFor: hooks.isFor,
    residents: hooks.residents,
    probe: hooks.probe,
    workspace,
    now,
    general: async () => [
      ...generalFindings(
        gatekeeper.state(),
        sourceProblem(),
        house.separation,
        noAnchor(),
        hooks.containment,
      ),
      ...worldFindings(house.world),
      ...gitFindings(await hooks.gitVersion()),
      ...bridgeFindings({ strangers: bridge.strangers(), takenPort: bridge.takenPort() }),
    ],
    coverage: () => coverageOf(channels()),
  })
}
