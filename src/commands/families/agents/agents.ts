import { nearest } from '../../../shared/base/nearest.ts'
import { refusal } from '../../../core/model/chat/notice.ts'
import { named, prose, verbatim, type Prose, proseLines } from '../../../core/model/chat/prose.ts'
import type { Command, CommandPorts } from '../../ports.ts'
import { shorten } from '../../words.ts'

type Agent = ReturnType<CommandPorts['agents']>[number]

const stateWords = ({ isConnected, given, waiting }: Agent): Prose => {
  if (!isConnected) return waiting === 0 ? prose`not running` : prose`not running · ${waiting} waiting`
  if (given === 0) return prose`idle`
  return waiting === 0 ? prose`working` : prose`working · ${waiting} waiting`
}

const agentLine = (agent: Agent, isHere: boolean): Prose => {
  const name = named(agent.id)
  const state = prose`${verbatim(agent.kind)} · ${stateWords(agent)}`
  const facts = agent.node === undefined ? state : prose`${state} · on ${named(agent.node)}`
  return isHere ? prose`→ ${name} (this chat)\n  ${facts}` : prose`${name}\n  ${facts}\n  → /agent ${name}`
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
    return prose`This chat talks to ${named(typed)} from now on. ${named(before)} finishes what it was given.\n→ /agents`
  },
})
