import { createPrompts, type Prompts } from '../prompts/prompts.ts'
import { agentNodes } from './agents/agent-node.ts'
import type { Base } from './base.ts'
import type { GateChapter } from './gate.ts'
import type { Outbound } from './outbound.ts'

/** The prompts of people to agents, until the agents' turns about them have ended. */
export const createPromptChapter = (
  base: Base,
  { gatekeeper }: GateChapter,
  { dispatcher, notices, chats }: Outbound,
): Prompts => {
  const { store, channels, givenPrompts, newId, now, after, log } = base
  return createPrompts({
    store,
    given: givenPrompts,
    agentOf: chats.agentOf,
    nodeOf: agentNodes(base, gatekeeper),
    newId,
    now,
    after,
    log,
    notify: dispatcher.notify,
    tellOwners: notices.tellOwners,
    record: store.addRecord,
    isOwner: ({ channel, sender_id }) => gatekeeper.isOwner(`${channel}:${sender_id}`),
    working: ({ channel, chat_id }, isWorking) => channels.get(channel)?.working?.(chat_id, isWorking),
  })
}
