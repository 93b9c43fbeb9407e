import { askDecider } from './ask-decider.ts'
import { runCalls } from './calls.ts'
import { claimDone } from './claim.ts'
import { compact, compactIfNear } from '../session/compact.ts'
import { isOverflow, type Thought } from './decider.ts'
import type { StepResult, TurnState } from './turn-state.ts'

/** How often in one turn the agent is sent back to work when it answers without reaching a set goal. */
const maxNudges = 3

const answerOf = async (state: TurnState, { text }: Thought): Promise<StepResult> => {
  const { decider, messages, hasRun, session } = state
  if (!decider.isClaim(text, hasRun)) {
    if (!session.isGoalSet || !decider.remembers || state.nudges >= maxNudges)
      return { kind: 'answer', text, isCapped: false }
    state.nudges++
    messages.push(
      { role: 'assistant', content: text },
      {
        role: 'system',
        content:
          'The goal counts as reached only when a call of done is accepted. Continue, or use ask_person. The person did not see your last text.',
      },
    )
    return { kind: 'more', isRejected: false }
  }
  const claim = await claimDone({ summary: text, response: text }, state)
  if (claim.kind === 'passed') return { kind: 'answer', text, isCapped: false }
  if (claim.kind === 'capped') return { kind: 'answer', text: claim.text, isCapped: true }
  messages.push({ role: 'assistant', content: text }, { role: 'system', content: claim.text })
  return { kind: 'more', isRejected: false }
}

const act = async (state: TurnState): Promise<StepResult> => {
  await compactIfNear(state)
  const asked = await askDecider(state, {
    system: state.system,
    messages: state.messages,
    contexts: state.contexts,
    tools: 'all',
  }).catch(async (error: unknown) => {
    if (
      !isOverflow(error) ||
      'why' in (await compact(state, 'overflow', 'the conversation is too long for the model'))
    )
      throw error
    return askDecider(state, {
      system: state.system,
      messages: state.messages,
      contexts: state.contexts,
      tools: 'all',
    })
  })
  if ('blocked' in asked) {
    // A subagent's text goes to the agent, which nobody told.
    if (!asked.isTold || state.delegate === undefined)
      await state.reporter.tell(`A hook blocked the request to the model: ${asked.blocked}`, state.signal)
    return { kind: 'end', reason: 'hook_blocked' }
  }
  const { thought } = asked
  return thought.calls.length === 0 ? answerOf(state, thought) : runCalls(state, thought)
}

const stepReason = (result: StepResult, isSteered: boolean): string => {
  if (result.kind === 'end') return result.reason
  if (result.kind === 'answer') return 'normal'
  if (result.isLoop === true) return 'loop_detected'
  return isSteered ? 'steered' : 'continue'
}

/** Makes one model call and runs its tool calls. */
export const takeStep = async (state: TurnState): Promise<StepResult> => {
  state.steps++
  state.session.steps++
  let reason = 'error'
  try {
    const result = await act(state)
    // A message that arrives with an answer, or in the last allowed step, gets a turn of its own.
    const isSteered =
      result.kind === 'more' && state.steps < state.decider.maxSteps && (await state.steer?.(state)) === true
    reason = stepReason(result, isSteered)
    return result
  } finally {
    // The event ignores the turn's abort signal, because a cancelled step also ends.
    await state.reporter.fire('on_step_end', { reason: state.signal.aborted ? 'canceled' : reason })
  }
}
