import type { Channel, ChannelPorts } from '../../../src/core/model/chat/channel.ts'
import { plain } from '../../../src/core/model/chat/content.ts'
import type { Payload } from '../../../src/core/model/events/payload.ts'
import type { AgentPush, Outcome, OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import type { Verdict } from '../../../src/core/model/hooks/verdict.ts'
import { verdictOn } from '../../verdict.ts'
import { newWord } from './canary.ts'
import type { Rehearsable, Rehearsal } from './rehearsal.ts'

type Judge = (payload: Payload) => Promise<Verdict>

/** The way out from a push to a channel, with a judge of one's own and without a memory. */
export type WayOut = (
  channel: () => Channel | undefined,
  judge: Judge,
) => {
  push(
    asked: AgentPush,
  ): Promise<
    | { readonly outcome: Outcome; readonly reason?: string }
    | { readonly refused: string; readonly message: string }
  >
  isAdmitted(outgoing: OutgoingMessage): boolean
}

/** One bot over its recording transport, behind a door of its own. */
export interface Stage {
  readonly rehearsal: Rehearsal
  /** Who is asked about what is pushed; exchanged from try to try. */
  readonly judge: { ask: Judge }
  /** Resolves with the outcome, or in words why there is none. */
  push(
    chatId: string,
    sample: Pick<AgentPush, 'type' | 'text' | 'marks' | 'parts' | 'files' | 'target'>,
  ): Promise<string>
  /** Has a text leave, and resolves with the message as which it left. */
  say(chatId: string, text: string, pushId?: string): Promise<OutgoingMessage | undefined>
  /** How many sends the bot refused so far. */
  refused(): number
}

const allows: Judge = (payload) => Promise.resolve(verdictOn(payload))

/** Undefined: this bot cannot be rehearsed. */
export const createStage = async (
  channel: Rehearsable,
  wayOut: WayOut,
  menu: ChannelPorts['menu'],
  now: () => number,
): Promise<Stage | undefined> => {
  const judge = { ask: allows }
  let refused = 0
  let last: OutgoingMessage | undefined
  const out = wayOut(
    () => twin,
    (payload) => judge.ask(payload),
  )
  const rehearsal = await channel.rehearse?.({
    receive: () => undefined,
    isAdmitted: (outgoing) => {
      last = outgoing
      return out.isAdmitted(outgoing)
    },
    tripped: () => void (refused += 1),
    trouble: () => undefined,
    menu,
    now,
    elapsedMs: () => performance.now(),
    log: () => undefined,
  })
  if (rehearsal === undefined) return undefined
  // Nobody waits for a limit of a messenger that gets nothing.
  const { limits: _, ...twin } = rehearsal.channel
  const push: Stage['push'] = async (chat_id, sample) => {
    const said = await out.push({
      push_id: newWord(),
      ...sample,
      channel: channel.name,
      chat_id,
      agent_id: 'doctor',
      session_id: 'doctor',
      cwd: '/',
    })
    return 'refused' in said
      ? said.message
      : ((said.outcome === 'failed' ? said.reason : undefined) ?? said.outcome)
  }
  return {
    rehearsal,
    judge,
    push,
    say: async (chatId, text, pushId) => {
      judge.ask = allows
      const asked = { ...plain('text', text), ...(pushId === undefined ? {} : { push_id: pushId }) }
      last = undefined
      await push(chatId, asked)
      return last
    },
    refused: () => refused,
  }
}
