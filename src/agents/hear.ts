import type { JsonObject } from '../model/base/json.ts'
import type { InboxLine } from '../model/events/record.ts'
import { sentBy, speakerOf } from '../model/chat/speaker.ts'
import type { GateClient } from './client.ts'
import { saveFiles } from './inbox-files.ts'
import type { Reporter } from './reporter.ts'
import type { EndReason, TurnState } from './loop/turn-state.ts'

export type PromptLine = Extract<InboxLine, { type: 'prompt' }>

/** What the person wrote in this chat while the agent works. */
export interface WaitingLines {
  /** The next thing that waits, if it is a message. */
  first(): PromptLine | undefined
  /** It is worked on, and waits no longer. */
  take(): void
}

/** What hooks are told of a person's message. In a group that is also who sent it, since several write there. */
export const toldOf = (prompt: PromptLine, kind: 'message' | 'followup' | 'steer'): JsonObject => {
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

/** Gets the files of a message. Returns a line for each, and one for a model that says in a group whose they are. */
export const getFiles = async (
  prompt: PromptLine,
  client: GateClient,
  workspace: string,
): Promise<{ readonly got: string; readonly note: string }> => {
  const got = (await saveFiles(prompt.files ?? [], client, workspace)).join('\n')
  const speaker = speakerOf(prompt)
  return { got, note: got === '' || speaker === undefined ? got : `${got}\nThat was ${sentBy(speaker)}.` }
}

/** A message of the person, through hooks into the conversation. Returns how the turn ends if there is nothing to work on. */
export const hear = async (
  state: Pick<
    TurnState,
    'decider' | 'session' | 'reporter' | 'signal' | 'workspace' | 'messages' | 'contexts'
  >,
  prompt: PromptLine,
  client: GateClient,
  kind: 'message' | 'followup' | 'steer',
): Promise<EndReason | undefined> => {
  const { decider, session, reporter, signal, workspace, messages, contexts } = state
  const heard = await reporter.fire('on_user_message', toldOf(prompt, kind), signal)
  if (heard.verdict !== 'allow' || heard.stopsTurn) {
    await reporter.tell(`Your message did not reach me: ${heard.reason}`, signal)
    return 'hook_blocked'
  }
  session.isAsking = false
  const settled = heard.payload['message']
  const message = typeof settled === 'string' ? settled : prompt.text
  const { got, note } = await getFiles(prompt, client, workspace)
  if (got !== '') {
    await reporter.tell(got, signal)
    messages.push({ role: 'system', content: note })
    if (message.trim() === '') return 'normal'
  }
  const speaker = speakerOf(prompt)
  messages.push({ role: 'user', content: message, ...(speaker === undefined ? {} : { speaker }) })
  contexts.push(heard.context)
  if (prompt.isGoal === true) session.isGoalSet = true
  if (prompt.isGoal === true || (!session.isGoalSet && decider.isGoal(message))) session.goal = message
  if (session.isGoalSet)
    contexts.push(
      `The goal that the person set: ${session.goal}\nWork on until it is reached, then call done. If only the person can help, use ask_person.`,
    )
  return undefined
}

/**
 * Has the agent hear between two steps what the person wrote meanwhile. Each such message is open with the gate until
 * the turn ends, so that one that is cut short is told about. What a stop comes between stays in its place.
 */
export const createSteer = (
  waiting: WaitingLines,
  client: GateClient,
): { steer(state: TurnState): Promise<boolean>; end(reporter: Reporter): Promise<void> } => {
  const taken: { readonly prompt_id: string; readonly reason: EndReason | 'steered' }[] = []
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
        taken.push({ prompt_id: prompt.prompt_id, reason: reason === 'hook_blocked' ? reason : 'steered' })
        isSteered ||= reason !== 'hook_blocked'
      }
      return isSteered
    },
    end: async (reporter) => {
      for (const { prompt_id, reason } of taken)
        await reporter.about(prompt_id).fireSurely('on_turn_end', { reason, step_count: 0 })
    },
  }
}
