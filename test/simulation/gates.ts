import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../src/core/model/gate/problem.ts'
import type { Seeded } from '../handlers/builtins/redact/seeded.ts'
import type { Database } from './database.ts'
import { startGate, type GatePorts } from './gate.ts'
import type { Beginning, Standing } from './laws.ts'
import type { GatePlace } from './node.ts'
import type { Plan } from './plan.ts'
import type { Machine, World } from './world.ts'

/** What everything in a simulation stands on. */
export interface Setting {
  readonly world: World
  readonly random: Seeded
  readonly plan: Plan
  readonly database: Database
  /** The folder of this simulation. */
  readonly root: string
  /** The machine of the owner, which never fails. */
  readonly phone: Machine
  note(what: string): void
}

/** The gates of a simulation. One that ends is started again, as a service manager does. */
export interface Gates {
  readonly places: readonly GatePlace[]
  readonly workspace: string
  begin(place: GatePlace): void
  end(place: GatePlace): void
  /** The gate that holds the lease, also in lockdown. Undefined: none does. */
  working(): GatePlace | undefined
  /** Gives the other gates the key of the first one, as an operator copies it, and starts them. */
  beginOthers(): void
  /** The gates that wait to take over, or that start. */
  waiting(): readonly GatePlace[]
  readonly standings: readonly Standing[]
  readonly beginnings: readonly Beginning[]
}

/** Takes a message of a process to the messenger. It resolves with what the messenger says. */
export type Deliver = (
  from: Machine,
  by: string,
  ...message: Parameters<GatePorts['deliver']>
) => ReturnType<GatePorts['deliver']>

/** The clocks of two gates differ by a minute. */
const skewMs = 60_000

export const createGates = (
  { world, random, plan, database, root, phone, note }: Setting,
  deliver: Deliver,
): Gates => {
  const places: GatePlace[] = Array.from({ length: plan.gates }, (_, index) => ({
    name: `gate${index}`,
    machine: world.machine(`gate${index}`, index * skewMs),
    service: undefined,
  }))
  const homeOf = ({ name }: GatePlace): string => join(root, name)
  for (const place of places) mkdirSync(homeOf(place), { mode: 0o700 })
  const workspace = join(root, 'workspace')
  mkdirSync(workspace)
  const standings: Standing[] = []
  const beginnings: Beginning[] = []
  let processes = 0
  const end = (place: GatePlace): void => {
    place.service = undefined
    world.kill(place.machine)
  }
  const begin = (place: GatePlace): void => {
    // Two faults can overlap, and each of them starts the gate again. A service manager runs it once.
    end(place)
    const machine = world.machine(place.name, place.machine.skewMs)
    place.machine = machine
    const holder = `${place.name} process ${++processes}`
    const again = (): void => {
      if (place.machine !== machine) return
      end(place)
      world.on(phone, () => world.after(1000, () => begin(place)))
    }
    world.on(machine, () => {
      startGate({
        random,
        database,
        machine,
        holder,
        home: homeOf(place),
        workspace,
        nodes: Array.from({ length: plan.nodes }, (_, index) => `node${index}`),
        deliver: (...message) => deliver(machine, holder, ...message),
        ended: again,
        stands: (standing) => void standings.push(standing),
        begins: (beginning) => void beginnings.push(beginning),
        log: note,
      }).then(
        (service) => {
          if (place.machine === machine) place.service = service
          note(`${place.name} works`)
        },
        (error: unknown) => {
          note(`${place.name} did not start: ${messageOf(error)}`)
          again()
        },
      )
    })
  }
  const working = (): GatePlace | undefined =>
    places.find(({ service, machine }) => service?.isInCharge() === true && machine.isAlive)
  return {
    places,
    workspace,
    begin,
    end,
    working,
    waiting: () => places.filter(({ service, machine }) => service === undefined && machine.isAlive),
    beginOthers: () => {
      const [first, ...others] = places
      if (first === undefined) return
      const keyIn = (place: GatePlace): string => join(homeOf(place), 'secrets', 'ledger.key')
      for (const other of others) {
        mkdirSync(join(homeOf(other), 'secrets'), { mode: 0o700 })
        copyFileSync(keyIn(first), keyIn(other))
        world.on(phone, () => begin(other))
      }
    },
    standings,
    beginnings,
  }
}
