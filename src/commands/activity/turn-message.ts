import type { Notice } from '../../core/model/chat/notice.ts'
import { named, prose, whole, type Prose, proseLines } from '../../core/model/chat/prose.ts'
import type { Address } from '../../core/model/chat/push.ts'
import type { CardButtons } from '../cards/card-buttons.ts'
import { exactName } from '../cards/exact.ts'
import { shorten } from '../words.ts'
import type { Waits } from './waits.ts'

/** A turn that ends sooner gets no message about its tools, in milliseconds. */
const firstAfterMs = 3000
/** The least time between two edits of the message, as messengers allow them. */
const leastBetweenMs = 3000
/** While one tool runs on, only its seconds change, so the message is edited less often. */
const tickMs = 15_000
const maxNameUnits = 40

export interface FollowedCall {
  readonly id: string
  readonly name: string
  readonly argument: string
  /** The time in which it waited for a person is no time of its work, so it is added here. */
  fromMs: number
  state: 'asked' | 'waiting' | 'running' | 'done' | 'failed' | 'blocked' | 'cut'
  endedMs?: number
}

/** One turn of an agent in one chat, from its first tool call to its end. */
export interface Turn {
  readonly key: string
  readonly agentId: string
  readonly address: Address
  /** As of a call. */
  fromMs: number
  readonly calls: FollowedCall[]
  /** The number of calls that are no longer in `calls`, and of those that were blocked. */
  earlier: number
  blocked: number
  /** The messenger's id of the message. Absent: it has not arrived yet. */
  messageId?: string
  isSent: boolean
  isDue: boolean
  /** Something happened while the first message was on its way. */
  isBehind: boolean
  isOver: boolean
  /** It is over because its agent is no longer connected. */
  isCut: boolean
  changedMs: number
}

export interface TurnMessagePorts {
  notify(
    address: Address,
    notice: Notice,
    delivered: (messageId: string | undefined) => void,
  ): Promise<void> | void
  readonly cardButtons: Pick<CardButtons, 'under' | 'placeOf'>
  after(delayMs: number, run: () => void): void
  /** A clock for intervals that nobody can set, in milliseconds. */
  elapsedMs(): number
}

const seconds = (ms: number): number => Math.round(ms / 1000)

const callLine = ({ name, argument, state, fromMs, endedMs }: FollowedCall, nowMs: number): Prose => {
  const tool = whole(exactName(shorten(name, maxNameUnits)))
  const call = argument === '' ? tool : prose`${tool}: ${argument}`
  const took = seconds((endedMs ?? nowMs) - fromMs)
  switch (state) {
    case 'asked':
      return prose`… ${call} · being checked for ${took} s`
    case 'waiting':
      return prose`… ${call} · waits for you`
    case 'running':
      return prose`… ${call} · running for ${took} s`
    case 'done':
      return prose`✓ ${call} · ${took} s`
    case 'failed':
      return prose`✗ ${call} · failed after ${took} s`
    case 'blocked':
      return prose`✗ ${call} · blocked`
    case 'cut':
      return prose`✗ ${call} · interrupted after ${took} s`
  }
}

const headLine = (
  { agentId, fromMs, earlier, calls, blocked, isOver, isCut }: Turn,
  nowMs: number,
  isWaiting: boolean,
): Prose => {
  const took = seconds(nowMs - fromMs)
  const agent = named(agentId)
  if (isWaiting) return prose`${agent} waits for you.`
  if (!isOver) return prose`${agent} has been working for ${took} s.`
  if (isCut) return prose`${agent} stopped after ${took} s.`
  const count = earlier + calls.length
  if (count === 1)
    return blocked === 0
      ? prose`${agent} worked for ${took} s and used 1 tool.`
      : prose`${agent} worked for ${took} s. Its 1 tool call was blocked.`
  if (blocked === 0) return prose`${agent} worked for ${took} s and used ${count} tools.`
  return blocked === 1
    ? prose`${agent} worked for ${took} s and called ${count} tools; 1 of these calls was blocked.`
    : prose`${agent} worked for ${took} s and called ${count} tools; ${blocked} of these calls were blocked.`
}

/** Sends the message of a turn and changes it, as often as messengers allow. */
export const createTurnMessages = (ports: TurnMessagePorts, waits: Pick<Waits, 'has' | 'forMs'>) => {
  const noticeOf = (turn: Turn): Notice => {
    const { key, earlier, calls, address, messageId, isOver } = turn
    const nowMs = ports.elapsedMs()
    const isWaiting = waits.has(key) && !isOver
    const lines = [
      headLine(turn, nowMs - waits.forMs(key), isWaiting),
      ...(earlier === 0
        ? []
        : [earlier === 1 ? prose`1 earlier tool call` : prose`${earlier} earlier tool calls`]),
      ...calls.map((call) => callLine(call, nowMs)),
    ]
    return {
      text: proseLines(...lines),
      ...(isOver || isWaiting ? {} : ports.cardButtons.under(ports.cardButtons.placeOf(address), [['stop']])),
      replaces: messageId,
    }
  }

  /** Sends the message, or changes it. While the first one is on its way, the next waits for its id. */
  const show = (turn: Turn): void => {
    turn.isDue = false
    // The card of the question stands alone, and nothing beside it says that the agent works.
    if (!turn.isSent && !turn.isOver && waits.has(turn.key)) return
    turn.isBehind = turn.isSent && turn.messageId === undefined
    if (turn.isBehind) return
    turn.isSent = true
    turn.changedMs = ports.elapsedMs()
    void ports.notify(turn.address, noticeOf(turn), (messageId) => {
      // Without an id the messenger cannot change it, so it stays as it is.
      if (messageId === undefined || turn.messageId !== undefined) return
      turn.messageId = messageId
      if (turn.isOver || (turn.isBehind && waits.has(turn.key))) show(turn)
      else if (turn.isBehind) changed(turn)
    })
    if (!turn.isOver && !waits.has(turn.key)) tick(turn)
  }

  const tick = (turn: Turn): void => {
    const { changedMs } = turn
    ports.after(tickMs, () => {
      if (!turn.isOver && !waits.has(turn.key) && turn.changedMs === changedMs) changed(turn)
    })
  }

  const changed = (turn: Turn): void => {
    // Before the first message, only the time of work counts.
    if (turn.isDue || (!turn.isSent && waits.has(turn.key))) return
    turn.isDue = true
    const waitMs = turn.isSent
      ? Math.max(0, turn.changedMs + leastBetweenMs - ports.elapsedMs())
      : Math.max(0, turn.fromMs + firstAfterMs - ports.elapsedMs())
    ports.after(waitMs, () => {
      if (turn.isDue) show(turn)
    })
  }

  return { show, changed }
}
