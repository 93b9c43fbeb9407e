import { hostname } from 'node:os'
import type { CommandPorts } from '../../commands/ports.ts'
import type { AgentConfig } from '../../config/load.ts'
import { named, prose, proseText } from '../../core/model/chat/prose.ts'
import { narrowText } from '../../doctor/node-check.ts'
import { machineFor } from '../../core/model/hooks/entry.ts'
import type { ApprovedHook } from '../../core/model/approval/approved.ts'
import type { JsonObject } from '../../core/model/base/json.ts'
import type { Attend } from '../../server/listener.ts'
import type { AgentServer } from '../../server/server.ts'
import { createMembers } from '../../server/nodes/members.ts'
import { startNodeServer, type NodeServer } from '../../server/nodes/server.ts'
import type { Acts } from '../acts.ts'
import type { Base } from '../base.ts'
import type { GateChapter } from '../gate.ts'
import type { Outbound } from '../outbound.ts'
import type { Bridge } from './bridge.ts'

/** Joins the nodes in the ledger with those that are connected, and serves them. */
export const createNodes = (
  { config, life, nodeProposals, nodeQuestions, waitingGates, untoldGates, elapsedMs, now, log }: Base,
  { gatekeeper, onChange }: GateChapter,
  { notices }: Outbound,
  bridge: Bridge,
  { acts, record }: Acts,
) => {
  const ledger = gatekeeper.nodes
  const served = new Map<string, { readonly node: string; readonly server: AgentServer }>()
  const bridges = new Map<string, ReturnType<Bridge['ofNode']>>()
  const agentsOf = (node: string): readonly AgentConfig[] =>
    config.agents.filter((agent) => agent.node === node)
  /** The interface of an agent that this node runs. */
  const servedOn = (node: string, agent: string): AgentServer | undefined => {
    const found = served.get(agent)
    return found?.node === node ? found.server : undefined
  }
  /** In a lockdown no hook of a node runs. */
  const hooksOf = (node: string): readonly ApprovedHook[] => {
    const { lockdown, approvals } = gatekeeper.state()
    if (lockdown !== undefined) return []
    return [...approvals.values()].filter(({ entry }) => machineFor(entry, node) === node)
  }
  const approvalsOf = (node: string): readonly JsonObject[] =>
    hooksOf(node).map((approval) => ({ ...approval }) as unknown as JsonObject)
  /** A sealed file of one of the node's hooks, by its digest. */
  const fileOf = (node: string, sha256: string): Buffer | undefined => {
    for (const { fingerprint, files } of hooksOf(node))
      for (const file of files)
        if (file.sha256 === sha256) return gatekeeper.sealedBytes(fingerprint, file.path)
    return undefined
  }
  const members = createMembers({
    enrolled: () => ledger.all().map(({ name }) => name),
    agentsOf: (node) => agentsOf(node).map(({ id, user, make }) => ({ id, user, make })),
    approvalsOf,
    questions: nodeQuestions,
    follow: (node, agent, subscriber) => servedOn(node, agent)?.follow(subscriber),
    facts: bridge.facts,
    hasTwin: (node) =>
      notices.tellOwners(
        prose`⚠ Two processes use the key of the node ${named(node)}. One of them is refused. If you did not start a second one, somebody has copied the key: remove the node, and let the machine in again.\n→ /nodes remove ${named(node)}`,
      ),
    elapsedMs,
  })
  let server: NodeServer | undefined

  const bridgeOf = (node: string): Attend => {
    const known = bridges.get(node)
    if (known !== undefined) return known.attend
    const made = bridge.ofNode(node)
    bridges.set(node, made)
    return made.attend
  }

  const enrol: Parameters<typeof startNodeServer>[0]['enrol'] = async (code, publicKey, from) => {
    const done = await ledger.enrol(code, publicKey)
    if (!done.ok) return done
    const { name, by } = done.node
    record('/nodes add', by, 'done', `the node ${name}, from ${from}`)
    void notices.tellOwners(
      prose`🖥 The node ${name} has joined. It came from ${from} with a code of ${by}.\nIf you do not know it → /nodes remove ${name}`,
    )
    const narrow = narrowText(ledger.all().length)
    if (narrow !== undefined) void notices.tellOwners(prose`⚠ ${narrow}`)
    return { ok: true, name }
  }

  const ports = {
    nodeUrl: config.nodes?.url,
    gateMachine: hostname(),
    waitingGates,
    untoldGates,
    nodes: () => {
      const connected = new Map(members.list().map((member) => [member.node, member]))
      return ledger.all().map(({ name, at }) => {
        const silentForMs = members.silentForMs(name)
        return {
          name,
          at,
          agents: agentsOf(name).map(({ id }) => id),
          connected: connected.get(name),
          heardMs: silentForMs === undefined ? undefined : now() - silentForMs,
        }
      })
    },
    removeNode: async (name, consent) => {
      const removed = await acts.removeNode(name, consent)
      if (!removed.ok) return removed
      server?.cut(name)
      nodeProposals.remove(name)
      return { ok: true }
    },
    untoldNodes: members.told,
  } satisfies Partial<CommandPorts>

  const start = async (): Promise<void> => {
    if (config.nodes === undefined) return
    const narrow = narrowText(ledger.all().length)
    if (narrow !== undefined) log('warn', proseText(narrow))
    life.onStop(onChange(members.tell))
    server = await startNodeServer({
      ...config.nodes,
      members,
      nodeOf: (publicKey) => ledger.ofKey(publicKey)?.name,
      enrol,
      agent: (node, id) => servedOn(node, id)?.attend,
      bridge: bridgeOf,
      propose: nodeProposals.take,
      answer: nodeQuestions.answer,
      file: fileOf,
      elapsedMs,
      log,
    })
    life.onStop(server.stop, () =>
      Promise.all([...bridges.values()].map(({ stop }) => stop())).then(() => undefined),
    )
  }

  return {
    ports,
    /** Serves an agent that runs on a node. */
    serveAgent: ({ id, node }: Pick<AgentConfig, 'id' | 'node'>, server: AgentServer): void => {
      if (node !== undefined) served.set(id, { node, server })
    },
    start,
  }
}
export type Nodes = ReturnType<typeof createNodes>
