import { isPushType, MARK_TYPES, type KeptFile, type Mark, type TextField } from '../../model/chat/content.ts'
import { isObject, parseJson, type Json, type JsonObject } from '../../model/base/json.ts'
import { noticeOf, type Notice, type NoticeFile, type NoticeText } from '../../model/chat/notice.ts'
import { inEnglish, type PlainSpan } from '../../model/chat/prose.ts'
import type { NoticeForm, Push } from '../../model/chat/push.ts'
import type { Ended, OutboxItem } from '../../model/events/record.ts'
import type { ItemOutcome } from '../judged.ts'
import type { RecentText } from '../pushes/recent.ts'
import { clean } from '../text/clean.ts'
import { flawOf } from '../text/content.ts'
import type { MessengerLinks } from '../text/messenger-links.ts'

/**
 * An item that waits to leave. `push`: what the body of a push says. Absent: the body cannot be read.
 * `recent`: its text among those of its chat.
 */
export type OutgoingItem = OutboxItem & { readonly push?: Push; readonly recent?: RecentText }

/**
 * The id of a push among the pushes of all agents. It names the outbox row and everything else that is stored
 * for the push.
 */
export const itemIdOf = ({ agent_id, push_id }: Pick<Push, 'agent_id' | 'push_id'>): string =>
  `${agent_id}:${push_id}`

/** The same id for the target of a push, if that is an earlier push of its agent. */
export const targetIdOf = ({ agent_id, target }: Pick<Push, 'agent_id' | 'target'>): string | undefined =>
  target === undefined ? undefined : itemIdOf({ agent_id, push_id: target })

/** What is stored of an item's end. Only pushes have it, since only a push can be requested twice. */
export const storedEnd = (
  { kind }: OutboxItem,
  { outcome, why, message, chat_id }: ItemOutcome,
): Ended | undefined => (kind === 'push' ? { outcome, reason: why, message, chat_id } : undefined)

const objects = (list: Json | undefined): readonly JsonObject[] =>
  (Array.isArray(list) ? list : []).filter((item: Json) => isObject(item))
const isMarkType = (name: Json | undefined): name is Mark['type'] => MARK_TYPES.some((type) => type === name)
const readMark = ({ type, offset, length, field }: JsonObject): readonly Mark[] =>
  isMarkType(type) && typeof offset === 'number' && typeof length === 'number'
    ? [{ type, offset, length, field: typeof field === 'string' ? field : undefined }]
    : []
const readPart = ({ field, text }: JsonObject): readonly TextField[] =>
  typeof field === 'string' && typeof text === 'string' ? [{ field, text }] : []
const readFile = ({ sha256, size, type }: JsonObject): readonly KeptFile[] =>
  typeof sha256 === 'string' &&
  /^[0-9a-f]{64}$/.test(sha256) &&
  typeof size === 'number' &&
  typeof type === 'string'
    ? [{ sha256, size, type }]
    : []

/**
 * Reads a push that an earlier run of the gate accepted from its outbox row, and cleans it by the rules of
 * today. Undefined when it cannot be read, or can leave no more.
 */
export const readPushBody = (item: OutboxItem, links: MessengerLinks): Push | undefined => {
  const body = parseJson(item.body)
  if (!isObject(body) || typeof body['text'] !== 'string') return undefined
  const field = (name: string): string => (typeof body[name] === 'string' ? body[name] : '')
  const push: Push = clean(
    {
      push_id: field('push_id'),
      agent_id: field('agent_id'),
      session_id: field('session_id'),
      cwd: field('cwd'),
      channel: item.channel,
      chat_id: item.chat_id,
      type: isPushType(body['type']) ? body['type'] : 'text',
      text: body['text'],
      marks: objects(body['marks']).flatMap(readMark),
      parts: objects(body['parts']).flatMap(readPart),
      files: objects(body['files']).flatMap(readFile),
      target: typeof body['target'] === 'string' ? body['target'] : undefined,
    },
    links,
  )
  return flawOf(push, links) === undefined ? push : undefined
}

/** The body of a notice's outbox row. It has no buttons, since they do not work after a restart. */
export const noticeBody = (notice: NoticeText): string => {
  const { text: prose, file, replaces, isAnchor, isPinned } = noticeOf(notice)
  const text = inEnglish(prose)
  const isOnlyText = file === undefined && replaces === undefined && isAnchor === undefined
  return JSON.stringify(isOnlyText ? text : { text, file, replaces, isAnchor, isPinned })
}

const readSpans = (spans: Json | undefined): readonly PlainSpan[] => {
  if (!Array.isArray(spans)) return []
  return spans.flatMap((span: Json): readonly PlainSpan[] => {
    if (!isObject(span)) return []
    const { fixed, handle } = span
    const isPart = span['isPart'] === true || undefined
    if (typeof fixed === 'string')
      return [{ fixed, handle: typeof handle === 'string' ? handle : undefined, isPart }]
    if (typeof span['quoted'] !== 'string') return []
    return [
      {
        quoted: span['quoted'],
        isWhole: span['isWhole'] === true || undefined,
        isShown: span['isShown'] === true || undefined,
        hook: typeof span['hook'] === 'string' ? span['hook'] : undefined,
      },
    ]
  })
}

const readNoticeFile = (file: Json | undefined): NoticeFile | undefined => {
  if (!isObject(file)) return undefined
  const { name, text, handle } = file
  const isFile = typeof name === 'string' && typeof text === 'string' && typeof handle === 'string'
  return isFile ? { name, text, handle } : undefined
}

export const readNotice = (body: string): Notice => {
  const stored = parseJson(body)
  if (!isObject(stored)) return { text: readSpans(stored) }
  return {
    text: readSpans(stored['text']),
    file: readNoticeFile(stored['file']),
    replaces: typeof stored['replaces'] === 'string' ? stored['replaces'] : undefined,
    isAnchor: stored['isAnchor'] === true ? true : undefined,
    isPinned: typeof stored['isPinned'] === 'boolean' ? stored['isPinned'] : undefined,
  }
}

/**
 * The form of one piece of a notice. Buttons and a reply belong to the last piece. Only a notice of one piece
 * replaces another or is pinned.
 */
export const formOf = (
  { buttons, replaces, isAnchor, isPinned, asksReply }: NoticeForm,
  isLast: boolean,
  isWhole: boolean,
): NoticeForm => ({
  ...(buttons === undefined || !isLast ? {} : { buttons }),
  ...(asksReply === undefined || !isLast ? {} : { asksReply }),
  ...(replaces === undefined || !isWhole ? {} : { replaces }),
  ...(isAnchor === undefined || !isWhole ? {} : { isAnchor }),
  ...(isPinned === undefined || !isWhole ? {} : { isPinned }),
})
