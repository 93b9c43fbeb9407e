import type { Json } from '../../core/model/base/json.ts'
import { isQuestionTool } from '../../shared/gate/form.ts'
import { chatKey, type Address } from '../../core/model/chat/push.ts'
import { argumentText } from '../../core/model/events/blocked-step.ts'
import type { Fired, Step } from '../../core/model/events/step.ts'
import type { Patience } from '../../shared/events/patience.ts'
import { shorten } from '../words.ts'
import { createTurnMessages, type FollowedCall, type Turn, type TurnMessagePorts } from './turn-message.ts'
import { createWaits, type WaitPorts } from './waits.ts'

/** The number of tool calls that the message shows. Earlier ones are counted. */
const maxShown = 6
const maxArgumentUnits = 60
/** The chats whose turns are followed at once. No more of them begin. */
const maxTurns = 200

export interface ActivityPorts extends TurnMessagePorts, WaitPorts {
  /** True for an owner's own chat with a messenger that can change a message. Others get no such message. */
  isFollowed(address: Address): boolean
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The arguments of a call on one short line. Its cost does not grow with them. */
const argumentOf = (input: Json | undefined): string =>
  shorten(argumentText(input, 2 * maxArgumentUnits), maxArgumentUnits)

/** The card of a question to the person says all about it, so such a call is no work. */
const isWork = ({ event, fields }: Step): boolean =>
  event === 'pre_tool_call' && !isQuestionTool(fields['tool_name'])

/** Ends the calls of a turn that had no end. */
const endCalls = (turn: Turn, nowMs: number): void => {
  for (const call of turn.calls)
    if (call.state === 'waiting' && !turn.isCut) {
      call.state = 'blocked'
      turn.blocked += 1
    } else if (call.state === 'asked' || call.state === 'running' || call.state === 'waiting') {
      call.state = turn.isCut ? 'cut' : 'failed'
      call.endedMs = nowMs
    }
}

/**
 * Shows what an agent does while it works: one message for each turn, which is changed as the turn goes on.
 * It is a notice, so its tools and arguments are quotes that the hooks judge.
 */
export const createActivity = (ports: ActivityPorts) => {
  const turns = new Map<string, Turn>()
  const waits = createWaits(ports)
  const { show, changed } = createTurnMessages(ports, waits)

  const end = (turn: Turn): void => {
    turns.delete(turn.key)
    turn.isOver = true
    endCalls(turn, ports.elapsedMs())
    // A short turn has no message, and its answer says enough.
    if (turn.isSent) show(turn)
    else turn.isDue = false
  }

  const begin = (key: string, { agentId, fields }: Step, address: Address): FollowedCall | undefined => {
    const known = turns.get(key)
    if (known === undefined && turns.size >= maxTurns) return undefined
    const nowMs = ports.elapsedMs()
    const turn: Turn = known ?? {
      key,
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
      isCut: false,
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

  /** The call of a turn that an event is about. */
  const callIn = (
    turn: Turn | undefined,
    { fields }: Step,
    state: FollowedCall['state'],
  ): FollowedCall | undefined =>
    turn?.calls.findLast(
      (call) =>
        call.state === state &&
        call.id === text(fields['tool_use_id']) &&
        call.name === text(fields['tool_name']),
    )

  /** The agent waits for a person. The returned function says that it goes on. */
  const wait = (key: string, address: Address, call: FollowedCall | undefined): (() => void) => {
    const fromMs = ports.elapsedMs()
    const turn = turns.get(key)
    const goOn = waits.begin(key, address)
    if (call !== undefined) call.state = 'waiting'
    // Its button to stop the agent must not stay above the card of the question.
    if (turn?.isSent === true) show(turn)
    return () => {
      const waitedMs = goOn()
      if (call !== undefined) call.fromMs += ports.elapsedMs() - fromMs
      if (turn === undefined) return
      turn.fromMs += waitedMs
      if (!turn.isOver && !waits.has(key)) changed(turn)
    }
  }

  const note = (step: Step, fired: Fired, call: FollowedCall | undefined): void => {
    const { address, event } = step
    if (address === undefined) return
    const turn = turns.get(keyOf(step, address))
    if (turn === undefined) return
    if (event === 'on_turn_end' || event === 'on_session_end') return end(turn)
    if (call !== undefined) {
      const verdict = fired.kind === 'verdict' ? fired.verdict.verdict : 'block'
      // Its own agent asks about it next.
      if (verdict === 'ask') call.state = 'asked'
      else call.state = verdict === 'allow' ? 'running' : 'blocked'
      if (verdict === 'block') {
        turn.blocked += 1
        call.endedMs = ports.elapsedMs()
      }
      return changed(turn)
    }
    if (event !== 'post_tool_call') return
    const ended = callIn(turn, step, 'running')
    if (ended === undefined) return
    ended.state = step.fields['tool_error'] === true ? 'failed' : 'done'
    ended.endedMs = ports.elapsedMs()
    changed(turn)
  }

  return {
    /** An agent is no longer connected, so nothing that it worked on goes on. */
    left: (agentId: string): void => {
      for (const turn of [...turns.values()].filter((one) => one.agentId === agentId)) {
        turn.isCut = true
        end(turn)
      }
    },
    /** Fires the event of an agent, and shows what it means for the agent's turn. */
    following:
      <S extends Step & Pick<Patience, 'waits'>>(fire: (step: S) => Promise<Fired>) =>
      async (step: S): Promise<Fired> => {
        const { address } = step
        if (address === undefined) return fire(step)
        const key = keyOf(step, address)
        const call =
          step.event === 'on_permission_request'
            ? (callIn(turns.get(key), step, 'running') ?? callIn(turns.get(key), step, 'asked'))
            : isWork(step) && ports.isFollowed(address)
              ? begin(key, step, address)
              : undefined
        let goOn: (() => void) | undefined
        const waits = (): void => {
          step.waits?.()
          goOn ??= wait(key, address, call)
        }
        try {
          const fired = await fire({ ...step, waits })
          goOn?.()
          note(step, fired, call)
          return fired
        } catch (error) {
          goOn?.()
          throw error
        }
      },
  }
}
