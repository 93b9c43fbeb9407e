import { createBoundedMap } from '../../core/model/base/bounded-map.ts'
import type { JsonObject } from '../../core/model/base/json.ts'
import type { SwitchFacts } from '../../shared/gate/client.ts'
import type { Exchange } from '../exchange.ts'
import {
  knownForMs,
  lineEveryMs,
  silentMs,
  type NodeAgent,
  type NodeLine,
  type NodeQuestion,
} from '../../shared/nodes/protocol.ts'
import type { Subscriber } from '../subscriber.ts'
import { createMailbox, type Mailbox, type Reply } from './mailbox.ts'

const maxHeard = 1000
/** The last line may have reached a node whose beats were lost already. In milliseconds. */
const lostForMs = knownForMs + silentMs

export interface MemberPorts {
  /** The names of the machines that are nodes, connected or not. */
  enrolled(): readonly string[]
  /** The agents that a node runs. */
  agentsOf(node: string): readonly NodeAgent[]
  /** The approvals of the hooks that run on a node. */
  approvalsOf(node: string): readonly JsonObject[]
  /** The questions that a connected node can be asked. */
  readonly questions: Pick<Exchange<NodeQuestion, NodeLine>, 'subscribe'>
  /** Gives what an agent is told. Returns its end, or undefined for an agent of another machine. */
  follow(node: string, agent: string, subscriber: Subscriber): (() => void) | undefined
  /** The state of the gate that nodes need. */
  facts(): SwitchFacts
  /** Two processes live that have the key of this node. It is told at most once an hour. */
  hasTwin(node: string): void
  /** A monotonic clock, in milliseconds. */
  elapsedMs(): number
}

/** A process that connects as a node. */
export interface Arrival {
  readonly node: string
  /** Different for each process. */
  readonly instance: string
  /** The version of hookgate on that machine. */
  readonly version: string
}

/** A node that is connected now. */
export interface ConnectedNode extends Arrival {
  /** The time from a line to its beat, in milliseconds. Absent: it has not answered yet. */
  readonly lagMs?: number
}

interface OpenNode extends Arrival {
  readonly box: Mailbox
  lagMs: number | undefined
  /** The approvals that it was told last, as text. */
  hooks: string
  /** The number of the state that it was told last, and when. */
  told: number
  toldMs: number
  /** The newest state that it knows. */
  known: number
  /** The agents that listen: under which number, and the end of it. */
  readonly inboxes: Map<string, { readonly number: number; readonly end: () => void }>
  unsubscribe(): void
}

/** When each node was heard last. */
const createHearing = ({ elapsedMs }: Pick<MemberPorts, 'elapsedMs'>) => {
  const heardMs = createBoundedMap<string, number>(maxHeard)
  const silentForMs = (node: string): number | undefined => {
    const heard = heardMs.get(node)
    return heard === undefined ? undefined : elapsedMs() - heard
  }
  return { heardMs, silentForMs, isSilent: (node: string) => (silentForMs(node) ?? Infinity) > silentMs }
}

/** How often a second process with the key of a node is told of, in milliseconds. */
const tellTwinEveryMs = 60 * 60_000

/**
 * Notices that two processes live that have the key of one node. One that wants to connect beside another may
 * be the same one, started anew. It is not, when the other one says something after that.
 */
const createTwins = ({ hasTwin, elapsedMs }: Pick<MemberPorts, 'hasTwin' | 'elapsedMs'>) => {
  const toldMs = createBoundedMap<string, number>(maxHeard)
  const wanted = new Set<string>()
  return {
    refused: (node: string): void => void wanted.add(node),
    opened: (node: string): void => void wanted.delete(node),
    heard: (node: string): void => {
      if (!wanted.delete(node) || elapsedMs() - (toldMs.get(node) ?? -Infinity) < tellTwinEveryMs) return
      toldMs.set(node, elapsedMs())
      hasTwin(node)
    },
  }
}

const openNode = (arrival: Arrival, stateFor: (member: OpenNode) => NodeLine): OpenNode => {
  const member: OpenNode = {
    ...arrival,
    box: createMailbox(() => stateFor(member)),
    lagMs: undefined,
    hooks: '',
    told: 0,
    toldMs: 0,
    known: 0,
    inboxes: new Map(),
    unsubscribe: () => undefined,
  }
  return member
}

/** Gives the agents of a node what they are told, as long as they listen under the same number. */
const listen = (
  { node, box, inboxes }: OpenNode,
  listening: ReadonlyMap<string, number>,
  follow: MemberPorts['follow'],
): void => {
  for (const [agent, { number, end }] of inboxes) if (listening.get(agent) !== number) end()
  for (const [agent, number] of listening) {
    if (inboxes.has(agent)) continue
    const end = follow(node, agent, {
      send: (line) => box.send({ type: 'inbox', number, line }),
      ended: () => inboxes.delete(agent),
    })
    if (end !== undefined) inboxes.set(agent, { number, end })
  }
}

