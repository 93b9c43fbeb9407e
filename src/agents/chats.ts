import { budgets } from '../shared/base/budgets.ts'
import { chatKey, type Address } from '../core/model/chat/push.ts'
import type { InboxLine } from '../shared/events/inbox-line.ts'
import type { PromptLine } from './hear.ts'
import { createReporter } from './reporter.ts'
import { closeSession } from './session/session.ts'
import type { SessionFiles } from './session/session-file.ts'
import type { AgentParts, Chat } from './loop/turn.ts'

/**
 * The most waiting jobs of one chat. The gate sends fewer than this, so a larger number is an error, and the
 * person is told.
 */
const maxWaiting = budgets.prompts.perChat.count + budgets.prompts.perOwner.count
const maxKnownPrompts = 1_000

/** The lines that belong to a conversation. A `builtin` line belongs to none. */
export type ChatLine = Exclude<InboxLine, { type: 'builtin' }>

interface Job {
  readonly abort: AbortController
  /** The message of the person that the job is about. Absent for other jobs. */
  readonly prompt?: PromptLine
  run(signal: AbortSignal): Promise<void>
}

interface ChatLane {
  readonly chat: Chat
  /** The jobs in order. The first one is running. */
  readonly jobs: Job[]
}

/** Handles one prompt. Never rejects. */
export type RunTurn = (chat: Chat, prompt: PromptLine, signal: AbortSignal) => Promise<void>
/** Compacts the conversation if this agent can, and reports the result to the chat. Never rejects. */
export type Compact = (chat: Chat, address: Address, signal: AbortSignal) => Promise<void>

/**
 * Handles all conversations of the agent. The jobs of one conversation run one after another. Different
 * conversations run at the same time.
 */
export const createChats = (
  parts: Pick<AgentParts, 'client' | 'workspace'> & { readonly sessions?: Partial<SessionFiles> },
  runTurn: RunTurn,
  compact: Compact,
): ((line: ChatLine) => void) => {
  const lanes = new Map<string, ChatLane>()
  /** The ids of recent prompts. After a lost connection the gate may send a prompt again. */
  const known = new Set<string>()

  const laneOf = (address: Address): ChatLane => {
    const key = chatKey(address)
    const jobs: Job[] = []
    const lane: ChatLane = lanes.get(key) ?? {
      chat: {
        source: 'startup',
        waiting: { first: () => jobs[1]?.prompt, take: () => void jobs.splice(1, 1) },
      },
      jobs,
    }
    lanes.set(key, lane)
    return lane
  }

  const work = async ({ jobs }: ChatLane): Promise<void> => {
    for (let job = jobs[0]; job !== undefined; job = jobs[0]) {
      await job.run(job.abort.signal)
      jobs.shift()
    }
  }

  const enqueue = (lane: ChatLane, run: Job['run'], prompt?: PromptLine): void => {
    lane.jobs.push({ abort: new AbortController(), run, prompt })
    if (lane.jobs.length === 1) void work(lane)
  }

  const refuse = async (prompt: PromptLine, session_id: string): Promise<void> => {
    const reporter = createReporter(parts.client, { ...prompt, session_id, cwd: parts.workspace })
    await reporter.tellError(
      `Too many messages are waiting for me (${maxWaiting}). I dropped the last one. Please send it again later.`,
    )
    await reporter.fireSurely('on_turn_end', { reason: 'error', step_count: 0 })
  }

  const takePrompt = (prompt: PromptLine): void => {
    if (known.has(prompt.prompt_id)) return
    known.add(prompt.prompt_id)
    for (const oldest of known.values().take(Math.max(0, known.size - maxKnownPrompts))) known.delete(oldest)
    const lane = laneOf(prompt)
    if (lane.jobs.length > maxWaiting) void refuse(prompt, lane.chat.session?.id ?? 'none')
    else enqueue(lane, (signal) => runTurn(lane.chat, prompt, signal), prompt)
  }

  const forgetSession = (address: Address): void => {
    const lane = laneOf(address)
    lane.jobs[0]?.abort.abort()
    enqueue(lane, async () => {
      const { session } = lane.chat
      lane.chat.source = 'clear'
      await parts.sessions?.drop?.(address)
      if (session === undefined) return
      delete lane.chat.session
      const where = { ...address, session_id: session.id, cwd: parts.workspace }
      await closeSession(session, createReporter(parts.client, where), 'clear')
    })
  }

  const cancel = (lane: ChatLane): void => {
    lane.jobs[0]?.abort.abort()
    if (lane.chat.session !== undefined) lane.chat.session.isAsking = false
  }

  /** Handles /goal during a running turn, outside the conversation. */
  const aboutGoal = async (lane: ChatLane, address: Address, isOff: boolean): Promise<void> => {
    // After a restart the session stays on disk until the next message.
    const session = lane.chat.session ?? (await parts.sessions?.load?.(address))
    const goal = session?.isGoalSet === true ? session.goal : undefined
    if (isOff && session !== undefined && goal !== undefined) {
      session.isGoalSet = false
      // This waits for the running turn, because that turn saves the session as well.
      enqueue(lane, async () => parts.sessions?.save?.(address, session))
    }
    const where = { ...address, session_id: session?.id ?? 'none', cwd: parts.workspace }
    const reporter = createReporter(parts.client, where)
    await reporter.tell(
      goal === undefined
        ? 'I have no goal. /goal TEXT sets one.'
        : isOff
          ? `I no longer have this goal: ${goal}`
          : `My goal: ${goal}`,
    )
  }

  const compactLater = (line: Address): void => {
    const lane = laneOf(line)
    if (lane.jobs.length <= maxWaiting) enqueue(lane, (signal) => compact(lane.chat, line, signal))
  }

  return (line) => {
    switch (line.type) {
      case 'prompt':
        return takePrompt(line)
      case 'cancel':
        return cancel(laneOf(line))
      case 'new':
        return forgetSession(line)
      case 'goal':
        return void aboutGoal(laneOf(line), line, false)
      case 'goal_off':
        return void aboutGoal(laneOf(line), line, true)
      case 'compact':
        return compactLater(line)
      case 'ping':
        return undefined
    }
  }
}
