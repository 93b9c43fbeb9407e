import { joinProse, named, prose, type Prose, proseLines } from '../../../core/model/chat/prose.ts'
import { troubleOf } from '../../agent-trouble.ts'
import type { Command, CommandPorts } from '../../ports.ts'

/**
 * The answer to a start link. Another person chose the text behind the command, so nothing is done with it.
 */
export const startLinkText = (): Prose =>
  proseLines(
    prose`The text behind /start came with a link, so nothing was done with it.`,
    prose`The switch and every hook → /hooks`,
    prose`All that you can type → /help`,
  )

/** Greets an owner. Telegram sends this command when somebody taps START. */
export const startCommand = (ports: CommandPorts): Command => ({
  path: 'start',
  usage: '/start',
  summary: 'what is connected, and where to begin',
  need: 'owner',
  run: (_, { address }) => {
    const { agent, isAgentConnected, messengers } = ports.connections(address)
    const names = joinProse(messengers.map(named), ', ')
    return proseLines(
      prose`This is hookgate. An agent prepares hooks; only you activate them.`,
      isAgentConnected
        ? prose`Connected: the agent ${named(agent)} and the messengers ${names}.`
        : prose`Connected: the messengers ${names}. The agent ${named(agent)} is not connected yet.`,
      ...(isAgentConnected ? [] : troubleOf(ports, agent)),
      prose`The switch and every hook → /hooks`,
      prose`All that you can type → /help`,
    )
  },
})
