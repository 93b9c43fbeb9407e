import { Readable } from 'node:stream'
import type { IncomingMessage } from '../../src/shared/base/http.ts'
import type { SwitchFacts } from '../../src/shared/gate/client.ts'
import { isObject, parseJson, type JsonObject } from '../../src/core/model/base/json.ts'
import { nodePaths } from '../../src/shared/nodes/protocol.ts'
import type { Link } from '../../src/node/link.ts'
import { runBareNode } from '../node/rig.ts'
import type { Service } from './gate.ts'
import type { Machine, Wire, World } from './world.ts'

/** A place where a gate runs, by its name. The process there changes with each restart. */
export interface GatePlace {
  readonly name: string
  machine: Machine
  /** Absent while the gate starts, or waits for another one. */
  service: Service | undefined
}

export interface Node {
  readonly name: string
  readonly machine: Machine
  /** Sends a value to the gate, and resolves with the answer. Rejects when there is none. */
  call(path: string, value: JsonObject, withinMs: number): Promise<JsonObject>
  /** What the bridges of the node know of the switch. */
  facts(): SwitchFacts
}

export interface NodePorts {
  readonly world: World
  readonly machine: Machine
  readonly gates: readonly GatePlace[]
  /** What a working gate answers to a call of a node's agents. */
  serve(service: Service, path: string, value: JsonObject): Promise<JsonObject>
  log(what: string): void
}

const answerOf = (statusCode: number, text: string): IncomingMessage =>
  Object.assign(Readable.from([text]), { statusCode, headers: {} }) as unknown as IncomingMessage

interface Answered {
  readonly status: number
  readonly text: string
}

const waitingRefusal = {
  error: {
    code: 'gate.waiting',
    message: 'Expected a gate that works, got one that waits.',
    fix: 'Try again.',
  },
}

/** One machine of agents. It connects as the product does; only its sockets are the world's. */
export const startNode = ({ world, machine, gates, serve, log }: NodePorts): Node => {
  const { name } = machine
  let at = 0
  let facts: SwitchFacts = { isArmed: true, unreachable: 'owner' }
  const wires = new Set<Wire>()
  const place = (): GatePlace => gates[at % gates.length] as GatePlace

  /** Asks the gate something on a connection of its own. */
  const ask = (path: string, value: JsonObject, end: AbortSignal | undefined): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const target = place()
      const { machine: gate } = target
      let gone: () => void = () => undefined
      const wire = world.wire(machine, gate, (side) => {
        wires.delete(wire)
        if (side !== machine) return gone()
        reject(new Error('the connection broke'))
      })
      wires.add(wire)
      end?.addEventListener('abort', wire.end)
      const finish = (status: number, text: string): void =>
        wire.send(machine, () => {
          resolve({ status, text })
          wire.end()
        })
      const refuse = (): void => finish(503, JSON.stringify(waitingRefusal))
      wire.send(gate, () => {
        const { service } = target
        if (service === undefined || target.machine !== gate) return refuse()
        if (path === nodePaths.inboxes) return finish(200, '{}')
        if (path !== nodePaths.lines)
          return void serve(service, path, value).then(
            (answer) => finish(200, JSON.stringify(answer)),
            () => wire.end(),
          )
        const arrival = { node: name, instance: name, version: '1' }
        const taken = service.members.take(arrival, Number(value['number']), (text) => finish(200, text))
        if (taken === undefined) refuse()
        else gone = taken
      })
    })

  const link: Link = {
    gate: () => place().name,
    turn: () => ++at % gates.length === 0,
    cut: () => {
      for (const wire of wires) wire.end()
    },
    setClock: () => undefined,
    send: () => Promise.reject(new Error('nothing but JSON here')),
    post: async (path, value, signal) => {
      const { status, text } = await ask(path, isObject(value) ? value : {}, signal)
      return answerOf(status, text)
    },
  }
  world.on(machine, () => {
    runBareNode({
      link,
      writeSwitch: (next) => {
        facts = next
      },
      say: (line) => log(`${name} ${line}`),
      log: (_, what) => log(`${name} ${what}`),
      signal: new AbortController().signal,
    }).catch((error: unknown) => log(`${name} ended: ${String(error)}`))
  })
  return {
    name,
    machine,
    facts: () => facts,
    call: async (path, value, withinMs) => {
      const end = new AbortController()
      setTimeout(() => end.abort(), withinMs)
      const { status, text } = await ask(path, value, end.signal)
      const answer = parseJson(text)
      if (status !== 200 || !isObject(answer)) throw new Error('the gate waits')
      return answer
    },
  }
}
