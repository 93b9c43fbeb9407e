import { noLoop } from './loop.ts'
import { newSession } from '../session/session.ts'
import { takeStep } from './step.ts'
import { done, failed, type ToolResult } from '../tools/tool.ts'
import type { TurnState } from './turn-state.ts'

const maxSteps = 25
const maxStopBlocks = 3
const maxNameChars = 60

const system = (own: string): string => `${own}

You are a subagent of the agent that gave you the task in the next message. You do not see its conversation, and the person does not read your text. Your last answer goes to the agent. Say what you found, what you did, and what you could not do.`

/**
 * Runs a task in a separate conversation with the same tools, except those that only the main agent has. Its
 * tool calls count as evidence of the main agent, which is responsible for its claims.
 */
export const runSubagent = async (parent: TurnState, task: string, name: string): Promise<ToolResult> => {
  const session = { ...newSession(), tools: parent.session.tools, goal: task }
  const { signal, decider } = parent
  const named = {
    subagent_name: name.slice(0, maxNameChars),
    subagent_type: 'general',
    task_description: task,
  }
  let lastText = ''
  /**
   * Fires the end event when hooks cannot ask for more work. It is fired after a stop as well, because hooks
   * were told of the start.
   */
  const fireEnd = (response: string) => reporter.fire('on_subagent_stop', { ...named, response })
  // The loop's messages to the person go to the agent instead.
  const reporter = {
    ...parent.reporter.within(session.id),
    tell: async (words: Parameters<TurnState['reporter']['tell']>[0]) => {
      lastText = typeof words === 'string' ? words : (words.text ?? '')
      return undefined
    },
  }
  const work = async (context: string): Promise<ToolResult> => {
    const state: TurnState = {
      ...parent,
      session,
      reporter,
      system: system(parent.system),
      isFollowup: false,
      delegate: undefined,
      steer: undefined,
      decider: {
        ...decider,
        isClaim: () => false,
        think: (view, ports) =>
          decider.think({ ...view, tools: view.tools === 'none' ? 'none' : 'inner' }, ports),
      },
      messages: [{ role: 'user', content: task }],
      contexts: [context],
      steps: 0,
      hasRun: false,
      hasCompacted: false,
      hasRepeated: false,
      loop: noLoop(),
    }
    for (let blocks = 0; state.steps < Math.min(decider.maxSteps, maxSteps);) {
      const step = await takeStep(state)
      if (step.kind === 'end') {
        await fireEnd(lastText)
        return failed(lastText)
      }
      if (step.kind === 'more') continue
      const stop = await reporter.fire('on_subagent_stop', { ...named, response: step.text }, signal)
      if (stop.verdict === 'allow' || stop.stopsTurn) return done(step.text)
      if (blocks === maxStopBlocks)
        return done(`${step.text}\n(A hook did not accept this answer: ${stop.reason})`)
      blocks++
      state.messages.push({ role: 'assistant', content: step.text }, { role: 'system', content: stop.reason })
    }
    await reporter.fire('on_max_iterations', { iterations: state.steps }, signal)
    await reporter.fire(
      'on_notification',
      { level: 'warning', message: `a subagent stopped after ${state.steps} steps` },
      signal,
    )
    await fireEnd('')
    return failed(
      `the subagent stopped after ${state.steps} steps and is not finished. Give it a smaller task.`,
    )
  }

  const start = await reporter.fire('on_subagent_start', named, signal)
  if (start.verdict !== 'allow' || start.stopsTurn) return failed(`no subagent was started: ${start.reason}`)

  const [from_agent, to_agent] = [parent.agentId, named.subagent_name]
  // These are docker-agent's terms. The switch back is fired after a stop as well.
  await parent.reporter.fire('on_agent_switch', { from_agent, to_agent, kind: 'transfer_task' }, signal)
  try {
    return await work(start.context)
  } catch (error) {
    await fireEnd('')
    throw error
  } finally {
    await parent.reporter.fire('on_agent_switch', {
      from_agent: to_agent,
      to_agent: from_agent,
      kind: 'transfer_task_return',
    })
  }
}
