import { fixed, joinProse, named, prose, type Prose } from '../../../core/model/chat/prose.ts'
import type { Command, ConnectionPorts } from '../../ports.ts'

/**
 * The answer to a start link. Another person chose the text behind the command, so nothing is done with it.
 */
export const startLinkText = (): Prose =>
  joinProse(
    [
      fixed('The text behind /start came with a link, so nothing was done with it.'),
      fixed('The switch and every hook → /hooks'),
      fixed('All that you can type → /help'),
    ],
    '\n',
  )

/** Greets an owner. Telegram sends this command when somebody taps START. */
export const startCommand = (ports: ConnectionPorts): Command => ({
  path: 'start',
  usage: '/start',
  summary: 'what is connected, and where to begin',
  need: 'owner',
  run: (_, { address }) => {
    const { agent, isAgentConnected, messengers } = ports.connections(address)
    const names = joinProse(messengers.map(named), ', ')
    return joinProse(
      [
        fixed('This is hookgate. An agent prepares hooks; only you activate them.'),
        isAgentConnected
          ? prose`Connected: the agent ${named(agent)} and the messengers ${names}.`
          : prose`Connected: the messengers ${names}. The agent ${named(agent)} is not connected yet.`,
        fixed('The switch and every hook → /hooks'),
        fixed('All that you can type → /help'),
      ],
      '\n',
    )
  },
})
