import { isObject, type Json } from '../model/json.ts'
import { noticeOf, type Notice, type Said } from '../model/notice.ts'
import type { Span } from '../model/prose.ts'
import type { NoticeForm } from '../model/push.ts'
import type { Ended, OutboxItem } from '../model/record.ts'

/** An outbox row's body, or null: a row that cannot be read must not stop the others. */
export const parsed = (text: string): Json => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** What is kept of how something ended: of a push alone, since only a push is asked for twice. */
export const endedAs = ({ kind }: OutboxItem, { outcome, why }: { readonly outcome: Ended['outcome']; readonly why?: string }): Ended | undefined =>
  kind === 'push' ? { outcome, ...(why === undefined ? {} : { reason: why }) } : undefined

/** A notice as an outbox row keeps it: without its buttons, which are dead after a restart. */
export const noticeBody = (said: Said): string => {
  const { text, replaces, isAnchor } = noticeOf(said)
  return JSON.stringify(replaces === undefined && isAnchor === undefined ? text : { text, replaces, isAnchor })
}

const readSpans = (spans: Json | undefined): readonly Span[] => {
  if (!Array.isArray(spans)) return []
  return spans.flatMap((span: Json): readonly Span[] => {
    if (!isObject(span)) return []
    if (typeof span['fixed'] === 'string') return [{ fixed: span['fixed'] }]
    return typeof span['quoted'] === 'string' ? [{ quoted: span['quoted'] }] : []
  })
}

export const readNotice = (body: string): Notice => {
  const kept = parsed(body)
  if (!isObject(kept)) return { text: readSpans(kept) }
  return {
    text: readSpans(kept['text']),
    ...(typeof kept['replaces'] === 'string' ? { replaces: kept['replaces'] } : {}),
    ...(kept['isAnchor'] === true ? { isAnchor: true } : {}),
  }
}

/** What of a notice's form one of its pieces bears: its buttons stand under the last, and one that is cut takes no other's place. */
export const formOf = ({ buttons, replaces, isAnchor }: NoticeForm, isLast: boolean, isWhole: boolean): NoticeForm => ({
  ...(buttons === undefined || !isLast ? {} : { buttons }),
  ...(replaces === undefined || !isWhole ? {} : { replaces }),
  ...(isAnchor === undefined || !isWhole ? {} : { isAnchor }),
})
