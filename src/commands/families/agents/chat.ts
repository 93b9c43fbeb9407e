import { fixed, joinProse, prose } from '../../../core/model/chat/prose.ts'
import { inGroupOf } from '../../../core/model/chat/speaker.ts'
import { roleWords } from '../../../core/model/chat/role-words.ts'
import type { AgentCommandPorts } from '../../agent-ports.ts'
import type { Command, GatePorts, RolePorts, TimePorts } from '../../ports.ts'

export const whoamiCommand = (ports: GatePorts & RolePorts): Command => ({
  path: 'whoami',
  usage: '/whoami',
  summary: 'your id and this chat',
  need: 'person',
  run: (_, { owner, message, address }) => {
    const person = ports.person(owner)
    return joinProse(
      [
        person === undefined || person.role === 'owner'
          ? prose`You are ${owner} (${message.sender_name}), an owner.`
          : prose`You are ${owner} (${message.sender_name}), ${roleWords(person)}.`,
        prose`This chat is ${`${address.channel}:${address.chat_id}`}, ${fixed(message.isPrivate ? 'private' : 'with others')}.`,
        prose`The gate's revision is ${ports.gate().revision}.`,
      ],
      '\n',
    )
  },
})

export const newCommand = (ports: AgentCommandPorts): Command => ({
  path: 'new',
  usage: '/new',
  summary: 'end this session and start the next',
  need: 'owner',
  run: (_, { address }) =>
    fixed(
      ports.tellAgent('new', address)
        ? 'This session ends; your next message starts a new one.'
        : 'The agent is not connected; your next message starts a new session.',
    ),
})

export const stopCommand = (ports: AgentCommandPorts): Command => ({
  path: 'stop',
  usage: '/stop',
  summary: 'stop what the agent is doing',
  need: 'owner',
  run: (_, { address }) =>
    // The agent is told in any case, because it may be compacting the conversation, which is no message.
    !ports.tellAgent('cancel', address)
      ? fixed('The agent is not connected; nothing runs.')
      : ports.isWorking(address)
        ? fixed('Stopping.')
        : fixed('Nothing is running: the agent works on no message of this chat.'),
})

const maxGoalChars = 4000

export const goalCommand = (ports: AgentCommandPorts & TimePorts): Command => ({
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
      return fixed(
        'The agent works on it until it claims that it is done and no hook objects. /stop stops it, /goal off ends the goal.',
      )
    }
    const isTold = ports.tellAgent(text === '' ? 'goal' : 'goal_off', address)
    return fixed(
      !isTold
        ? 'The agent is not connected.'
        : text === ''
          ? 'The agent will tell you its goal.'
          : 'The agent is told to end its goal, and answers.',
    )
  },
})

export const compactCommand = (ports: AgentCommandPorts): Command => ({
  path: 'compact',
  usage: '/compact',
  summary: 'have the agent replace a long conversation with a summary',
  need: 'owner',
  run: (_, { address }) =>
    fixed(
      ports.tellAgent('compact', address)
        ? 'The agent compacts the conversation as soon as it is free, and reports the result.'
        : 'The agent is not connected.',
    ),
})
