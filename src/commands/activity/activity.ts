import type { Json } from '../../core/model/base/json.ts'
import { isQuestionTool } from '../../shared/gate/form.ts'
import type { Notice } from '../../core/model/chat/notice.ts'
import { named, prose, whole, type Prose, proseLines } from '../../core/model/chat/prose.ts'
import { chatKey, type Address } from '../../core/model/chat/push.ts'
import { argumentText } from '../../core/model/events/blocked-step.ts'
import type { Fired, Step } from '../../core/model/events/step.ts'
import type { CardButtons } from '../cards/card-buttons.ts'
import { exactName } from '../cards/exact.ts'
import { shorten } from '../words.ts'

/** A turn that ends sooner gets no message about its tools, in milliseconds. */
const firstAfterMs = 3000
/** The least time between two edits of the message, as messengers allow them. */
const leastBetweenMs = 3000
/** While one tool runs on, only its seconds change, so the message is edited less often. */
const tickMs = 15_000
/** The number of tool calls that the message shows. Earlier ones are counted. */
const maxShown = 6
const [maxNameUnits, maxArgumentUnits] = [40, 60]
/** The chats whose turns are followed at once. No more of them begin. */
const maxTurns = 200

interface FollowedCall {
  readonly id: string
  readonly name: string
  readonly argument: string
  readonly fromMs: number
  state: 'asked' | 'running' | 'done' | 'failed' | 'blocked'
  endedMs?: number
}

/** One turn of an agent in one chat, from its first tool call to its end. */
interface Turn {
  readonly agentId: string
  readonly address: Address
  readonly fromMs: number
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
  changedMs: number
}

