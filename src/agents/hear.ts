import type { JsonObject } from '../core/model/base/json.ts'
import type { InboxLine } from '../shared/events/inbox-line.ts'
import { sentBy, speakerOf } from '../shared/chat/speaker.ts'
import type { GateClient } from './client.ts'
import { saveFiles } from './inbox-files.ts'
import type { Reporter } from './reporter.ts'
import type { EndReason, TurnState } from './loop/turn-state.ts'

export type PromptLine = Extract<InboxLine, { type: 'prompt' }>

/** The messages that people wrote in this chat while the agent works. */
export interface WaitingLines {
  /** The next waiting job, if it is a message. */
  first(): PromptLine | undefined
  /** Removes that message from the waiting jobs. */
  take(): void
}

/**
 * Returns the fields of a person's message for hooks. In a group they name the sender, because several people
 * write there.
 */
const messageFieldsOf = (prompt: PromptLine, kind: 'message' | 'followup' | 'steer'): JsonObject => {
  const { channel, sender_id, text } = prompt
  const speaker = speakerOf(prompt)
  return {
    message: text,
    channel,
    sender_id,
    kind,
    ...(speaker === undefined
      ? {}
      : { sender_name: speaker.name, is_owner: speaker.is_owner, is_group: true }),
  }
}

/** A message as hooks left it. `note` says for a model which files came with it, and in a group from whom. */
interface HeardPrompt {
  readonly message: string
  readonly note: string
  readonly context: string
}

/**
 * Lets hooks judge a person's message, and saves its files. Returns undefined when it was blocked. The person
 * is told of that, and of the files.
 */
export const judgePrompt = async (
  prompt: PromptLine,
  kind: 'message' | 'followup' | 'steer',
  { reporter, signal, workspace }: Pick<TurnState, 'reporter' | 'signal' | 'workspace'>,
  client: GateClient,
): Promise<HeardPrompt | undefined> => {
  const heard = await reporter.fire('on_user_message', messageFieldsOf(prompt, kind), signal)
  if (heard.verdict !== 'allow' || heard.stopsTurn) {
    if (!heard.isTold)
      await reporter.tell(`Your message was blocked and did not reach me: ${heard.reason}`, signal)
    return undefined
  }
  const settled = heard.payload['message']
  const lines = (await saveFiles(prompt.files ?? [], client, workspace)).join('\n')
  if (lines !== '') await reporter.tell(lines, signal)
  const speaker = speakerOf(prompt)
  return {
    message: typeof settled === 'string' ? settled : prompt.text,
    note: lines === '' || speaker === undefined ? lines : `${lines}\nThe files were ${sentBy(speaker)}.`,
    context: heard.context,
  }
}

/**
 * Takes a person's message through hooks into the conversation. Returns how the turn ends when nothing is
 * left to work on.
 */
export const hear = async (
  state: Pick<
    TurnState,
    'decider' | 'session' | 'reporter' | 'signal' | 'workspace' | 'messages' | 'contexts'
  >,
  prompt: PromptLine,
  client: GateClient,
  kind: 'message' | 'followup' | 'steer',
): Promise<EndReason | undefined> => {
  const { decider, session, messages, contexts } = state
  const heard = await judgePrompt(prompt, kind, state, client)
  if (heard === undefined) return 'hook_blocked'
  session.isAsking = false
  const { message, note, context } = heard
  if (note !== '') {
    messages.push({ role: 'system', content: note })
    if (message.trim() === '') return 'normal'
  }
  const speaker = speakerOf(prompt)
  messages.push({ role: 'user', content: message, speaker })
  contexts.push(context)
  if (prompt.isGoal === true) session.isGoalSet = true
  if (prompt.isGoal === true || (!session.isGoalSet && decider.isGoal(message))) session.goal = message
  if (session.isGoalSet)
    contexts.push(
      `The person set this goal: ${session.goal}\nWork until the goal is reached, then call done. If you need the person's help, use ask_person.`,
    )
  return undefined
}

/**
 * Gives the agent, between two steps, the messages that people wrote meanwhile. The gate keeps each of them
 * open until the turn ends, and reports it if the turn is interrupted. A message stays in the queue when a
 * stop comes first.
 */
export const createSteer = (
  waiting: WaitingLines,
  client: GateClient,
): { steer(state: TurnState): Promise<boolean>; end(reporter: Reporter): Promise<void> } => {
  const steered: { readonly prompt_id: string; readonly reason: EndReason | 'steered' }[] = []
  return {
    steer: async (state) => {
      let isSteered = false
      for (let prompt = waiting.first(); prompt !== undefined; prompt = waiting.first()) {
        const reason = await hear(
          { ...state, reporter: state.reporter.about(prompt.prompt_id) },
          prompt,
          client,
          'steer',
        )
        waiting.take()
        steered.push({ prompt_id: prompt.prompt_id, reason: reason === 'hook_blocked' ? reason : 'steered' })
        isSteered ||= reason !== 'hook_blocked'
      }
      return isSteered
    },
    end: async (reporter) => {
      for (const { prompt_id, reason } of steered)
        await reporter.about(prompt_id).fireSurely('on_turn_end', { reason, step_count: 0 })
    },
  }
}
