import { argumentText } from '../core/model/events/blocked-step.ts'
import type { BlockedStep } from '../shared/events/blocked-step.ts'
import type { EventName } from '../core/model/events/event.ts'
import type { Verdict } from '../core/model/hooks/verdict.ts'
import type { NoticeText } from '../core/model/chat/notice.ts'
import { isSameChat, type Address } from '../core/model/chat/push.ts'
import type { Step } from '../core/model/events/step.ts'

/** After a notice, the further blocks of the same agent are told as one when this time is over. */
const firstWindowMs = 10_000
/** Each further window of a burst is twice as long as the one before, and at most so long. */
const longestWindowMs = 60_000
/** The number of grouped blocks that a notice names one by one. */
export const maxNamedBlocks = 5

/**
 * Events whose block is not told. A withheld push is told with its outcome. At a stop a hook only asks for
 * more work, so nothing was refused that the person waits for.
 */
const untold: ReadonlySet<EventName> = new Set(['on_outbound_message', 'on_stop', 'on_subagent_stop'])
/** Events after which a hook can end the turn, although it does not block. */
const endsTurn: ReadonlySet<EventName> = new Set([
  'pre_tool_call',
  'post_tool_call',
  'transform_tool_result',
  'on_tool_error',
  'pre_llm_call',
  'on_user_message',
])

export interface BlockNotices {
  /** The notice about one block. */
  one(block: BlockedStep, chat: Address): NoticeText
  /** The notice about several blocks of one agent. `count` is their number, and `last` are the newest. */
  more(last: readonly BlockedStep[], count: number, chat: Address): NoticeText
}

export interface BlocksPorts extends BlockNotices {
  gate(): { readonly lockdown?: string }
  /** Sends a notice to every owner. Returns the chats in which it is on its way. */
  tellOwners(content: (chat: Address) => NoticeText, key: undefined, about: 'blocks'): readonly Address[]
  after(delayMs: number, run: () => void): void
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const blockedStepOf = ({ agentId, event }: Step, verdict: Verdict): BlockedStep => {
  const { payload, hooks, by = 'hookgate', reason } = verdict
  const isBlock = verdict.verdict === 'block'
  const blocker = hooks.find(
    ({ answer, label }) =>
      (isBlock ? label === by && answer?.kind !== 'allow' : answer?.stopsTurn === true) &&
      answer !== undefined,
  )
  const name = textOf(payload['tool_name']) ?? textOf(payload['subagent_name'])
  const argument = argumentText(payload['tool_input'])
  return {
    event,
    event_id: payload.event_id,
    agent_id: agentId,
    ...(name === undefined ? {} : { name }),
    ...(argument === '' ? {} : { argument }),
    by: isBlock ? by : (blocker?.label ?? by),
    ...(blocker === undefined ? {} : { fingerprint: blocker.fingerprint }),
    why: reason ?? blocker?.answer?.reason ?? 'it gave no reason',
    isOver: event === 'post_tool_call' || !isBlock,
  }
}

/**
 * `isTold`: a notice with the reason is on its way to the owners. `isInChat`: one of them is in the chat of
 * the step.
 */
export interface BlockTold {
  readonly isTold: boolean
  readonly isInChat: boolean
}

export const untoldBlock: BlockTold = { isTold: false, isInChat: false }

interface Burst {
  /** The block that was told with its reason, and the chats that got it. */
  readonly first: Pick<BlockedStep, 'by' | 'why'>
  readonly chats: readonly Address[]
  windowMs: number
  count: number
  last: readonly BlockedStep[]
}

/**
 * Tells the owners of blocked steps: the first one at once, and those that follow in a burst together. So a
 * flood of blocks cannot delay the answers to an owner.
 */
export const createBlocks = (ports: BlocksPorts) => {
  const bursts = new Map<string, Burst>()

  const end = (agent: string, burst: Burst): void => {
    const { count, last } = burst
    if (count === 0) return void bursts.delete(agent)
    Object.assign(burst, {
      windowMs: Math.min(2 * burst.windowMs, longestWindowMs),
      count: 0,
      last: [],
    })
    ports.after(burst.windowMs, () => end(agent, burst))
    ports.tellOwners((chat) => ports.more(last, count, chat), undefined, 'blocks')
  }

  return {
    /** Tells of a block, if the verdict is one. */
    tell: (request: Step, verdict: Verdict): BlockTold => {
      const { agentId, caller = agentId, event, address } = request
      const isBlock = verdict.verdict === 'block' || (verdict.stopsTurn === true && endsTurn.has(event))
      // A lockdown is told as an alarm, which says that every step is blocked.
      if (!isBlock || untold.has(event) || ports.gate().lockdown !== undefined) return untoldBlock
      const block = blockedStepOf(request, verdict)
      const told = (chats: readonly Address[]): BlockTold => ({
        isTold: chats.length > 0,
        isInChat: address !== undefined && chats.some((chat) => isSameChat(chat, address)),
      })
      const burst = bursts.get(caller)
      if (burst !== undefined) {
        burst.count += 1
        burst.last = [...burst.last, block].slice(-maxNamedBlocks)
        // The same reason was told at the beginning of the burst.
        const { first, chats } = burst
        return told(first.by === block.by && first.why === block.why ? chats : [])
      }
      const chats = ports.tellOwners((chat) => ports.one(block, chat), undefined, 'blocks')
      const begun: Burst = { first: block, chats, windowMs: firstWindowMs, count: 0, last: [] }
      bursts.set(caller, begun)
      ports.after(firstWindowMs, () => end(caller, begun))
      return told(chats)
    },
  }
}