export interface ActivityPorts {
  notify(
    address: Address,
    notice: Notice,
    delivered: (messageId: string | undefined) => void,
  ): Promise<void> | void
  /** True for an owner's own chat with a messenger that can change a message. Others get no such message. */
  isFollowed(address: Address): boolean
  readonly cardButtons: Pick<CardButtons, 'under' | 'placeOf'>
  after(delayMs: number, run: () => void): void
  /** A clock for intervals that nobody can set, in milliseconds. */
  elapsedMs(): number
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The arguments of a call on one short line. Its cost does not grow with them. */
const argumentOf = (input: Json | undefined): string =>
  shorten(argumentText(input, 2 * maxArgumentUnits), maxArgumentUnits)

const seconds = (ms: number): number => Math.round(ms / 1000)

const callLine = ({ name, argument, state, fromMs, endedMs }: FollowedCall, nowMs: number): Prose => {
  const tool = whole(exactName(shorten(name, maxNameUnits)))
  const call = argument === '' ? tool : prose`${tool}: ${argument}`
  const took = seconds((endedMs ?? nowMs) - fromMs)
  switch (state) {
    case 'asked':
      return prose`… ${call} · being checked for ${took} s`
    case 'running':
      return prose`… ${call} · running for ${took} s`
    case 'done':
      return prose`✓ ${call} · ${took} s`
    case 'failed':
      return prose`✗ ${call} · failed after ${took} s`
    case 'blocked':
      return prose`✗ ${call} · blocked`
  }
}

const headLine = ({ agentId, fromMs, earlier, calls, blocked, isOver }: Turn, nowMs: number): Prose => {
  const took = seconds(nowMs - fromMs)
  const agent = named(agentId)
  if (!isOver) return prose`${agent} has been working for ${took} s.`
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

/** The card of a question to the person says all about it, so such a call is no work. */
const isWork = ({ event, fields }: Step): boolean =>
  event === 'pre_tool_call' && !isQuestionTool(fields['tool_name'])

/**
 * Shows what an agent does while it works: one message for each turn, which is changed as the turn goes on.
 * It is a notice, so its tools and arguments are quotes that the hooks judge.
 */
export const createActivity = (ports: ActivityPorts) => {
  const turns = new Map<string, Turn>()

  const noticeOf = (turn: Turn): Notice => {
    const { earlier, calls, address, messageId, isOver } = turn
    const nowMs = ports.elapsedMs()
    const lines = [
      headLine(turn, nowMs),
      ...(earlier === 0
        ? []
        : [earlier === 1 ? prose`1 earlier tool call` : prose`${earlier} earlier tool calls`]),
      ...calls.map((call) => callLine(call, nowMs)),
    ]
    return {
      text: proseLines(...lines),
      ...(isOver ? {} : ports.cardButtons.under(ports.cardButtons.placeOf(address), [['stop']])),
      replaces: messageId,
    }
  }

  /** Sends the message, or changes it. While the first one is on its way, the next waits for its id. */
  const show = (turn: Turn): void => {
    turn.isDue = false
    turn.isBehind = turn.isSent && turn.messageId === undefined
    if (turn.isBehind) return
    turn.isSent = true
    turn.changedMs = ports.elapsedMs()
    void ports.notify(turn.address, noticeOf(turn), (messageId) => {
      // Without an id the messenger cannot change it, so it stays as it is.
      if (messageId === undefined || turn.messageId !== undefined) return
      turn.messageId = messageId
      if (turn.isOver) show(turn)
      else if (turn.isBehind) changed(turn)
    })
    if (!turn.isOver) tick(turn)
  }

  const tick = (turn: Turn): void => {
    const { changedMs } = turn
    ports.after(tickMs, () => {
      if (!turn.isOver && turn.changedMs === changedMs) changed(turn)
    })
  }

  const changed = (turn: Turn): void => {
    if (turn.isDue) return
    turn.isDue = true
    const waitMs = turn.isSent
      ? Math.max(0, turn.changedMs + leastBetweenMs - ports.elapsedMs())
      : Math.max(0, turn.fromMs + firstAfterMs - ports.elapsedMs())
    ports.after(waitMs, () => {
      if (turn.isDue) show(turn)
    })
  }

  const end = (key: string, turn: Turn): void => {
    turns.delete(key)
    turn.isOver = true
    const nowMs = ports.elapsedMs()
    for (const call of turn.calls)
      if (call.state === 'asked' || call.state === 'running') {
        call.state = 'failed'
        call.endedMs = nowMs
      }
    // A short turn has no message, and its answer says enough.
    if (turn.isSent) show(turn)
    else turn.isDue = false
  }

  const begin = (key: string, { agentId, fields }: Step, address: Address): FollowedCall | undefined => {
    const known = turns.get(key)
    if (known === undefined && turns.size >= maxTurns) return undefined
    const nowMs = ports.elapsedMs()
    const turn: Turn = known ?? {
      agentId,
      address,
      fromMs: nowMs,
      calls: [],
      earlier: 0,
      blocked: 0,
      isSent: false,
      isDue: false,
      isBehind: false,
      isOver: false,
      changedMs: nowMs,
    }
    turns.set(key, turn)
    const call: FollowedCall = {
      id: text(fields['tool_use_id']),
      name: text(fields['tool_name']),
      argument: argumentOf(fields['tool_input']),
      fromMs: nowMs,
      state: 'asked',
    }
    turn.calls.push(call)
    if (turn.calls.length > maxShown) {
      turn.calls.shift()
      turn.earlier += 1
    }
    changed(turn)
    return call
  }

  const keyOf = ({ agentId, sessionId }: Step, address: Address): string =>
    JSON.stringify([chatKey(address), agentId, sessionId])

  const note = (step: Step, fired: Fired, call: FollowedCall | undefined): void => {
    const { address, event, fields } = step
    if (address === undefined) return
    const key = keyOf(step, address)
    const turn = turns.get(key)
    if (turn === undefined) return
    if (event === 'on_turn_end' || event === 'on_session_end') return end(key, turn)
    if (event === 'pre_tool_call' && call !== undefined) {
      const isAllowed = fired.kind === 'verdict' && fired.verdict.verdict === 'allow'
      call.state = isAllowed ? 'running' : 'blocked'
      if (!isAllowed) {
        turn.blocked += 1
        call.endedMs = ports.elapsedMs()
      }
      return changed(turn)
    }
    if (event !== 'post_tool_call') return
    const ended = turn.calls.findLast(
      ({ id, name, state }) =>
        state === 'running' && id === text(fields['tool_use_id']) && name === text(fields['tool_name']),
    )
    if (ended === undefined) return
    ended.state = fields['tool_error'] === true ? 'failed' : 'done'
    ended.endedMs = ports.elapsedMs()
    changed(turn)
  }

  return {
    /** Fires the event of an agent, and shows what it means for the agent's turn. */
    following:
      <S extends Step>(fire: (step: S) => Promise<Fired>) =>
      async (step: S): Promise<Fired> => {
        const { address } = step
        const call =
          address !== undefined && isWork(step) && ports.isFollowed(address)
            ? begin(keyOf(step, address), step, address)
            : undefined
        const fired = await fire(step)
        note(step, fired, call)
        return fired
      },
  }
}
