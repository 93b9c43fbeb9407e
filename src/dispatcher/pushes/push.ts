import { readable } from '../../model/chat/content.ts'
import type { Channel } from '../../model/chat/channel.ts'
import { chatKey, type AgentPush, type Push, type PushReply, type PushResult } from '../../model/chat/push.ts'
import type { OutboxItem } from '../../model/events/record.ts'
import type { Answers } from './answers.ts'
import { boundsFlaw } from '../text/content.ts'
import { fileBytesOf, takenIn, withFiles } from './intake.ts'
import type { PushJudge } from './judge.ts'
import type { Known } from './known.ts'
import type { Lost } from './lost.ts'
import { itemIdOf } from '../outbox/outbox-body.ts'
import type { Outcomes } from './outcomes.ts'
import { Unkept } from '../outbox/outbox.ts'
import type { Door } from '../door/ports.ts'
import type { Recent } from './recent.ts'
import { fullRefusal, notKept, refusalOf } from './refusal.ts'
import type { Room } from './room.ts'
import type { Targets } from './targets.ts'

export interface PushPorts {
  readonly door: Pick<Door, 'sequence' | 'enqueue'>
  readonly judge: PushJudge['judge']
  readonly known: Known
  readonly recent: Recent
  readonly room: Room
  readonly targets: Pick<Targets, 'isOwn'>
  readonly answers: Answers
  readonly outcomes: Outcomes
  readonly lost: Pick<Lost, 'tellFull'>
  gate(): { readonly revision: number; readonly lockdown?: string }
  /** Whether drafts may leave: half of a secret in one is no secret to a hook yet. */
  previews(): boolean
  channel(name: string): Pick<Channel, 'forms'> | undefined
  readonly files: {
    keep(holder: string, bytes: Uint8Array): Promise<string>
  }
  now(): number
}

/** What became of a push that was judged: it has its end, or it stands in its lane and whoever asked gets this answer. */
type Queued =
  | { readonly kind: 'ended'; readonly result: PushResult }
  | { readonly kind: 'waits'; readonly answer: PushReply | Promise<PushReply> }

/** Not kept: the agent sends the next one in a moment. */
const draftReply: PushReply = {
  outcome: 'withheld',
  reason: 'drafts are not shown while a hook judges what leaves',
  event_id: '',
}

/** What an agent says: judged first, then queued, sent in order, and its outcome told. */
export const createPush = (ports: PushPorts) => {
  const { door, known, recent, room, files, answers, outcomes } = ports
  /** For each chat, when what was said there before stands in its lane, or never will. */
  const turns = new Map<string, Promise<unknown>>()
  const isHeld = (): boolean => ports.gate().lockdown !== undefined

  /** Judged at once, but queued in the order in which the agent spoke. */
  const queue = async (
    place: Omit<OutboxItem, 'body'>,
    taken: Push | Promise<Push>,
    chain: readonly string[],
    before: Promise<unknown> | undefined,
  ): Promise<Queued> => {
    const push = await taken
    const judgeInTurn = async () => {
      const judged = isHeld() ? undefined : await ports.judge(push, chain)
      await before
      if (judged?.kind === 'withheld') return { judged }
      return { judged, answer: answers.wait(place.id, judged?.eventId ?? '') }
    }
    const judging = judgeInTurn()
    // On disk while the hooks are asked: killed meanwhile, it is judged anew.
    await door.enqueue(
      { ...place, body: JSON.stringify(push) },
      judging.then(({ judged }) => judged),
    )
    const { judged, answer } = await judging
    if (answer === undefined) return { kind: 'ended', result: await outcomes.withheld(push, judged) }
    const asks = judged?.kind === 'asks' ? judged : undefined
    return { kind: 'waits', answer: isHeld() || asks !== undefined ? outcomes.held(push, asks) : answer }
  }

  const start = async (asked: AgentPush, push: Push, chain: readonly string[]): Promise<PushResult> => {
    const id = itemIdOf(push)
    const chat = chatKey(push)
    const place = {
      id,
      seq: door.sequence(),
      channel: push.channel,
      chat_id: push.chat_id,
      kind: 'push',
      state: isHeld() ? 'held' : 'queued',
      revision: ports.gate().revision,
      createdAtMs: ports.now(),
    } as const
    recent.waits(chat, id, readable(push))
    const taken = asked.files.length === 0 ? push : withFiles(push, asked, (bytes) => files.keep(id, bytes))
    const queued = queue(place, taken, chain, turns.get(chat))
    turns.set(
      chat,
      queued.catch(() => undefined),
    )
    try {
      const became = await queued
      return await (became.kind === 'waits' ? became.answer : became.result)
    } catch (error) {
      await outcomes.unkept(push)
      // An error of hookgate's own is none of the disk.
      if (!(error instanceof Unkept)) throw error
      return notKept
    }
  }

  /** Refuses only what could never leave; everything else ends in an outcome. A repeated `push_id` is one push. */
  return (asked: AgentPush, chain: readonly string[] = []): Promise<PushResult> => {
    const id = itemIdOf(asked)
    const before = known.get(id)
    if (before !== undefined) return before.result
    const bounds = boundsFlaw(asked)
    if (bounds !== undefined) return Promise.resolve({ refused: 'form', ...bounds })
    const push = takenIn(asked)
    const refused = refusalOf(asked, push, ports.channel(push.channel)?.forms, ports.targets.isOwn)
    if (refused !== undefined) return Promise.resolve(refused)
    if (push.type === 'draft' && !ports.previews()) return Promise.resolve(draftReply)
    const sizes = [Buffer.byteLength(readable(push)), fileBytesOf(push)] as const
    const lacking = room.lacks(push, ...sizes)
    if (lacking !== undefined) {
      ports.lost.tellFull(push, lacking)
      return Promise.resolve(fullRefusal(lacking))
    }
    room.take(id, push, ...sizes)
    const result = start(asked, push, chain)
    known.set(id, result)
    return result
  }
}
