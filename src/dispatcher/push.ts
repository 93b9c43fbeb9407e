import { createHash } from 'node:crypto'
import { isObject } from '../model/json.ts'
import { got } from '../model/problem.ts'
import { chatKey, type Outcome, type Push } from '../model/push.ts'
import type { Ended, OutboxItem } from '../model/record.ts'
import type { Door, Judged, Settled } from './door.ts'
import type { Fire } from './fire.ts'
import { parsed } from './outbox-body.ts'
import { createRecent } from './recent.ts'
import { createRoom, roomOf } from './room.ts'
import { cleanText } from './text.ts'

export const maxPushUnits = 100_000
/** How long a request for a push waits to learn what became of it, in milliseconds. */
const answerWithinMs = 10_000
const maxRemembered = 10_000
/** A revision that no gate has: what bears it is judged again before it leaves. */
const neverCurrent = -1

export interface PushReply {
  readonly outcome: Outcome
  readonly reason?: string
  readonly event_id: string
}

export type PushResult = PushReply | { readonly refused: 'too_large' | 'empty' | 'full' | 'chat_full' | 'loop'; readonly message: string; readonly fix: string }

/** What an outbox row keeps of a push, to judge it again. */
export interface PushBody extends Push {
  readonly cwd: string
}

export interface PushPorts {
  readonly fire: Fire
  enqueue: Door['enqueue']
  gate(): { readonly revision: number; readonly lockdown?: string }
  /** An agent's push will not arrive, or may not have, and the owner should know: never with its text. */
  tellLost(push: Push, outcome: Outcome, by: string, why: string, eventId: string): void
  /** A push was refused since so much waits already: in its chat, or in all. */
  tellFull(push: Push, where: 'chat' | 'all'): void
  record(push: Push, eventId: string, outcome: Outcome, why: string | undefined): void
  after(delayMs: number, run: () => void): void
  now(): number
}

