/** One seeded run: people, agents and events use the gates while something goes wrong. */
import { setTimeout as pause } from 'node:timers/promises'
import { hasStarted, until } from '../e2e/program.ts'
import type { BotApi } from '../fixtures/bot-api/server.ts'
import { seeded, type Seeded } from '../handlers/builtins/redact/seeded.ts'
import { createCallers, type Callers } from './callers.ts'
import { strike, type Fault, type FaultKind, type FaultPorts } from './faults.ts'
import type { Fleet } from './fleet.ts'
import type { ActName, History } from './history.ts'
import { fireAt } from './socket-client.ts'

export interface RunPorts extends FaultPorts {
  readonly api: BotApi
}

export interface Run {
  readonly history: History
  readonly fault: Fault
  readonly unanswered: readonly string[]
}

const settleMs = 60_000

const stateOf = ({ members }: Fleet): string =>
  members
    .map((each) => `${each.name}, alive: ${each.isAlive()}\n${each.program().output().slice(-3000)}`)
    .join('\n---\n')

/** Nothing waits to be read or to be sent. */
const calm = async ({ api, fleet }: RunPorts): Promise<void> => {
  await until(
    'everything to be read and sent',
    async () => api.pending().length === 0 && (await fleet.waiting()).length === 0,
    settleMs,
  ).catch(async (error: unknown) => {
    throw new Error(`${String(error)} It waits:\n${(await fleet.waiting()).join('\n')}\n${stateOf(fleet)}`)
  })
}

/** One gate works, and the other one waits. A gate that has ended is started again. */
const whole = async ({ fleet }: RunPorts): Promise<void> => {
  const look = async (): Promise<boolean> => {
    for (const member of fleet.members) if (!member.isAlive()) fleet.restart(member)
    const working = await fleet.working()
    if (working === undefined || !hasStarted(working.program())) return false
    const answer = await fireAt(working.gate, 'echo whole', 1000)
    const waits = fleet.members.every(
      (member) => member === working || /Another hookgate works on/.test(member.program().output()),
    )
    return answer?.body['verdict'] === 'allow' && waits
  }
  await until('one gate to work and one to wait', look, settleMs).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${stateOf(fleet)}`)
  })
}

const command = async (callers: Callers, random: Seeded): Promise<void> => {
  const name = random.pick<ActName | 'read'>(['on', 'off', 'on', 'off', 'approve', 'revoke', 'read', 'read'])
  await (name === 'read' ? callers.read() : callers.act(name))
}

const [fewestPushes, mostPushes] = [6, 12]
const [fewestCommands, mostCommands] = [4, 12]
/** So many pushes go to one chat, so that some of them wait there. */
const pushesOfChat = 3

/** Runs once. `name`: no other run of the fleet has it. */
export const runOnce = async (ports: RunPorts, name: string, kind: FaultKind, seed: number): Promise<Run> => {
  const { api, fleet } = ports
  const random = seeded(seed)
  const callers = createCallers({ ...ports, calm: () => calm(ports) })
  await whole(ports)
  await calm(ports)
  const linesBefore = (await fleet.chain()).length
  const fromCall = api.calls().length
  const before = await fleet.sightings()
  api.lag(Math.max(0, random.below(600) - 200))
  await callers.act('approve')
  await callers.act('on')

  const isOver = new AbortController()
  const events = async (): Promise<void> => {
    while (!isOver.signal.aborted) {
      await callers.fire()
      await pause(150)
    }
  }
  const pushing = async (): Promise<void> => {
    const all: Promise<void>[] = []
    for (let at = 0; at < fewestPushes || (!struck.signal.aborted && at < mostPushes); at++) {
      const isForbidden = random.below(10) < 6
      const chat = Math.floor((seed * mostPushes + at) / pushesOfChat)
      all.push(callers.push(`${name} ${at}${isForbidden ? ' forbidden' : ''}`, isForbidden, chat))
      await pause(random.below(700))
    }
    await Promise.all(all)
  }
  const struck = new AbortController()
  const commanding = async (): Promise<void> => {
    for (let count = 0; count < fewestCommands || (!struck.signal.aborted && count < mostCommands); count++) {
      await command(callers, random)
      await pause(random.below(400))
    }
  }
  const talking = async (): Promise<void> => {
    for (const part of ['a', 'b']) {
      await pause(random.below(500))
      await callers.prompt(`${name}-${part}`)
    }
  }
  const striking = async (): Promise<Fault> => {
    await pause(random.below(1500))
    return strike(ports, kind, random).finally(() => struck.abort())
  }
  const firing = events()
  const [fault] = await Promise.all([
    striking(),
    pushing(),
    commanding(),
    talking(),
    ...(random.below(5) === 0 ? [callers.fireByProgram()] : []),
  ])
  await whole(ports)
  isOver.abort()
  await firing
  await callers.read()
  await calm(ports)
  const arrivals = callers.arrivals(fromCall)
  return {
    fault,
    unanswered: callers.unanswered(),
    history: {
      calls: [...callers.calls(), ...callers.lists(arrivals)],
      arrivals,
      chain: await fleet.chain(),
      linesBefore,
      sightings: [...before, ...(await fleet.sightings())],
    },
  }
}
