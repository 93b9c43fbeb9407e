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
  send(line: NodeLine): void
  end(): void
  lagMs: number | undefined
  /** The approvals that it was told last, as text. */
  hooks: string
  unsubscribe(): void
  /** The newest state that it knows. */
  known: number
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

/** The nodes that are connected. Each of them is told the state of the gate, and says that it knows it. */
export const createMembers = ({
  enrolled,
  agentsOf,
  approvalsOf,
  questions,
  facts,
  hasTwin,
  elapsedMs,
}: MemberPorts) => {
  const connected = new Map<string, OpenNode>()
  const { heardMs, silentForMs, isSilent } = createHearing({ elapsedMs })
  const twins = createTwins({ hasTwin, elapsedMs })
  /** The number of the state, and when each of the last ones was sent. */
  let number = 0
  const sentMs = new Map<number, number>()
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

  const stateLine = (): NodeLine => ({ type: 'state', number, facts: facts() })
  /** Every line has a number of its own, so that its beat shows the lag. */
  const next = (): void => {
    number++
    sentMs.set(number, elapsedMs())
    sentMs.delete(number - 100)
  }
  const sendHooks = (member: OpenNode): void => {
    const approvals = approvalsOf(member.node)
    const hooks = JSON.stringify(approvals)
    if (hooks === member.hooks) return
    member.hooks = hooks
    member.send({ type: 'hooks', approvals })
  }
  const sendAll = (): void => {
    next()
    const line = stateLine()
    for (const member of connected.values()) member.send(line)
  }
  const drop = (node: string): void => {
    const member = connected.get(node)
    connected.delete(node)
    member?.unsubscribe()
    member?.end()
    wake()
  }
  const timer = setInterval(() => {
    for (const node of connected.keys()) if (isSilent(node)) drop(node)
    if (connected.size > 0) sendAll()
  }, lineEveryMs)
  timer.unref()

  return {
    /** False while another process is connected as this node. */
    mayOpen: ({ node, instance }: Arrival): boolean => {
      const member = connected.get(node)
      if (member === undefined || member.instance === instance || isSilent(node)) return true
      twins.refused(node)
      return false
    },
    /** Returns the end of this connection. It does not end a later one of the same node. */
    open: (arrival: Arrival, send: (line: NodeLine) => void, end: () => void): (() => void) => {
      drop(arrival.node)
      const member: OpenNode = {
        ...arrival,
        send,
        end,
        lagMs: undefined,
        known: 0,
        hooks: '',
        unsubscribe: () => undefined,
      }
      heardMs.set(arrival.node, elapsedMs())
      twins.opened(arrival.node)
      connected.set(arrival.node, member)
      send({ type: 'hello', node: arrival.node, agents: agentsOf(arrival.node) })
      sendHooks(member)
      next()
      send(stateLine())
      member.unsubscribe = questions.subscribe(arrival.node, send)
      return () => {
        if (connected.get(arrival.node) === member) drop(arrival.node)
      }
    },
    /** The node knows the state that has this number. */
    beat: (node: string, known: number): void => {
      const member = connected.get(node)
      if (member === undefined) return
      heardMs.set(node, elapsedMs())
      twins.heard(node)
      const sent = sentMs.get(known)
      if (sent !== undefined) member.lagMs = elapsedMs() - sent
      member.known = Math.max(member.known, Math.min(known, number))
      wake()
    },
    /** Ends the connection of a machine that is a node no longer. */
    remove: (node: string): void => {
      heardMs.delete(node)
      drop(node)
    },
    /** Sends the state now, because it has changed. */
    tell: (): void => {
      for (const member of connected.values()) sendHooks(member)
      if (connected.size > 0) sendAll()
    },
    /**
     * Resolves when every node knows the state of now, at the latest after `withinMs`, with the nodes that
     * have not said so.
     */
    told: (withinMs: number): Promise<readonly string[]> =>
      new Promise((resolve) => {
        const toldNow = number
        const missing = (): readonly string[] =>
          [...connected.values()].filter(({ known }) => known < toldNow).map(({ node }) => node)
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