/** The nodes that are connected. Each of them is told the state of the gate, and says that it knows it. */
export const createMembers = (ports: MemberPorts) => {
  const { enrolled, agentsOf, approvalsOf, questions, follow, facts, elapsedMs } = ports
  const connected = new Map<string, OpenNode>()
  const { heardMs, silentForMs, isSilent } = createHearing(ports)
  const twins = createTwins(ports)
  /** Every answer with the state has a number of its own, so that the next request shows the lag. */
  let number = 1
  /** The number from which on an answer has the state as it is since its last change. */
  let changed = number
  const waiting = new Set<() => void>()
  const startMs = elapsedMs()
  /**
   * The nodes that have lost the gate, and still know how it was. A node that this gate has never heard may
   * know it from the process before.
   */
  const lost = (): readonly string[] =>
    enrolled().filter(
      (node) => !connected.has(node) && elapsedMs() - (heardMs.get(node) ?? startMs) < lostForMs,
    )
  const wake = (): void => {
    for (const check of waiting) check()
  }

  const stateFor = (member: OpenNode): NodeLine => {
    member.told = ++number
    member.toldMs = elapsedMs()
    return { type: 'state', number, facts: facts() }
  }
  const sendHooks = (member: OpenNode): void => {
    const approvals = approvalsOf(member.node)
    const hooks = JSON.stringify(approvals)
    if (hooks === member.hooks) return
    member.hooks = hooks
    member.box.send({ type: 'hooks', approvals })
  }
  const drop = (node: string): void => {
    const member = connected.get(node)
    connected.delete(node)
    member?.unsubscribe()
    for (const { end } of member?.inboxes.values() ?? []) end()
    member?.box.close()
    wake()
  }
  const open = (arrival: Arrival): OpenNode => {
    const { node } = arrival
    drop(node)
    const member = openNode(arrival, stateFor)
    twins.opened(node)
    connected.set(node, member)
    member.box.send({ type: 'hello', node, agents: agentsOf(node) })
    sendHooks(member)
    member.unsubscribe = questions.subscribe(node, member.box.send)
    return member
  }
  const timer = setInterval(() => {
    for (const node of connected.keys()) if (isSilent(node)) drop(node)
  }, lineEveryMs)
  timer.unref()

  return {
    /**
     * A node asks for lines. `known`: the number of the state that it was told last. With another one it has
     * lost lines, or it begins, so it is connected anew. Returns the end of its request, or undefined while
     * another process is connected as this node.
     */
    take: (arrival: Arrival, known: number, reply: Reply): (() => void) | undefined => {
      const { node, instance } = arrival
      const before = connected.get(node)
      if (before !== undefined && before.instance !== instance && !isSilent(node)) {
        twins.refused(node)
        return undefined
      }
      heardMs.set(node, elapsedMs())
      const isOn = before?.instance === instance && before.told === known
      const member = isOn ? before : open(arrival)
      if (isOn) {
        member.lagMs = elapsedMs() - member.toldMs
        member.known = known
        twins.heard(node)
        wake()
      }
      member.box.wait(reply)
      return () => {
        if (member.box.waitsFor(reply)) drop(node)
      }
    },
    /** The agents of a node that listen now, each with a number that differs when it listens anew. */
    listen: ({ node, instance }: Arrival, listening: ReadonlyMap<string, number>): void => {
      const member = connected.get(node)
      if (member?.instance === instance) listen(member, listening, follow)
    },
    /** Ends the connection of a machine that is a node no longer. */
    remove: (node: string): void => {
      heardMs.delete(node)
      drop(node)
    },
    /** Tells the state now, because it has changed. */
    tell: (): void => {
      changed = ++number
      for (const member of connected.values()) {
        sendHooks(member)
        if (member.told < changed) member.box.flush()
      }
    },
    /**
     * Resolves when every node knows the state of now, at the latest after `withinMs`, with the nodes that
     * have not said so.
     */
    told: (withinMs: number): Promise<readonly string[]> =>
      new Promise((resolve) => {
        const now = changed
        const missing = (): readonly string[] =>
          [...connected.values()].filter(({ known }) => known < now).map(({ node }) => node)
        const done = (): void => {
          waiting.delete(check)
          clearTimeout(late)
          resolve([...missing(), ...lost()])
        }
        const late = setTimeout(done, withinMs)
        const check = (): void => {
          if (missing().length === 0) done()
        }
        waiting.add(check)
        check()
      }),
    /** The time since a node was heard last, in milliseconds. Undefined: never since the start. */
    silentForMs,
    list: (): readonly ConnectedNode[] =>
      [...connected.values()].map(({ node, instance, version, lagMs }) => ({
        node,
        instance,
        version,
        lagMs,
      })),
    stop: (): void => {
      clearInterval(timer)
      for (const node of connected.keys()) drop(node)
    },
  }
}

export type Members = ReturnType<typeof createMembers>
