import { hash } from 'node:crypto'
import { readable, type Content } from '../model/content.ts'
import type { Channel } from '../model/channel.ts'
import { chatKey, isSameChat, type Address, type AgentPush, type Outcome, type Push } from '../model/push.ts'
import type { Ended, OutboxItem } from '../model/record.ts'
import { clean } from './clean.ts'
import { boundsFlaw } from './content.ts'
import { createDeadlines } from './deadlines.ts'
import type { Fire } from './fire.ts'
import { heldKey } from './hold.ts'
import { createPushJudge, type PushJudgement } from './judge.ts'
import type { JudgedPush, PushReply, Settled } from './judged.ts'
import { createKnown } from './known.ts'
import { contentOf, readPushBody, type PushBody } from './outbox-body.ts'
import { Unkept, type Door } from './ports.ts'
import { createRecent } from './recent.ts'
import { refusalOf, type PushResult, type PushRefusal } from './refusal.ts'
import { createRoom, roomOf } from './room.ts'

/** How long a request for a push waits to learn what became of it, in milliseconds. */
const answerWithinMs = 10_000

export interface PushPorts {
  readonly fire: Fire
  sequence: Door['sequence']
  enqueue: Door['enqueue']
  gate(): { readonly revision: number; readonly lockdown?: string }
  /** Whether drafts may leave: half of a secret in one is no secret to a hook yet. */
  previews(): boolean
  channel(name: string): Pick<Channel, 'forms'> | undefined
  readonly files: {
    pathOf(sha256: string): string
    keep(holder: string, bytes: Uint8Array): Promise<string>
    hold(holder: string, hashes: readonly string[]): void
    drop(holder: string): void
  }
  /** An agent's push will not arrive, or may not have, and the owner should know: never with its text. */
  tellLost(push: Push, outcome: Outcome, by: string, why: string, eventId: string): void
  /** A push was refused since so much waits already: in its chat, or in all. */
  tellFull(push: Pick<Push, 'agent_id' | 'channel'>, where: 'chat' | 'all'): void
  /** Takes one off the disk that stands in no lane, and keeps what became of it: asked for again, also after a restart, it says so. Never rejects. */
  ended(id: string, ended?: Ended): Promise<void>
  /** `sent`: what of it left, where that is not all. */
  /** Whether somebody wrote this message to this chat. */
  hasSeen(message: Address & { readonly message_id: string }): Promise<boolean>
  record(push: Push, eventId: string, outcome: Outcome, why: string | undefined, sent?: Content): void
  after(delayMs: number, run: () => void): void
  elapsedMs(): number
  now(): number
}

export const sha256 = (text: string): string => hash('sha256', text)

/** What an agent says: judged first, then queued, sent in order, and its outcome told. */
/** What could not be written down is not sent: killed meanwhile, nobody would know of it. */
const notKept: PushRefusal = {
  refused: 'disk',
  message: 'Expected to keep it until it has left, but hookgate’s store could not be written.',
  fix: 'Its owner has to make room on the disk; then send it again.',
}

