import { nearest } from '../../../shared/base/nearest.ts'
import { refusal } from '../../../core/model/chat/notice.ts'
import { named, prose, verbatim, type Prose, proseLines } from '../../../core/model/chat/prose.ts'
import type { AgentNode } from '../../../shared/nodes/agent-node.ts'
import { troubleOf } from '../../agent-trouble.ts'
import type { Command, CommandPorts } from '../../ports.ts'
import { shorten } from '../../words.ts'

type Agent = ReturnType<CommandPorts['agents']>[number]

const stateWords = ({ isConnected, given, waiting }: Agent): Prose => {
  if (!isConnected) return waiting === 0 ? prose`not running` : prose`not running · ${waiting} waiting`
  if (given === 0) return prose`idle`
  return waiting === 0 ? prose`working` : prose`working · ${waiting} waiting`
}

const onNode = (state: Prose, node: AgentNode): Prose => {
  const name = named(node.name)
  switch (node.state) {
    case 'connected':
      return prose`${state} · on ${name}`
    case 'away':
      return prose`${state} · on ${name}, which is not connected`
    case 'removed':
      return prose`${state} · on ${name}, which is no node of this gate`
  }
}

const agentLine = (agent: Agent, isHere: boolean): Prose => {
  const name = named(agent.id)
  const state = prose`${verbatim(agent.kind)} · ${stateWords(agent)}`
  const { node } = agent
  const facts = node === undefined ? state : onNode(state, node)
  const line = isHere
    ? prose`→ ${name} (this chat)\n  ${facts}`
    : prose`${name}\n  ${facts}\n  → /agent ${name}`
  return node?.state === 'removed' ? prose`${line}\n  → /nodes add ${named(node.name)}` : line
}

export const agentsCommand = (ports: CommandPorts): Command => ({
  path: 'agents',
  usage: '/agents',
  summary: 'the agents of this gate, and which one this chat talks to',
  need: 'owner',
  run: (_, { address }) => {
    const here = ports.agentOf(address)
    return proseLines(...ports.agents().map((agent) => agentLine(agent, agent.id === here)))
  },
})

/** `/agent <name>`: the messages of this chat go to another agent. The earlier one finishes its work. */
export const agentCommand = (ports: CommandPorts): Command => ({
  path: 'agent',
  usage: '/agent <name>',
  summary: 'let this chat talk to another agent',
  need: 'owner',
  run: (rest, { address }) => {
    const typed = rest.trim()
    if (typed === '') return prose`This chat talks to ${named(ports.agentOf(address))}.\n→ /agents`
    const chosen = ports.chooseAgent(address, typed)
    if (chosen === undefined) {
      const meant = nearest(
        typed,
        ports.agents().map(({ id }) => id),
      )
      return refusal(
        meant === undefined
          ? prose`There is no agent ${shorten(typed, 40)}.\n→ /agents`
          : prose`There is no agent ${shorten(typed, 40)}. Did you mean ${named(meant)}?\n→ /agents`,
      )
    }
    const { before } = chosen
    if (before === typed) return prose`This chat talks to ${named(typed)} already.`
    return proseLines(
      troubleOf(ports, before).length === 0
        ? prose`This chat talks to ${named(typed)} from now on. ${named(before)} finishes what it was given.\n→ /agents`
        : prose`This chat talks to ${named(typed)} from now on.\n→ /agents`,
      ...troubleOf(ports, typed),
    )
  },
})
