import { join } from 'node:path'
import { packageRoot } from '../config/first-start.ts'
import type { Config } from '../config/load.ts'
import { createRehearsal } from '../dispatcher/rehearsal.ts'
import { createAttackInUse, type AttackInUse, type AttackInUsePorts } from '../doctor/attack/in-use.ts'
import { bridgeFindings } from '../doctor/bridge-check.ts'
import { createCoverage, type CoveragePorts } from '../doctor/coverage/coverage.ts'
import { createDoctor, type Doctor, type DoctorPorts } from '../doctor/doctor.ts'
import { generalFindings } from '../doctor/general.ts'
import { gitFindings } from '../doctor/git-check.ts'
import { worldFindings } from '../doctor/world-check.ts'
import type { Gatekeeper } from '../gatekeeper/gatekeeper.ts'
import type { HookPlane } from '../hooks/plane.ts'
import type { Problem } from '../model/problem.ts'
import type { House } from '../separation/separation.ts'
import { createFileStore } from '../store/files.ts'
import type { Bridge } from './bridge.ts'

export interface DoctorParts
  extends
    Pick<AttackInUsePorts, 'page' | 'look' | 'over' | 'noAnchor'>,
    Pick<DoctorPorts, 'rows'>,
    Pick<CoveragePorts, 'channels' | 'menu'> {
  readonly config: Config
  readonly house: House
  readonly gatekeeper: Gatekeeper
  readonly hooks: HookPlane
  sourceProblem(): Problem | undefined
  readonly bridge: Pick<Bridge, 'strangers' | 'port' | 'takenPort'>
  newId(): string
  now(): number
}

/** Who looks whether every hook and the instance are well, and who tries to get round them. */
export const createCheckup = ({
  config,
  house,
  gatekeeper,
  hooks,
  rows,
  channels,
  menu,
  page,
  look,
  over,
  noAnchor,
  sourceProblem,
  bridge,
  newId,
  now,
}: DoctorParts): { readonly doctor: Doctor; readonly attack: AttackInUse } => {
  const { home, workspace, agents } = config
  const wayOut = createRehearsal({ files: createFileStore(join(home, 'files')), workspace, newId, now })
  return {
    doctor: createDoctor({
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
      coverage: createCoverage({ channels, wayOut, menu, now }),
    }),
    attack: createAttackInUse({
      home,
      workspace,
      tree: packageRoot(),
      hookPath: house.world.path,
      agents,
      startAs: house.agent,
      separation: house.separation.kind,
      gatekeeper,
      page,
      bridgePort: bridge.port,
      token: config.telegram?.token,
      look,
      over,
      noAnchor,
      now,
    }),
  }
}
