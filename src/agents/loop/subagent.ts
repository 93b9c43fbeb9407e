import { noLoop } from './loop.ts'
import { newSession } from '../session/session.ts'
import { takeStep } from './step.ts'
import { done, failed, type ToolResult } from '../tools/tool.ts'
import type { TurnState } from './turn-state.ts'

const maxSteps = 25
const maxStopBlocks = 3
const maxNameChars = 60

const system = (own: string): string => `${own}

You are a helper of the agent that gave you the task in the next message. You know nothing of its conversation, and the person does not read what you write. Your last answer goes to the agent: say what you found and did, and what not.`

/**
 * Works on a task in a conversation of its own, with the same tools but for those that are the main agent's alone. Its
 * tools count as evidence of the main agent, which has to answer for what it says.
 */
export const runSubagent = async (parent: TurnState, task: string, name: string): Promise<ToolResult> => {
  const session = { ...newSession(), tools: parent.session.tools, goal: task }
  const { signal, decider } = parent
  const named = {
    subagent_name: name.slice(0, maxNameChars),
    subagent_type: 'general',
    task_description: task,
  }
  let said = ''
  /** Where nothing can make it go on. On a stop as well: hooks hear of the end of what they heard begin. */
  const toldEnd = (response: string) => reporter.fire('on_subagent_stop', { ...named, response })
  // What the loop would tell the person, it tells the agent.
  const reporter = {
    ...parent.reporter.within(session.id),
    tell: async (words: Parameters<TurnState['reporter']['tell']>[0]) => {
      said = typeof words === 'string' ? words : (words.text ?? '')
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
      loop: noLoop(),
    }
    for (let blocks = 0; state.steps < Math.min(decider.maxSteps, maxSteps);) {
      const step = await takeStep(state)
      if (step.kind === 'end') {
        await toldEnd(said)
        return failed(said)
      }
      if (step.kind === 'more') continue
      const stop = await reporter.fire('on_subagent_stop', { ...named, response: step.text }, signal)
      if (stop.verdict === 'allow' || stop.stopsTurn) return done(step.text)
      if (blocks === maxStopBlocks)
        return done(`${step.text}\n(A hook was not content with this: ${stop.reason})`)
      blocks++
      state.messages.push({ role: 'assistant', content: step.text }, { role: 'system', content: stop.reason })
    }
    await reporter.fire('on_max_iterations', { iterations: state.steps }, signal)
    await reporter.fire(
      'on_notification',
      { level: 'warning', message: `a subagent stopped after ${state.steps} steps` },
      signal,
    )
    await toldEnd('')
    return failed(
      `the subagent stopped after ${state.steps} steps and is not finished. Give it a smaller task.`,
    )
  }

  const start = await reporter.fire('on_subagent_start', named, signal)
  if (start.verdict !== 'allow' || start.stopsTurn) return failed(`no subagent was started: ${start.reason}`)

  const [from_agent, to_agent] = [parent.agentId, named.subagent_name]
  // docker-agent's words for it. The way back also on a stop.
  await parent.reporter.fire('on_agent_switch', { from_agent, to_agent, kind: 'transfer_task' }, signal)
  try {
    return await work(start.context)
  } catch (error) {
    await toldEnd('')
    throw error
  } finally {
    await parent.reporter.fire('on_agent_switch', {
      from_agent: to_agent,
      to_agent: from_agent,
      kind: 'transfer_task_return',
    })
  }
}
