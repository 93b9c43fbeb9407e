import { partNamed, type Content, type TextField } from '../../model/chat/content.ts'
import type { EventName } from '../../model/events/event.ts'
import { isObject, type Json, type JsonObject } from '../../model/base/json.ts'
import { chatKey, type Push } from '../../model/chat/push.ts'
import { clean } from '../text/clean.ts'
import { carryMarks, flawOf, isSameContent } from '../text/content.ts'
import type { MessengerLinks } from '../text/messenger-links.ts'
import type { Fire } from '../fire.ts'
import type { JudgedPush } from '../judged.ts'
import { targetIdOf, type OutgoingItem } from '../outbox/outbox-body.ts'
import type { Recent, RecentText } from './recent.ts'

/** A revision that no gate has. An item with it is judged again before it leaves. */
const neverCurrent = -1
const maxRounds = 3
const event = 'on_outbound_message'

export interface PushJudgePorts {
  readonly fire: Fire
  gate(): { readonly revision: number; readonly lockdown?: string }
  /** True while somebody may be asked about an event. */
  isHeard(event: EventName): boolean
  /** The path at which hooks find a file's bytes. */
  pathOf(sha256: string): string
  readonly recent: Recent
  readonly links: MessengerLinks
}

const readParts = (parts: Json | undefined): readonly TextField[] =>
  (Array.isArray(parts) ? parts : []).flatMap((part: Json) =>
    isObject(part) && typeof part['field'] === 'string' && typeof part['text'] === 'string'
      ? [{ field: part['field'], text: part['text'] }]
      : [],
  )

/** Asks the hooks about a push as it would leave. They are asked again when a rewrite has to be cleaned. */
export const createPushJudge = (ports: PushJudgePorts) => {
  /** The current text of the message that an edit changes, if it was sent recently. */
  const beforeOf = (push: Push): JsonObject => {
    const target = push.type === 'edit' ? targetIdOf(push) : undefined
    const before = target === undefined ? undefined : ports.recent.textOf(chatKey(push), target)
    return before === undefined ? {} : { before }
  }

  const fieldsOf = (
    push: Push,
    recent: RecentText | undefined,
    { type, text, parts, files }: Content,
  ): JsonObject => ({
    ...beforeOf(push),
    notification: text,
    parts: parts.map(({ field, text }) => ({ field, text })),
    type,
    channel: push.channel,
    chat_id: push.chat_id,
    files: files.map((file, at) => ({
      name: partNamed(parts, `file.${at}.name`) ?? '',
      path: ports.pathOf(file.sha256),
      size: file.size,
      type: file.type,
    })),
    recent: recent !== undefined && ports.isHeard(event) ? ports.recent.before(recent) : [],
  })

  const judge = async (
    push: Push,
    recent: RecentText | undefined,
    chain: readonly string[],
    content: Content = push,
    rounds = 0,
  ): Promise<JudgedPush> => {
    // If the gate changes until the hooks are asked, the verdict does not count: the fields may lack what a
    // new hook has to see.
    const { revision } = ports.gate()
    const fired = await ports.fire({
      agentId: push.agent_id,
      event,
      sessionId: push.session_id,
      cwd: push.cwd,
      chain,
      address: { channel: push.channel, chat_id: push.chat_id },
      fields: fieldsOf(push, recent, content),
    })
    if (fired.kind === 'loop')
      return { kind: 'withheld', why: fired.why, by: 'hookgate', eventId: '', isLoop: true }
    const { verdict, payload, reason, by, fingerprint } = fired.verdict
    const eventId = payload.event_id
    const source = { eventId, by: by ?? 'hookgate', hook: fingerprint }
    const withheld = (why: string): JudgedPush => ({ kind: 'withheld', why, ...source })
    // A block by a lockdown that began meanwhile is no verdict about this text. The push waits, and is judged
    // after the lockdown.
    if (verdict === 'block' && ports.gate().lockdown !== undefined)
      return { kind: 'leaves', content, revision: neverCurrent, eventId }
    if (verdict === 'block') return withheld(reason ?? 'blocked by hook')
    const text = typeof payload['notification'] === 'string' ? payload['notification'] : ''
    const settled: Content = {
      ...content,
      text,
      parts: readParts(payload['parts']),
      marks: carryMarks(content.text, text, content.marks),
    }
    // What the agent sent was checked when it came.
    if (content !== push || !isSameContent(settled, content)) {
      const cleaned = clean(settled, ports.links)
      if (!isSameContent(cleaned, settled))
        return rounds < maxRounds
          ? judge(push, recent, chain, cleaned, rounds + 1)
          : withheld('a hook keeps adding characters that no message may contain')
      if (settled.text.trim() === '' && content.text.trim() !== '' && settled.files.length === 0)
        return withheld('a hook removed all of its text')
      const flaw = flawOf(settled, ports.links)
      if (flaw !== undefined)
        return withheld(`a hook rewrote it into a form that cannot be sent: ${flaw.message}`)
    }
    return verdict === 'ask'
      ? { kind: 'asks', content: settled, revision, why: reason ?? 'it asks for your decision', ...source }
      : { kind: 'leaves', content: settled, revision, eventId }
  }

  /** Judges a push that waits. `chain`: the events whose hooks caused it. */
  return async ({ push, recent }: OutgoingItem, chain: readonly string[] = []): Promise<JudgedPush> =>
    push === undefined
      ? { kind: 'withheld', why: 'its outbox row cannot be read' }
      : judge(push, recent, chain)
}

export type PushJudge = ReturnType<typeof createPushJudge>