export const createPush = (ports: PushPorts) => {
  const recent = createRecent()
  const patience = createDeadlines(answerWithinMs, ports)
  /** What is on its way, as long as this process lives; what waited before that is read from its row. */
  const settling = new Map<
    string,
    { readonly push: PushBody; readonly eventId: string; resolve(reply: PushReply): void }
  >()
  const bodyOfRow = (item: OutboxItem): PushBody | undefined =>
    settling.get(item.id)?.push ?? readPushBody(item)
  const turns = new Map<string, Promise<unknown>>()
  const room = createRoom()
  const known = createKnown((id) => room.has(id))
  const idOf = ({ agent_id, push_id }: Pick<Push, 'agent_id' | 'push_id'>): string => `${agent_id}:${push_id}`
  const targetOf = ({ agent_id, target }: Pick<Push, 'agent_id' | 'target'>): string | undefined =>
    target === undefined ? undefined : idOf({ agent_id, push_id: target })
  const judge = createPushJudge({
    ...ports,
    pathOf: (hash) => ports.files.pathOf(hash),
    recent: (push) => recent.before(chatKey(push), idOf(push)),
    before: (push) => recent.textOf(chatKey(push), targetOf(push) ?? ''),
  })

  const reply = (itemId: string, push: PushBody, eventId: string): Promise<PushReply> => {
    const { promise, resolve } = Promise.withResolvers<PushReply>()
    settling.set(itemId, { push, eventId, resolve })
    patience.start(itemId, () => resolve({ outcome: 'queued', event_id: eventId }))
    return promise
  }

  const keepFiles = async (push: PushBody, { files }: AgentPush): Promise<PushBody> => {
    const hashes = await Promise.all(files.map(({ bytes }) => ports.files.keep(idOf(push), bytes)))
    return { ...push, files: push.files.map((file, at) => ({ ...file, sha256: hashes[at] ?? '' })) }
  }

  const start = async (
    id: string,
    asked: AgentPush,
    unkept: PushBody,
    chain: readonly string[],
  ): Promise<PushResult> => {
    const chat = chatKey(unkept)
    const isHeld = (): boolean => ports.gate().lockdown !== undefined
    const item = {
      id,
      seq: ports.sequence(),
      channel: unkept.channel,
      chat_id: unkept.chat_id,
      kind: 'push',
      state: isHeld() ? 'held' : 'queued',
      revision: ports.gate().revision,
      createdAtMs: ports.now(),
    } as const
    recent.waits(chat, id, readable(unkept))
    // Judged at once, but queued in the order in which the agent spoke.
    const before = turns.get(chat) ?? Promise.resolve()
    const kept = asked.files.length === 0 ? Promise.resolve(unkept) : keepFiles(unkept, asked)
    const judgeInTurn = async (push: PushBody) => {
      const judgement = isHeld() ? undefined : await judge(push, chain)
      await before
      return judgement?.judged.kind === 'withheld'
        ? { judgement, judged: judgement.judged }
        : { judged: judgement?.judged, waiting: reply(id, push, judgement?.eventId ?? '') }
    }
    const queued = kept.then(async (push) => {
      const judging = judgeInTurn(push)
      // On disk while the hooks are asked: killed meanwhile, it is judged anew.
      await ports.enqueue(
        { ...item, body: JSON.stringify(push) },
        judging.then(({ judged }) => judged),
      )
      const became = await judging
      if ('waiting' in became)
        return {
          waiting: became.waiting,
          isHeld: isHeld(),
          asks: became.judged?.kind === 'asks' ? became.judged : undefined,
        }
      const { judgement, judged } = became
      if (judgement.loop === undefined) return withheld(push, judgement, judged.why)
      await ports.ended(id)
      return {
        refused: 'loop' as const,
        message: `Expected a push that no chain of hooks caused, got ${judgement.loop}.`,
        fix: 'Let the hook answer instead of sending.',
      }
    })
    turns.set(
      chat,
      queued.catch(() => undefined),
    )
    const forget = (): void => {
      room.give(id)
      ports.files.drop(id)
      recent.settled(chat, id, undefined)
    }
    const result = await queued.catch(async (error: unknown) => {
      forget()
      await ports.ended(id)
      // Nothing of it was kept, so asked for again it is tried again.
      known.delete(id)
      // An error of hookgate's own is none of the disk.
      if (!(error instanceof Unkept)) throw error
      return notKept
    })
    if (!('waiting' in result)) {
      forget()
      return result
    }
    if (!result.isHeld && result.asks === undefined) return result.waiting
    const reason =
      result.asks === undefined
        ? 'hookgate is in lockdown; it is kept and judged when an owner has mended the gate'
        : `${result.asks.by} wants the owner's word first: ${result.asks.why}`
    const event_id = result.asks?.eventId ?? ''
    ports.record(unkept, event_id, 'held', reason)
    return { outcome: 'held', reason, event_id }
  }

  const withheld = async (
    push: PushBody,
    { by, eventId }: PushJudgement,
    why: string,
  ): Promise<PushReply> => {
    ports.record(push, eventId, 'withheld', `${by}: ${why}`)
    ports.tellLost(push, 'withheld', by, why, eventId)
    await ports.ended(idOf(push), { outcome: 'withheld', reason: why })
    return { outcome: 'withheld', reason: why, event_id: eventId }
  }

  const fileBytesOf = ({ files }: Content): number => files.reduce((sum, { size }) => sum + size, 0)
  const refuseFull = (push: Push, where: keyof typeof roomOf): PushResult => {
    const { pushes, bytes, fileBytes } = roomOf[where]
    ports.tellFull(push, where)
    const message = `Expected at most ${pushes} messages of ${bytes / 1e6} MB and files of ${fileBytes / 1e6} MB to wait to leave${where === 'chat' ? ' to one chat' : ''}, got one more.`
    return {
      refused: where === 'chat' ? 'chat_full' : 'full',
      message,
      fix: 'Wait until some have left, then send it again.',
    }
  }

  /** Whether this agent sent something by that name to this chat, as far as that is known. */
  const isOwn = (push: PushBody): boolean => {
    const key = targetOf(push)
    const target = key === undefined ? undefined : known.get(key)
    return target !== undefined && isSameChat(target.message ?? push, push)
  }

  const bodyOf = (asked: AgentPush): PushBody => {
    const { files, ...rest } = asked
    const names = files.map(({ name }, at) => ({ field: `file.${at}.name`, text: name }))
    return {
      ...rest,
      ...clean({
        ...contentOf(rest),
        parts: [...asked.parts, ...names],
        files: files.map(({ type, bytes }) => ({ sha256: '', size: bytes.length, type })),
      }),
    }
  }

  return {
    /** Refuses only what could never leave; everything else ends in an outcome. A repeated `push_id` is one push. */
    push: (asked: AgentPush, chain: readonly string[] = []): Promise<PushResult> => {
      const key = idOf(asked)
      const before = known.get(key)
      if (before !== undefined) return before.result
      const bounds = boundsFlaw(asked)
      if (bounds !== undefined) return Promise.resolve({ refused: 'form', ...bounds })
      const push = bodyOf(asked)
      const refused = refusalOf(asked, push, ports.channel(push.channel)?.forms, isOwn)
      if (refused !== undefined) return Promise.resolve(refused)
      // Not kept: the agent sends the next one in a moment.
      if (push.type === 'draft' && !ports.previews())
        return Promise.resolve({
          outcome: 'withheld',
          reason: 'drafts are not shown while a hook judges what leaves',
          event_id: '',
        })
      const sizes = [Buffer.byteLength(readable(push)), fileBytesOf(push)] as const
      const lacking = room.lacks(push, ...sizes)
      if (lacking !== undefined) return Promise.resolve(refuseFull(push, lacking))
      room.take(key, push, ...sizes)
      const result = start(key, asked, push, chain)
      known.set(key, result)
      return result
    },

    /** Judges a waiting push under the gate as it is now. */
    judgeAgain: async (item: OutboxItem, consent?: string): Promise<JudgedPush> => {
      const push = bodyOfRow(item)
      if (push === undefined) return { kind: 'withheld', why: 'its outbox row cannot be read' }
      const { judged, by, eventId } = await judge(push, [], (content) => heldKey(item, content) === consent)
      return judged.kind === 'withheld' ? { ...judged, by, eventId } : judged
    },

    /**
     * The message that a push is about, once that has left. A person's is named as the messenger names it. It is
     * never a notice of ours: a sign under that could pass for somebody's answer.
     */
    messageOf: async (item: OutboxItem, { type, target }: Content): Promise<string | undefined> => {
      const push = bodyOfRow(item)
      if (push === undefined || target === undefined) return undefined
      const own = known.get(idOf({ ...push, push_id: target }))?.message
      if (own !== undefined) return isSameChat(own, item) ? own.message_id : undefined
      if (type !== 'reaction') return undefined
      const { channel, chat_id } = item
      return (await ports.hasSeen({ channel, chat_id, message_id: target })) ? target : undefined
    },

    /** A push that waited when the gate last stopped: asked for again, it is still the same one. */
    takeUp: (item: OutboxItem): void => {
      const push = readPushBody(item)
      room.take(item.id, item, Buffer.byteLength(item.body), push === undefined ? 0 : fileBytesOf(push))
      ports.files.hold(item.id, push?.files.map((file) => file.sha256) ?? [])
      recent.waits(chatKey(item), item.id, push === undefined ? '' : readable(push))
      known.set(item.id, Promise.resolve({ outcome: 'queued', event_id: '' }))
    },

    /** What became of a push before the gate last stopped: asked for again, it is still the same one. */
    recall: ({ id, message, ...reply }: Ended & { readonly id: string }): void => {
      known.set(id, Promise.resolve({ ...reply, event_id: '' }))
      if (message !== undefined) known.note(id, message)
    },

    /** The door is done with a push. `sent`: what left, or may have. */
    settled: (
      item: OutboxItem,
      { outcome, why, by, eventId, byOwner, message, chat_id }: Settled,
      sent: Content | undefined,
    ): (() => void) => {
      const push = bodyOfRow(item)
      const waiting = settling.get(item.id)
      settling.delete(item.id)
      patience.end(item.id)
      room.give(item.id)
      ports.files.drop(item.id)
      // At once: an edit may be next in line.
      if (message !== undefined) known.note(item.id, message)
      const reply: PushReply = {
        outcome,
        event_id: eventId ?? waiting?.eventId ?? '',
        ...(why === undefined ? {} : { reason: why }),
        ...(chat_id === undefined ? {} : { chat_id }),
      }
      if (push !== undefined) {
        ports.record(push, reply.event_id, outcome, why, sent)
        if (outcome !== 'delivered' && byOwner !== true)
          ports.tellLost(
            push,
            outcome,
            by ?? (outcome === 'withheld' ? 'a hook' : push.channel),
            why ?? outcome,
            reply.event_id,
          )
      }
      recent.settled(
        chatKey(item),
        item.id,
        sent !== undefined && (outcome === 'delivered' || outcome === 'unknown') ? readable(sent) : undefined,
      )
      return () => {
        waiting?.resolve(reply)
        // Asked for once more, it says what became of it.
        known.set(item.id, Promise.resolve(reply))
      }
    },
  }
}
