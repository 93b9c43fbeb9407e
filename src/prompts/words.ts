import { fixed, prose, proseLines, type Prose } from '../core/model/chat/prose.ts'
import { nodeTrouble, type AgentNode } from '../shared/nodes/agent-node.ts'
import { nobody } from './kept-prompts.ts'

/** Makes a text about the last message of a chat, or about its last `count` messages. */
export type Say = (count: number) => Prose

/** `node`: where the agent runs. Undefined: on the machine of the gate, which starts it again. */
type SayOf = (node: AgentNode | undefined) => Say

/** The message is kept, and its agent is not connected. */
export const waitsText = (node: AgentNode | undefined): Prose => {
  if (node === undefined || node.state === 'connected')
    return fixed('The agent is starting. It gets your message as soon as it is running.')
  return proseLines(
    node.state === 'away'
      ? fixed('The agent gets your message as soon as it is connected.')
      : fixed('Your message waits, and no agent gets it now.'),
    ...nodeTrouble(node),
  )
}

export const agentStopped: SayOf = (node) => (count) => {
  if (node === undefined)
    return count === 1
      ? fixed(
          'The agent stopped while it worked on your last message, and is being restarted. It does not continue with it. Send it again if you still want it.',
        )
      : prose`The agent stopped while it worked on your last ${count} messages, and is being restarted. It does not continue with them. Send them again if you still want them.`
  return proseLines(
    count === 1
      ? fixed(
          'The agent stopped while it worked on your last message. It does not continue with it. Send it again if you still want it.',
        )
      : prose`The agent stopped while it worked on your last ${count} messages. It does not continue with them. Send them again if you still want them.`,
    ...nodeTrouble(node),
  )
}

const waitOn: Say = (count) =>
  count === 1
    ? fixed('The agent stopped before it began your last message. The message waits.')
    : prose`The agent stopped before it began your last ${count} messages. They wait.`

const getAgain: Say = (count) =>
  count === 1
    ? fixed(
        'The agent stopped before it began your last message. It gets it as soon as it is connected again.',
      )
    : prose`The agent stopped before it began your last ${count} messages. It gets them as soon as it is connected again.`

export const notBegun: SayOf = (node) => (count) => {
  if (node === undefined)
    return count === 1
      ? fixed(
          'The agent stopped before it began your last message. It gets it as soon as it is running again.',
        )
      : prose`The agent stopped before it began your last ${count} messages. It gets them as soon as it is running again.`
  return proseLines((node.state === 'removed' ? waitOn : getAgain)(count), ...nodeTrouble(node))
}

export const gateStopped =
  (agentId: string): Say =>
  (count) => {
    const text =
      count === 1
        ? fixed(
            'hookgate was stopped while it worked on your last message. Send it again if you still want it.',
          )
        : prose`hookgate was stopped while it worked on your last ${count} messages. Send them again if you still want them.`
    return agentId === nobody ? prose`${text} /hooks shows what a command has changed.` : text
  }
