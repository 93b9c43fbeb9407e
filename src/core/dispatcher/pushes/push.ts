import { readable } from '../../model/chat/content.ts'
import type { Channel } from '../../model/chat/channel.ts'
import { chatKey, type AgentPush, type Push, type PushReply, type PushResult } from '../../model/chat/push.ts'
import type { Answers } from './answers.ts'
import { clean } from '../text/clean.ts'
import { boundsFlaw } from '../text/content.ts'
import type { MessengerLinks } from '../text/messenger-links.ts'
import type { PushJudge } from './judge.ts'
import type { Known } from './known.ts'
import { itemIdOf, type OutgoingItem } from '../outbox/outbox-body.ts'
import type { Outcomes } from './outcomes.ts'
import { NotStoredError } from '../outbox/outbox.ts'
import type { Door } from '../door/door.ts'
import type { Recent } from './recent.ts'
import { fullRefusal, diskRefusal, refusalOf } from './refusal.ts'
import { spaceOf, type Room, type roomOf } from './room.ts'
import type { Targets } from './targets.ts'

export interface PushPorts {
  readonly door: Pick<Door, 'sequence' | 'enqueue'>
  readonly judge: PushJudge
  readonly known: Known
  readonly recent: Recent
  readonly room: Room
  readonly targets: Pick<Targets, 'isOwn'>
  readonly links: MessengerLinks
  readonly answers: Answers
  readonly outcomes: Outcomes
  gate(): { readonly revision: number; readonly lockdown?: string }
  /** True when drafts may leave. Hooks cannot recognize half of a secret in a draft. */
  previews(): boolean
  channel(name: string): Pick<Channel, 'forms'> | undefined
  readonly files: {
    keep(holder: string, bytes: Uint8Array): Promise<string>
  }
  /** Tells the owners of a refusal because too many pushes wait in its chat, or in all chats. */
  tellFull(push: Push, where: keyof typeof roomOf): void
  now(): number
}

/** This reply is not stored, since the agent soon sends the next draft. */
const draftReply: PushReply = {
  outcome: 'withheld',
  reason: 'drafts are not sent while a hook judges outgoing messages',
  event_id: '',
}

/** A request for a push that was accepted. `cleaned`: what is judged, with files that have no hash yet. */
interface Started {
  readonly id: string
  /** The key of its chat. */
  readonly chat: string
  readonly asked: AgentPush
  readonly cleaned: Push
  /** The events whose hooks caused it. */
  readonly chain: readonly string[]
}

/** The push that is judged: cleaned, with the names of its files among its parts. They have no hash yet. */
const cleanedPush = (asked: AgentPush, links: MessengerLinks): Push =>
  clean(
    {
      ...asked,
      parts: [
        ...asked.parts,
        ...asked.files.map(({ name }, at) => ({ field: `file.${at}.name`, text: name })),
      ],
      files: asked.files.map(({ type, bytes }) => ({ sha256: '', size: bytes.length, type })),
    },
    links,
  )

/** Handles a request for a push: it is judged, queued and sent in order, and its outcome is reported. */
export const createPush = (ports: PushPorts) => {
  const { door, known, recent, room, answers, outcomes } = ports
  /** For each chat: resolves when the previous push is in its queue, or never will be. */
  const turns = new Map<string, Promise<void>>()
  const isHeld = (): boolean => ports.gate().lockdown !== undefined

  /** The verdict, when the previous push of the chat is in its queue, and the answer to the request. */
  const judgeInTurn = async (
    item: OutgoingItem,
    chain: readonly string[],
    before: Promise<void> | undefined,
  ) => {
    const judged = isHeld() ? undefined : await ports.judge(item, chain)
    await before
    if (judged?.kind === 'withheld') return { judged }
    return { judged, answer: answers.wait(item.id, judged?.eventId ?? '') }
  }

  /** Pushes are judged at once, but enter their queue in the order in which the agent sent them. */
  const start = async ({ id, chat, asked, cleaned, chain }: Started): Promise<PushResult> => {
    const row = {
      id,
      seq: door.sequence(),
      channel: cleaned.channel,
      chat_id: cleaned.chat_id,
      kind: 'push',
      state: 'queued',
      revision: ports.gate().revision,
      createdAtMs: ports.now(),
      recent: recent.waits(chat, id, readable(cleaned)),
    } as const
    const before = turns.get(chat)
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>()
    turns.set(chat, entered)
    try {
      const kept = asked.files.map(async ({ type, bytes }) => ({
        sha256: await ports.files.keep(id, bytes),
        size: bytes.length,
        type,
      }))
      const push = kept.length === 0 ? cleaned : { ...cleaned, files: await Promise.all(kept) }
      const item = { ...row, body: JSON.stringify(push), push }
      const judging = judgeInTurn(item, chain, before)
      // The push is written to disk while the hooks are asked. After a crash it is judged again.
      const { isStored } = await door.enqueue(item, judging)
      enter()
      const { judged, answer } = await judging
      if (!(await isStored)) throw new NotStoredError('a push could not be stored')
      if (answer === undefined) return await outcomes.withheld(item, push, judged)
      const asks = judged?.kind === 'asks' ? judged : undefined
      return isHeld() || asks !== undefined ? outcomes.held(push, asks) : await answer
    } catch (error) {
      enter()
      await outcomes.unkept(row)
      // An error inside hookgate is not a disk error.
      if (!(error instanceof NotStoredError)) throw error
      return diskRefusal
    }
  }

  /**
   * Refuses only a push that could never leave. Every other push ends with an outcome. A repeated `push_id`
   * is the same push.
   */
  return (asked: AgentPush, chain: readonly string[] = []): Promise<PushResult> => {
    const id = itemIdOf(asked)
    const before = known.get(id)
    if (before !== undefined) return before.result
    const bounds = boundsFlaw(asked)
    if (bounds !== undefined) return Promise.resolve({ refused: 'form', ...bounds })
    const push = cleanedPush(asked, ports.links)
    const refused = refusalOf(
      asked,
      push,
      ports.channel(push.channel)?.forms,
      ports.targets.isOwn,
      ports.links,
    )
    if (refused !== undefined) return Promise.resolve(refused)
    if (push.type === 'draft' && !ports.previews()) return Promise.resolve(draftReply)
    const chat = chatKey(push)
    const space = spaceOf(push, Buffer.byteLength(readable(push)))
    const fullWhere = room.lacks(chat, space)
    if (fullWhere !== undefined) {
      ports.tellFull(push, fullWhere)
      return Promise.resolve(fullRefusal(fullWhere))
    }
    room.take(id, chat, space)
    const result = start({ id, chat, asked, cleaned: push, chain })
    known.set(id, result)
    return result
  }
}
