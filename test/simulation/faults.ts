/** How each kind of fault is done. Each ends by itself. */
import type { Gates, Setting } from './gates.ts'
import type { Node } from './node.ts'
import type { Fault } from './plan.ts'
import { steal } from './thief.ts'

/** A receipt waits so long for gates that say nothing, in milliseconds, and a little is added. */
const receiptMs = 2500

/** Strikes once. */
export const strike = (
  { world, random, database, note }: Setting,
  { places, working, waiting, begin, end }: Gates,
  nodes: readonly Node[],
  { kind, on, forMs }: Fault,
): void => {
  const place = on % 4 === 3 ? random.pick(places) : (working() ?? random.pick(places))
  note(`${kind} ${place.name} for ${forMs} ms`)
  const { machine } = place
  const node = nodes[on % nodes.length]
  const kill = (killed = place): void => {
    end(killed)
    world.after(forMs, () => begin(killed))
  }
  const stopWaiting = (stoppedMs: number): void => {
    for (const each of waiting()) each.machine.stoppedUntilMs = world.nowMs() + stoppedMs
  }
  const lose = (): void => {
    note('the database is put back')
    database.putBack(1 + (on % 3))
  }
  switch (kind) {
    case 'kill':
      kill()
      break
    case 'stop':
      machine.stoppedUntilMs = world.nowMs() + forMs
      break
    case 'stopStandby':
      stopWaiting(forMs)
      break
    case 'hold':
      world.hold(machine, database.machine, forMs)
      break
    case 'refuse':
      world.refuse(machine, database.machine, forMs)
      break
    case 'restart':
      database.restart(Math.min(forMs, 5000))
      break
    case 'hang':
      if (on % 3 === 0) database.machine.stoppedUntilMs = world.nowMs() + forMs
      else database.hangOne(on, forMs)
      break
    case 'node':
      if (node === undefined) return
      if (on % 2 === 0) world.hold(node.machine, machine, forMs)
      else node.machine.stoppedUntilMs = world.nowMs() + forMs
      break
    case 'putBack': {
      const killNow = (): void => kill(working() ?? place)
      const ways = [
        // The database loses its last change with the gate that works.
        () => {
          lose()
          killNow()
        },
        // In the middle of a takeover, or after it.
        () => {
          killNow()
          world.after(random.below(15_000), lose)
        },
        // It loses a change that was just acknowledged, and then the gate that works.
        () =>
          database.onNextLine(() =>
            world.after(1 + random.below(60), () => {
              lose()
              world.after(random.below(1500), killNow)
            }),
          ),
        // The same, while the gates that wait stand still.
        () => {
          stopWaiting(receiptMs + 6000 + forMs)
          database.onNextLine(() =>
            world.after(receiptMs, () => {
              lose()
              killNow()
            }),
          )
        },
      ]
      ways[on % ways.length]?.()
      break
    }
    case 'forge': {
      const thief = world.machine('thief')
      const login = on % 2 === 0 ? 'gate' : 'owner'
      const theft = {
        database,
        machine: thief,
        login,
        way: Math.floor(on / 2),
        on: random.below(64),
        note,
      } as const
      world.on(thief, () => void steal(theft))
      if (random.below(2) === 0) world.after(random.below(200), () => kill(working() ?? place))
    }
  }
}
