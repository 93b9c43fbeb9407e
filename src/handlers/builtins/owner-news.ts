import { createBoundedMap } from '../../core/model/base/bounded-map.ts'
import { isObject } from '../../core/model/base/json.ts'
import type { OwnerNewsItem } from '../../shared/chat/owner-news.ts'
import type { Address } from '../../core/model/chat/push.ts'
import type { ArmedHook } from '../../core/model/hooks/entry.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import type { Verdict } from '../../core/model/hooks/verdict.ts'

/** News is told after this time, so that several things at once come together. */
const settleMs = 3000
/** Afterwards news of the same kind and agent comes at most so often. */
const againMs = 60_000
const maxDetailUnits = 300
/** The most sessions whose turns are watched, and the most kinds of news that wait. */
const maxWatched = 1000

export interface OwnerNewsPorts {
  /** False after the hook was revoked or switched off. Nothing is told then. */
  isLive(fingerprint: string): boolean
  after(delayMs: number, run: () => void): void
}

type HookOfOwner = Pick<ArmedHook, 'entry' | 'fingerprint'>

type News = Omit<OwnerNewsItem, 'count'>

interface Waiting {
  count: number
  news: News
  fingerprint: string
  isScheduled: boolean
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, maxDetailUnits).toWellFormed() : undefined

const addressOf = ({ channel, chat_id }: Payload): Address | undefined =>
  typeof channel === 'string' && typeof chat_id === 'string' ? { channel, chat_id } : undefined

/** A turn that ends so is not told: a person stopped it or wrote meanwhile, or on_error tells of it. */
const untoldEnds: ReadonlySet<unknown> = new Set(['canceled', 'steered', 'error'])

/** The event as news. Undefined: there is nothing to tell of it. */
const newsOf = ({ quiet }: ArmedHook['entry'], payload: Payload): News | undefined => {
  const { agent_id, event, reason, error, prompt } = payload
  const address = addressOf(payload)
  const detail = textOf(event === 'on_error' && isObject(error) ? error['message'] : (error ?? prompt))
  const base = { agent_id, address, quiet, detail }
  if (event === 'on_user_input') return { ...base, kind: 'waits' }
  if (event === 'on_error') return { ...base, kind: 'failed' }
  const isEnd = event === 'on_stop' || (event === 'on_turn_end' && !untoldEnds.has(reason))
  return isEnd ? { ...base, kind: 'ended' } : undefined
}

const sessionKey = ({ agent_id, session_id }: Payload): string => JSON.stringify([agent_id, session_id])

/** Tells owners what happens to agents, for the approved entries of `tell_owner`. */
export const createOwnerNews = ({ isLive, after }: OwnerNewsPorts) => {
  const listeners = new Set<(item: OwnerNewsItem) => void>()
  const waiting = createBoundedMap<string, Waiting>(maxWatched)
  /** The turn of each session that may become long. A new turn replaces the old one. */
  const turns = createBoundedMap<string, Parameters<typeof watchTurn>>(maxWatched)
  /** The same of those that wait for a person. Meanwhile their agent is not busy. */
  const resting = createBoundedMap<string, Parameters<typeof watchTurn>>(maxWatched)
  /** Sessions that report the end of each turn, so that a stop is not told, too. */
  const endsTurns = createBoundedMap<string, true>(maxWatched)

  const tell = (news: News, count: number): void => {
    for (const listener of listeners) listener({ ...news, count })
  }

  const flush = (key: string, state: Waiting): void => {
    state.isScheduled = false
    if (state.count === 0) {
      if (waiting.get(key) === state) waiting.delete(key)
      return
    }
    const { count, news, fingerprint } = state
    state.count = 0
    schedule(key, state, againMs)
    if (isLive(fingerprint)) tell(news, count)
  }

  const schedule = (key: string, state: Waiting, delayMs: number): void => {
    if (state.isScheduled) return
    state.isScheduled = true
    after(delayMs, () => flush(key, state))
  }

  const add = (news: News, fingerprint: string): void => {
    const { kind, agent_id, address } = news
    const key = JSON.stringify([fingerprint, kind, agent_id, address])
    const state = waiting.get(key) ?? { count: 0, news, fingerprint, isScheduled: false }
    waiting.set(key, state)
    Object.assign(state, { news, count: state.count + 1 })
    schedule(key, state, settleMs)
  }

  const watchTurn = ({ entry, fingerprint }: HookOfOwner, payload: Payload): void => {
    const { busyMs, quiet } = entry
    if (busyMs === undefined || payload['kind'] === 'steer') return
    const key = sessionKey(payload)
    const turn: Parameters<typeof watchTurn> = [{ entry, fingerprint }, payload]
    resting.delete(key)
    turns.set(key, turn)
    after(busyMs, () => {
      if (turns.get(key) !== turn) return
      turns.delete(key)
      const minutes = Math.max(1, Math.round(busyMs / 60_000))
      const { agent_id } = payload
      if (isLive(fingerprint)) tell({ kind: 'busy', agent_id, minutes, quiet }, 1)
    })
  }

  return {
    /** An entry of `tell_owner` is asked about an event. */
    hear: (hook: HookOfOwner, payload: Payload): void => {
      if (payload.event === 'on_user_message') return watchTurn(hook, payload)
      if (payload.event === 'on_turn_end') endsTurns.set(sessionKey(payload), true)
      if (payload.event === 'on_stop' && endsTurns.has(sessionKey(payload))) return
      const news = newsOf(hook.entry, payload)
      if (news !== undefined) add(news, hook.fingerprint)
    },
    /** Notes the verdict of any event, so that the end of a turn is known. */
    note: (payload: Payload, { verdict }: Pick<Verdict, 'verdict'>): void => {
      const { event } = payload
      const isOver =
        event === 'on_turn_end' ||
        event === 'on_session_end' ||
        event === 'on_user_input' ||
        (event === 'on_stop' && verdict === 'allow')
      const key = sessionKey(payload)
      if (isOver) resting.delete(key)
      const asksPerson = event === 'on_permission_request' && verdict === 'allow'
      const turn = isOver || asksPerson ? turns.take(key) : undefined
      if (asksPerson && turn !== undefined) resting.set(key, turn)
      const rested = event === 'on_permission_decision' ? resting.take(key) : undefined
      if (rested !== undefined) watchTurn(...rested)
    },
    /** Calls back with news. The returned function ends that. */
    onNews: (listener: (item: OwnerNewsItem) => void): (() => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export type OwnerNews = ReturnType<typeof createOwnerNews>
