import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { startAgentHost } from '../../agents/agents.ts'
import { createActivity } from '../../commands/activity/activity.ts'
import type { Config } from '../../config/load.ts'
import { version } from '../../config/version.ts'
import type { Gate } from '../../core/gatekeeper/open-gate.ts'
import type { Prompts } from '../../prompts/prompts.ts'
import { disclosed } from '../../shared/hooks/disclosed.ts'
import { named, prose } from '../../core/model/chat/prose.ts'
import { isSameChat } from '../../core/model/chat/push.ts'
import type { Permissions } from '../../permissions/permissions.ts'
import { createAgentPorts } from '../../server/agent-ports.ts'
import type { ToolPorts } from '../../server/mcp/tool-ports.ts'
import type { ModelProxy } from '../../server/model-proxy/model-proxy.ts'
import { startAgentServer } from '../../server/server.ts'
import type { Base } from '../base.ts'
import type { GateChapter } from '../gate.ts'
import type { HookChapter } from '../hooks.ts'
import type { Bridge } from './bridge.ts'
import type { Nodes } from './nodes.ts'
import type { Outbound } from '../outbound.ts'

/**
 * The handle of a hook. Where no owner looked yet, it is the one that the newest owner will see. It gives an
 * agent no power: only that owner can act by it, in that chat.
 */
const shownHandle = ({ handles, state }: Gate, fingerprint: string): string => {
  const shown = handles.lastShown(fingerprint)
  if (shown !== undefined) return shown
  const { id, chat_id: chat } = state().owners.findLast((owner) => owner.chat_id !== undefined) ?? {}
  return id === undefined || chat === undefined ? '' : handles.mint({ owner: id, chat, fingerprint })
}

/**
 * Makes an agent's model proxy, whose code is loaded only for an agent with a model. The owners are told when
 * half of the hourly limit is used, and when all is.
 */
const modelOf = async (
  { id, endpoint }: Config['agents'][number],
  { store, newId, now }: Base,
  { notices }: Outbound,
): Promise<ModelProxy | undefined> => {
  if (endpoint === undefined) return undefined
  const { createModelProxy } = await import('../../server/model-proxy/model-proxy.ts')
  const { perHour } = endpoint
  return createModelProxy({
    endpoint,
    tellSpent: (share, { calls, tokens }) => {
      const took = prose`${named(id)} asked its model ${calls} times within an hour, about ${tokens} tokens`
      const bound = prose`gate.yaml allows ${perHour.calls} questions and ${perHour.tokens} tokens`
      if (share === 'half') {
        return notices.tellOwners(prose`⚠ ${took}. Half of the hourly limit is used: ${bound}.`)
      }
      const reason = 'the hourly limit on model calls is used up'
      const what = { kind: 'refusal', subject: 'pre_llm_call', outcome: 'refused', reason } as const
      store.addRecord({ event_id: newId(), atMs: now(), agent_id: id, ...what })
      const end = prose`The hourly limit is used up, and further calls are refused until the hour ends: ${bound}.`
      return notices.tellOwners(prose`⚠ ${took}. ${end}`)
    },
  })
}

/**
 * Starts the interfaces of all agents: those at the desk, the configured ones and those of nodes. The host of
 * a configured agent starts after the gate has an owner, and on a node the node starts it.
 */
export const startAgents = async (
  base: Base,
  gate: GateChapter,
  { builtins }: HookChapter,
  outbound: Outbound,
  permissions: Permissions,
  prompts: Prompts,
  bridge: Bridge,
  nodes: Nodes,
): Promise<void> => {
  await bridge.start()
  const { config, channels, isolation, life, newId, after, elapsedMs, log } = base
  const { gatekeeper, owned, cardButtons } = gate
  const { dispatcher, chats } = outbound
  const { home, workspace, lang, tz, user } = config
  const activity = createActivity({
    notify: dispatcher.notify,
    isFollowed: (address) =>
      owned.hasButtons(address.channel) && chats.ofOwners().some((chat) => isSameChat(chat, address)),
    waits: ({ channel, chat_id }, isWaiting) =>
      channels.get(channel)?.working?.(chat_id, !isWaiting && prompts.isWorking({ channel, chat_id })),
    cardButtons,
    after,
    elapsedMs,
  })
  const { path } = isolation.world
  const world = { path, user, lang, tz, workspace, separation: isolation.separation.kind }
  const tools: ToolPorts = {
    version: version(),
    gate: gate.state,
    rows: gate.rows,
    records: base.records,
    ownerChats: (agentId) => chats.ofOwners().filter((chat) => chats.isOwnChat(agentId, chat)),
  }
  for (const agent of config.agents) {
    const socketPath = join(home, 'run', `${agent.id}.sock`)
    const ports = createAgentPorts({
      fire: activity.following(permissions.fire),
      push: dispatcher.push,
      subscribe: (id, send) => {
        const leave = prompts.subscribe(id, send)
        return () => {
          leave()
          activity.left(id)
        }
      },
      turnBegan: prompts.began,
      turnEnded: prompts.ended,
      file: prompts.file,
      isOwnChat: chats.isOwnChat,
      newId,
      workspace,
      builtins,
      world,
      tools: { ...tools, ...(agent.node === undefined ? { propose: base.propose } : { node: agent.node }) },
      disclosed: () => disclosed(gatekeeper.armed()),
      handle: (fingerprint) => shownHandle(gatekeeper, fingerprint),
    })
    const startAs = agent.node === undefined ? isolation.agent(agent.id, socketPath) : undefined
    const { missingKey } = agent.endpoint ?? {}
    if (missingKey !== undefined)
      log(
        'warn',
        `agents.${agent.id}.api_key_env of gate.yaml names ${missingKey}, which is not set where hookgate was started: the model is asked without a key`,
      )
    const model = await modelOf(agent, base, outbound)
    life.onStop(() => model?.stop())
    const hostKey = randomUUID()
    const server = await startAgentServer({
      agentId: agent.id,
      hostKey,
      ...(startAs === undefined ? {} : { socketPath, owner: startAs.user ?? startAs.becomes }),
      ports,
      model,
      log,
      agents: config.agents.length,
    })
    life.onStop(() => server.stop())
    if (startAs === undefined) {
      nodes.serveAgent(agent, server)
      continue
    }
    // The codes on the console expire before an agent runs that could read them.
    life.onStop(
      gatekeeper.claim.when(
        () =>
          startAgentHost({
            agentId: agent.id,
            make: agent.make,
            socketPath,
            hostKey,
            workspace,
            startAs,
            mark: isolation.mark,
            log,
            onExit: () => undefined,
          }).stop,
      ),
    )
  }
  await nodes.start()
  // This ends first, so that no caller waits for a person while the sockets close.
  life.onStop(permissions.stop)
}