export const readPushBody = (item: OutboxItem): PushBody | undefined => {
  const body = parsed(item.body)
  if (!isObject(body) || typeof body['text'] !== 'string') return undefined
  const field = (name: string): string => (typeof body[name] === 'string' ? body[name] : '')
  return { push_id: field('push_id'), agent_id: field('agent_id'), session_id: field('session_id'), cwd: field('cwd'), text: field('text'), channel: item.channel, chat_id: item.chat_id }
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

type Judgement = { readonly judged: Judged; readonly eventId: string; readonly by: string; readonly loop?: string }

/** What an agent says: judged first, then queued, sent in order, and its outcome told. */
export const createPush = (ports: PushPorts) => {
  const recent = createRecent()
  const known = new Map<string, Promise<PushResult>>()
  const settling = new Map<string, { readonly eventId: string; resolve(reply: PushReply): void }>()
  const turns = new Map<string, Promise<unknown>>()
  const room = createRoom()
  const idOf = ({ agent_id, push_id }: Push): string => `${agent_id}:${push_id}`

  /** Asks the hooks about a text as it would leave, and again if a rewrite holds what must never leave. */
  const judge = async (push: PushBody, chain: readonly string[], text = cleanText(push.text), rounds = 0): Promise<Judgement> => {
    const fired = await ports.fire({
      agentId: push.agent_id, event: 'on_outbound_message', sessionId: push.session_id, cwd: push.cwd, chain, address: { channel: push.channel, chat_id: push.chat_id },
      fields: { notification: text, parts: [], type: 'text', channel: push.channel, chat_id: push.chat_id, files: [], recent: recent.before(chatKey(push), idOf(push)) },
    })
    if (fired.kind === 'loop') return { judged: { kind: 'withheld', why: fired.why, by: 'hookgate' }, eventId: '', by: 'hookgate', loop: fired.why }
    const { verdict, payload, reason, by, revision } = fired.verdict
    const said = { eventId: payload.event_id, by: by ?? 'hookgate' }
    // A lockdown that began meanwhile is nobody's word about this text: it is held, and judged when the gate is mended.
    if (verdict === 'block' && ports.gate().lockdown !== undefined) return { ...said, judged: { kind: 'leaves', text, revision: neverCurrent } }
    if (verdict === 'ask') return { ...said, judged: { kind: 'withheld', why: `it needs the owner's word, which cannot be asked for yet: ${reason ?? ''}` } }
    if (verdict === 'block') return { ...said, judged: { kind: 'withheld', why: reason ?? 'blocked by hook' } }
    const settled = typeof payload['notification'] === 'string' ? payload['notification'] : ''
    const clean = cleanText(settled)
    if (clean !== settled) return rounds < 3 ? judge(push, chain, clean, rounds + 1) : { ...said, judged: { kind: 'withheld', why: 'a hook keeps writing the mark of a notice into it' } }
    if (clean.trim() === '') return { ...said, judged: { kind: 'withheld', why: 'a hook left nothing of it' } }
    return { ...said, judged: { kind: 'leaves', text: clean, revision } }
  }

  const reply = async (itemId: string, eventId: string): Promise<PushReply> => {
    const { promise, resolve } = Promise.withResolvers<PushReply>()
    settling.set(itemId, { eventId, resolve })
    ports.after(answerWithinMs, () => resolve({ outcome: 'queued', event_id: eventId }))
    return promise
  }

  const start = async (push: PushBody, chain: readonly string[]): Promise<PushResult> => {
    const item: OutboxItem = {
      id: idOf(push), seq: 0, channel: push.channel, chat_id: push.chat_id, kind: 'push',
      state: 'queued', revision: ports.gate().revision, createdAtMs: ports.now(), body: JSON.stringify(push),
    }
    recent.waits(chatKey(push), item.id, cleanText(push.text))
    // Judged at once, but queued in the order in which the agent spoke.
    const before = turns.get(chatKey(push)) ?? Promise.resolve()
    const isHeld = (): boolean => ports.gate().lockdown !== undefined
    const judged = isHeld() ? undefined : judge(push, chain)
    const queued = Promise.all([before, judged]).then(async ([, judgement]) => {
      if (judgement?.loop !== undefined) return { refused: 'loop' as const, message: `Expected a push that no chain of hooks caused, got ${judgement.loop}.`, fix: 'Let the hook answer instead of sending.' }
      if (judgement?.judged.kind === 'withheld') {
        ports.record(push, judgement.eventId, 'withheld', `${judgement.by}: ${judgement.judged.why}`)
        ports.tellLost(push, 'withheld', judgement.by, judgement.judged.why, judgement.eventId)
        return { outcome: 'withheld' as const, reason: judgement.judged.why, event_id: judgement.eventId }
      }
      const waiting = reply(item.id, judgement?.eventId ?? '')
      const state = isHeld() ? 'held' : 'queued'
      await ports.enqueue({ ...item, state }, judgement?.judged)
      return { waiting, state }
    })
    turns.set(chatKey(push), queued.catch(() => undefined))
    const forget = (): void => {
      room.give(item.id)
      recent.settled(chatKey(push), item.id, undefined)
    }
    const result = await queued.catch((error: unknown) => {
      forget()
      throw error
    })
    if (!('waiting' in result)) {
      forget()
      return result
    }
    if (result.state === 'queued') return result.waiting
    const reason = 'hookgate is in lockdown; it is kept and judged when an owner has mended the gate'
    ports.record(push, '', 'held', reason)
    return { outcome: 'held', reason, event_id: '' }
  }

  const remember = (key: string, result: Promise<PushResult>): void => {
    known.delete(key)
    known.set(key, result)
    const oldest = known.size > maxRemembered ? known.keys().next().value : undefined
    if (oldest === undefined) return
    const waits = room.has(oldest) ? known.get(oldest) : undefined
    known.delete(oldest)
    // Asked for once more, what still waits must not become a second push.
    if (waits !== undefined) known.set(oldest, waits)
  }

  const bytesOf = ({ text }: Push): number => Buffer.byteLength(text)
  const refuseFull = (push: Push, where: keyof typeof roomOf): PushResult => {
    const { pushes, bytes } = roomOf[where]
    ports.tellFull(push, where)
    const message = `Expected at most ${pushes} messages of ${bytes / 1e6} MB together to wait to leave${where === 'chat' ? ' to one chat' : ''}, got one more.`
    return { refused: where === 'chat' ? 'chat_full' : 'full', message, fix: 'Wait until some have left, then send it again.' }
  }

  return {
    /** Refuses only what could never leave; everything else ends in an outcome. A repeated `push_id` is one push. */
    push: (push: PushBody, chain: readonly string[] = []): Promise<PushResult> => {
      if (push.text.length > maxPushUnits) return Promise.resolve({ refused: 'too_large', message: `Expected a text of at most ${maxPushUnits} characters, got ${push.text.length}.`, fix: 'Send less, or put it into a file and name the file.' })
      if (cleanText(push.text).trim() === '') return Promise.resolve({ refused: 'empty', message: `Expected a text, got ${got(push.text)}.`, fix: 'Send some words.' })
      const key = idOf(push)
      const before = known.get(key)
      if (before !== undefined) return before
      const lacking = room.lacks(push, bytesOf(push))
      if (lacking !== undefined) return Promise.resolve(refuseFull(push, lacking))
      room.take(key, push, bytesOf(push))
      const result = start(push, chain)
      remember(key, result)
      return result
    },

    /** Judges a waiting push under the gate as it is now. */
    judgeAgain: async (item: OutboxItem): Promise<Judged> => {
      const push = readPushBody(item)
      if (push === undefined) return { kind: 'withheld', why: 'its outbox row cannot be read' }
      const { judged, by, eventId } = await judge(push, [])
      return judged.kind === 'withheld' ? { ...judged, by, eventId } : judged
    },

    /** A push that waited when the gate last stopped: asked for again, it is still the same one. */
    takeUp: (item: OutboxItem): void => {
      room.take(item.id, item, Buffer.byteLength(item.body))
      recent.waits(chatKey(item), item.id, cleanText(readPushBody(item)?.text ?? ''))
      remember(item.id, Promise.resolve({ outcome: 'queued', event_id: '' }))
    },

    /** What became of a push before the gate last stopped: asked for again, it is still the same one. */
    recall: ({ id, ...reply }: Ended & { readonly id: string }): void => remember(id, Promise.resolve({ ...reply, event_id: '' })),

    /** The door is done with a push. */
    settled: (item: OutboxItem, { outcome, why, by, eventId }: Settled, text: string): (() => void) => {
      const push = readPushBody(item)
      const waiting = settling.get(item.id)
      settling.delete(item.id)
      room.give(item.id)
      const reply: PushReply = { outcome, event_id: eventId ?? waiting?.eventId ?? '', ...(why === undefined ? {} : { reason: why }) }
      if (push !== undefined) {
        ports.record(text === '' ? push : { ...push, text }, reply.event_id, outcome, why)
        if (outcome !== 'delivered') ports.tellLost(push, outcome, by ?? (outcome === 'withheld' ? 'a hook' : push.channel), why ?? outcome, reply.event_id)
      }
      recent.settled(chatKey(item), item.id, outcome === 'delivered' || outcome === 'unknown' ? text : undefined)
      return () => {
        waiting?.resolve(reply)
        // Asked for once more, it says what became of it.
        remember(item.id, Promise.resolve(reply))
      }
    },
  }
}
