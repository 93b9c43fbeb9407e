import { heldCard } from '../commands/families/held.ts'
import type { CommandPorts } from '../commands/ports.ts'
import { createTable } from '../commands/table.ts'
import type { Doctor } from '../doctor/doctor.ts'
import type { Prompts } from '../prompts/prompts.ts'
import { CLIENT_NAMES } from '../shared/gate/client.ts'
import { isSameChat, type HeldPush } from '../core/model/chat/push.ts'
import type { Permissions } from '../permissions/permissions.ts'
import type { Acts } from './acts.ts'
import type { Base } from './base.ts'
import type { GateChapter } from './gate.ts'
import type { HookChapter } from './hooks.ts'
import { agentNodes } from './agents/agent-node.ts'
import type { Nodes } from './agents/nodes.ts'
import type { Outbound } from './outbound.ts'
import { galleryEntries, shippedEntries } from './proposal-reader/gallery.ts'
import { createTries } from './tries/tries.ts'
import type { Watchers } from './watch.ts'

export interface CommandParts {
  readonly base: Base
  readonly gate: GateChapter
  readonly hooks: HookChapter
  readonly outbound: Outbound
  readonly permissions: Permissions
  readonly prompts: Prompts
  readonly acts: Acts
  readonly watch: Watchers
  readonly doctor: Doctor
  readonly nodes: Nodes
}

const pushPorts = ({
  base,
  outbound: { dispatcher },
  acts: { record },
}: CommandParts): Pick<CommandPorts, 'answerHeld' | 'held' | 'showsHeldText' | 'waiting'> => ({
  showsHeldText: base.config.showsHeldText,
  waiting: dispatcher.waiting,
  held: dispatcher.held,
  answerHeld: ({ key, agent_id }, how, consent) => {
    const isDone = dispatcher[how](key, consent)
    record(`/hooks ${how}`, consent.by, isDone ? 'done' : 'refused', `a message of ${agent_id}`)
    return isDone
  },
})

const budgetPorts = ({ hooks: { hooks }, acts: { record } }: CommandParts): Pick<CommandPorts, 'budget'> => ({
  budget: {
    state: hooks.budget.state,
    isUnreadable: hooks.budget.isUnreadable,
    extend: (agent, times, by) => {
      const done = hooks.budget.extend(agent, times)
      const what = `${times} times of ${agent}: ${done?.scopes.join(', ') ?? 'nothing is spent'}`
      record('/budget extend', by, done === undefined ? 'refused' : 'done', what)
      return done
    },
    startAnew: (by) => {
      hooks.budget.startAnew()
      record('/budget extend', by, 'done', 'all counts anew')
    },
  },
})

const agentPorts = ({ base, gate, hooks, outbound: { chats }, prompts }: CommandParts) => {
  const nodeOf = agentNodes(base, gate.gatekeeper)
  return {
    agents: () =>
      base.config.agents.map(({ id, make }) => ({
        id,
        kind: make.kind,
        node: nodeOf(id),
        ...prompts.stateOf(id),
      })),
    agentOf: chats.agentOf,
    chooseAgent: chats.choose,
    tellAgent: prompts.tell,
    isWorking: prompts.isWorking,
    prompt: (message) => {
      // A gate that is cut off from its database blocks every message, so an agent would lose this one.
      if (gate.state().lockdown !== gate.gatekeeper.state().lockdown)
        return Promise.reject(new Error('the gate is cut off from its database'))
      chats.note(message)
      return prompts.prompt(message)
    },
    undo: (address, agentId) => hooks.hooks.undo(agentId ?? chats.agentOf(address)),
  } satisfies Partial<CommandPorts>
}

/**
 * The agents that a role or a grant can name: those of gate.yaml, and the clients that connect by a bridge,
 * here or on a node.
 */
const knownAgents = ({ base: { config }, nodes }: CommandParts): readonly string[] => [
  ...new Set([
    ...config.agents.map(({ id }) => id),
    ...CLIENT_NAMES,
    ...nodes.ports.nodes().flatMap(({ name }) => CLIENT_NAMES.map((client) => `${client}@${name}`)),
  ]),
]

/** The commands, the taps, and the cards of held messages. */
export const createCommandChapter = (parts: CommandParts) => {
  const { base, gate, outbound, permissions, acts, doctor } = parts
  const { gatekeeper, owned, cardButtons } = gate
  const { separation, world } = base.isolation
  const { dispatcher, chats, readers } = outbound
  const agents = agentPorts(parts)
  const ports: CommandPorts = {
    gate: gate.state,
    ...acts.acts,
    passkeys: acts.passkeyUses.passkeys,
    separation,
    world,
    rows: gate.rows,
    refresh: base.reader.look,
    sourceProblem: () => base.reader.source().problem,
    answered: parts.watch.announcer.answered,
    lastFiredMs: parts.hooks.hooks.lastFiredMs,
    shadowCounts: parts.hooks.hooks.shadowCounts,
    gallery: galleryEntries,
    shipped: shippedEntries,
    propose: base.propose,
    ...owned,
    doctor,
    records: base.records,
    history: base.history,
    evidenceOf: base.evidence.of,
    tries: createTries(base, gate, parts.hooks),
    ...pushPorts(parts),
    ...budgetPorts(parts),
    asks: permissions,
    ...agents,
    ...parts.nodes.ports,
    connections: (address) => {
      const agent = chats.agentOf(address)
      const { isConnected } = parts.prompts.stateOf(agent)
      return { agent, isAgentConnected: isConnected, messengers: [...base.channels.keys()] }
    },
    person: gatekeeper.person,
    knownAgents: () => knownAgents(parts),
    login: base.page.login,
    pageOrigin: base.config.web.origin,
    ownerChats: chats.ofOwners,
    tell: (address, text) => void dispatcher.notify(address, text),
    post: (address, said, delivered) => void dispatcher.notify(address, said, delivered),
    tellOthers: (said, but) => {
      for (const chat of chats.ofOwners())
        if (!isSameChat(chat, but))
          void dispatcher.notify(chat, typeof said === 'function' ? said(chat) : said)
    },
    readers: {
      ...readers,
      choose: (address, language) => {
        readers.choose(address, language)
        base.viewers.look()
        base.channels.get(address.channel)?.readsIn?.(address.chat_id, language)
      },
    },
    now: base.now,
  }
  return {
    table: createTable(ports, cardButtons),
    ports,
    /** Gives an agent what a person says. */
    prompt: agents.prompt,
    offerProtection: parts.watch.offerProtection,
    /** Tells that a push waits for an owner's decision. Without a push: that one no longer waits. */
    heldChanged: (held?: HeldPush): void => {
      if (held !== undefined)
        outbound.notices.tellOwners((chat) => heldCard(held, cardButtons.placeOf(chat), cardButtons, ports))
      base.viewers.look()
    },
  }
}
export type Commands = ReturnType<typeof createCommandChapter>
