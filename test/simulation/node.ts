import { Readable } from 'node:stream'
import type { IncomingMessage } from '../../src/shared/base/http.ts'
import type { SwitchFacts } from '../../src/shared/gate/client.ts'
import { isObject, type JsonObject } from '../../src/core/model/base/json.ts'
import { nodePaths, type NodeLine } from '../../src/shared/nodes/protocol.ts'
import type { Link } from '../../src/node/link.ts'
import { runNode } from '../../src/node/node.ts'
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

const responseOf = (statusCode: number): Readable & Pick<IncomingMessage, 'statusCode'> =>
  Object.assign(new Readable({ read: () => undefined }), { statusCode, headers: {} })

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
  const ask = (path: string, value: JsonObject, withinMs?: number): Promise<JsonObject> =>
    new Promise((resolve, reject) => {
      const target = place()
      const { machine: gate } = target
      const wire = world.wire(machine, gate, (side) => {
        wires.delete(wire)
        if (side === machine) reject(new Error('the connection broke'))
      })
      wires.add(wire)
      if (withinMs !== undefined) setTimeout(wire.end, withinMs)
      const finish = (answer: JsonObject): void =>
        wire.send(machine, () => {
          resolve(answer)
          wire.end()
        })
      wire.send(gate, () => {
        const { service } = target
        if (service === undefined || target.machine !== gate) return finish(waitingRefusal)
        if (path !== nodePaths.beat) return void serve(service, path, value).then(finish, () => wire.end())
        service.members.beat(name, Number(value['number']))
        finish({})
      })
    })

  const stream = (signal: AbortSignal | undefined): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const target = place()
      const { machine: gate } = target
      const response = responseOf(200)
      // An error before anybody reads is seen when it is read.
      response.on('error', () => undefined)
      let close: () => void = () => undefined
      const wire = world.wire(machine, gate, (side) => {
        wires.delete(wire)
        if (side !== machine) return close()
        reject(new Error('the connection broke'))
        response.destroy(new Error('the connection broke'))
      })
      wires.add(wire)
      signal?.addEventListener('abort', () => wire.end())
      wire.send(gate, () => {
        const { service } = target
        const arrival = { node: name, instance: name, version: '1' }
        if (service === undefined || target.machine !== gate || !service.members.mayOpen(arrival)) {
          const refusal = responseOf(503)
          refusal.push(JSON.stringify(waitingRefusal))
          refusal.push(null)
          return wire.send(machine, () => {
            resolve(refusal as unknown as IncomingMessage)
            wire.end()
          })
        }
        wire.send(machine, () => resolve(response as unknown as IncomingMessage))
        const send = (line: NodeLine): void => {
          const text = `${JSON.stringify(line)}\n`
          wire.send(machine, () => void response.push(text))
        }
        close = service.members.open(arrival, send, wire.end)
      })
    })

  const link: Link = {
    gate: () => place().name,
    turn: () => ++at % gates.length === 0,
    cut: () => {
      for (const wire of wires) wire.end()
    },
    setClock: () => undefined,
    send: ({ signal }) => stream(signal),
    post: async (path, value) => {
      await ask(path, isObject(value) ? value : {})
      const response = responseOf(204)
      response.push(null)
      return response as unknown as IncomingMessage
    },
  }
  world.on(machine, () => {
    runNode({
      home: '/nowhere',
      link,
      runAgents: () => Promise.resolve(),
      takeHooks: () => Promise.resolve(),
      answer: () => Promise.reject(new Error('no questions here')),
      writeSwitch: (next) => {
        facts = next
      },
      say: (line) => log(`${name} ${line}`),
      now: () => Date.now(),
      log: (_, what) => log(`${name} ${what}`),
      signal: new AbortController().signal,
    }).catch((error: unknown) => log(`${name} ended: ${String(error)}`))
  })
  return {
    name,
    machine,
    facts: () => facts,
    call: async (path, value, withinMs) => {
      const answer = await ask(path, value, withinMs)
      if ('error' in answer) throw new Error('the gate waits')
      return answer
    },
  }
}
