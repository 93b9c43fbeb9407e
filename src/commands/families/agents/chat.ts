import { named, prose, proseLines, type Prose } from '../../../core/model/chat/prose.ts'
import type { Address } from '../../../core/model/chat/push.ts'
import { inGroupOf } from '../../../core/model/chat/speaker.ts'
import { roleWords } from '../../../shared/chat/role-words.ts'
import { troubleOf } from '../../agent-trouble.ts'
import type { Command, CommandPorts } from '../../ports.ts'

/** The answer to a word for an agent that is not connected. */
const away = (ports: CommandPorts, address: Address, said: Prose): Prose =>
  proseLines(said, ...troubleOf(ports, ports.agentOf(address)))

export const whoamiCommand = (ports: CommandPorts): Command => ({
  path: 'whoami',
  usage: '/whoami',
  summary: 'your id and this chat',
  need: 'person',
  run: (_, { owner, message, address }) => {
    const person = ports.person(owner)
    return proseLines(
      person === undefined || person.role === 'owner'
        ? prose`You are ${named(owner)}, an owner.`
        : prose`You are ${named(owner)}, ${roleWords(person)}.`,
      prose`This chat is ${named(`${address.channel}:${address.chat_id}`)}, ${message.isPrivate ? prose`private` : prose`with others`}.`,
      prose`The gate's revision is ${ports.gate().revision}.`,
    )
  },
})

export const newCommand = (ports: CommandPorts): Command => ({
  path: 'new',
  usage: '/new',
  summary: 'end this session and start the next',
  need: 'owner',
  run: (_, { address }) =>
    ports.tellAgent('new', address)
      ? prose`This session ends; your next message starts a new one.`
      : away(ports, address, prose`The agent is not connected; your next message starts a new session.`),
})

export const stopCommand = (ports: CommandPorts): Command => ({
  path: 'stop',
  usage: '/stop',
  summary: 'stop what the agent is doing',
  need: 'owner',
  run: (_, { address }) =>
    // The agent is told in any case, because it may be compacting the conversation, which is no message.
    !ports.tellAgent('cancel', address)
      ? away(ports, address, prose`The agent is not connected; nothing runs.`)
      : ports.isWorking(address)
        ? prose`Stopping.`
        : prose`Nothing is running: the agent works on no message of this chat.`,
})

const maxGoalChars = 4000

export const goalCommand = (ports: CommandPorts): Command => ({
  path: 'goal',
  usage: '/goal TEXT',
  summary: 'have the agent work until this is done; /goal shows it, /goal off ends it',
  need: 'owner',
  run: async (rest, { address, message }) => {
    const { sender_id, sender_name } = message
    const text = rest.trim()
    if (text.length > maxGoalChars)
      return prose`A goal has at most ${maxGoalChars} characters. Put the details into a message, then name the goal.`
    if (text !== '' && text.toLowerCase() !== 'off') {
      const inGroup = inGroupOf(message, true)
      await ports.prompt({
        channel: address.channel,
        chat_id: address.chat_id,
        sender_id,
        sender_name,
        text,
        inGroup,
        isGoal: true,
        atMs: ports.now(),
      })
      return prose`The agent works on it until it claims that it is done and no hook objects. /stop stops it, /goal off ends the goal.`
    }
    const isTold = ports.tellAgent(text === '' ? 'goal' : 'goal_off', address)
    return !isTold
      ? away(ports, address, prose`The agent is not connected.`)
      : text === ''
        ? prose`The agent will tell you its goal.`
        : prose`The agent is told to end its goal, and answers.`
  },
})

export const compactCommand = (ports: CommandPorts): Command => ({
  path: 'compact',
  usage: '/compact',
  summary: 'have the agent replace a long conversation with a summary',
  need: 'owner',
  run: (_, { address }) =>
    ports.tellAgent('compact', address)
      ? prose`The agent compacts the conversation as soon as it is free, and reports the result.`
      : away(ports, address, prose`The agent is not connected.`),
})
