import { fixed, joinProse, prose } from '../model/prose.ts'
import type { Command, CommandPorts } from './ports.ts'

export const whoamiCommand = (ports: CommandPorts): Command => ({
  path: 'whoami', usage: '/whoami', summary: 'who hookgate takes you for', need: 'owner',
  run: (_, { owner, message, address }) => joinProse([
    prose`You are ${owner} (${message.sender_name}), an owner.`,
    prose`This chat is ${`${address.channel}:${address.chat_id}`}, ${fixed(message.isPrivate ? 'private' : 'with others')}.`,
    fixed(`The gate's revision is ${ports.gate().revision}.`),
  ], '\n'),
})

export const newCommand = (ports: CommandPorts): Command => ({
  path: 'new', usage: '/new', summary: 'end this session and start the next', need: 'owner',
  run: (_, { address }) =>
    fixed(ports.tellAgent('new', address) ? 'This session ends; your next message starts a new one.' : 'The agent is not connected; your next message starts a new session.'),
})

export const stopCommand = (ports: CommandPorts): Command => ({
  path: 'stop', usage: '/stop', summary: 'stop what the agent is doing', need: 'owner',
  run: (_, { address }) => fixed(ports.tellAgent('cancel', address) ? 'Stopping.' : 'The agent is not connected; nothing runs.'),
})
