import { partNamed, type Content, type TextField } from '../model/content.ts'
import { isObject, type Json, type JsonObject } from '../model/json.ts'
import { clean } from './clean.ts'
import { carryMarks, flawOf, isSameContent } from './content.ts'
import type { JudgedPush } from './judged.ts'
import type { Fire } from './fire.ts'
import { contentOf, type PushBody } from './outbox-body.ts'

/** A revision that no gate has: what bears it is judged again before it leaves. */
const neverCurrent = -1
const maxRounds = 3

export interface PushJudgePorts {
  readonly fire: Fire
  gate(): { readonly lockdown?: string }
  /** Where hooks find a file's bytes. */
  pathOf(sha256: string): string
  /** What the chat was told before. */
  recent(push: PushBody): readonly string[]
  /** What stands now where an edit will stand, if it was said not long ago. */
  before(push: PushBody): string | undefined
}

export interface PushJudgement {
  readonly judged: JudgedPush
  readonly eventId: string
  readonly by: string
  /** The chain of hooks that caused it is too long. */
  readonly loop?: string
}

const readParts = (parts: Json | undefined): readonly TextField[] =>
  (Array.isArray(parts) ? parts : []).flatMap((part: Json) =>
    isObject(part) && typeof part['field'] === 'string' && typeof part['text'] === 'string'
      ? [{ field: part['field'], text: part['text'] }]
      : [],
  )

/** Asks the hooks about what an agent says as it would leave, and again if a rewrite holds what must never leave. */
export const createPushJudge = (ports: PushJudgePorts) => {
  const beforeOf = (push: PushBody): JsonObject => {
    const before = push.type === 'edit' ? ports.before(push) : undefined
    return before === undefined ? {} : { before }
  }

  const fieldsOf = (push: PushBody, { type, text, parts, files }: Content): JsonObject => ({
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
    recent: ports.recent(push),
  })

  const judge = async (
    push: PushBody,
    chain: readonly string[],
    hasConsent: (content: Content) => boolean,
    content = contentOf(push),
    rounds = 0,
  ): Promise<PushJudgement> => {
    const fired = await ports.fire({
      agentId: push.agent_id,
      event: 'on_outbound_message',
      sessionId: push.session_id,
      cwd: push.cwd,
      chain,
      address: { channel: push.channel, chat_id: push.chat_id },
      fields: fieldsOf(push, content),
    })
    if (fired.kind === 'loop')
      return {
        judged: { kind: 'withheld', why: fired.why, by: 'hookgate' },
        eventId: '',
        by: 'hookgate',
        loop: fired.why,
      }
    const { verdict, payload, reason, by, revision } = fired.verdict
    const said = { eventId: payload.event_id, by: by ?? 'hookgate' }
    const withheld = (why: string): PushJudgement => ({ ...said, judged: { kind: 'withheld', why } })
    // A lockdown that began meanwhile is nobody's word about this text: it is held, and judged when the gate is mended.
    if (verdict === 'block' && ports.gate().lockdown !== undefined)
      return { ...said, judged: { kind: 'leaves', content, revision: neverCurrent } }
    if (verdict === 'block') return withheld(reason ?? 'blocked by hook')
    const text = typeof payload['notification'] === 'string' ? payload['notification'] : ''
    const settled: Content = {
      ...content,
      text,
      parts: readParts(payload['parts']),
      marks: carryMarks(content.text, text, content.marks),
    }
    const cleaned = clean(settled)
    if (!isSameContent(cleaned, settled))
      return rounds < maxRounds
        ? judge(push, chain, hasConsent, cleaned, rounds + 1)
        : withheld('a hook keeps writing into it what no message may hold')
    if (settled.text.trim() === '' && content.text.trim() !== '' && settled.files.length === 0)
      return withheld('a hook left nothing of it')
    const flaw = flawOf(settled)
    if (flaw !== undefined) return withheld(`a hook left it in a form that cannot leave: ${flaw.message}`)
    const isAsked = verdict === 'ask' && !hasConsent(settled)
    return {
      ...said,
      judged: isAsked
        ? { kind: 'asks', content: settled, revision, why: reason ?? 'it wants your word', ...said }
        : { kind: 'leaves', content: settled, revision },
    }
  }

  /** `hasConsent`: whether an owner said yes to exactly this, should a hook ask for that. */
  return (
    push: PushBody,
    chain: readonly string[],
    hasConsent: (content: Content) => boolean = () => false,
  ): Promise<PushJudgement> => judge(push, chain, hasConsent)
}
