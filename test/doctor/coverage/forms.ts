import { readFile } from 'node:fs/promises'
import { FORMS, type PushForm, type PushType } from '../../../src/core/model/chat/content.ts'
import { isObject, type Json } from '../../../src/core/model/base/json.ts'
import type { Payload } from '../../../src/core/model/events/payload.ts'
import type { Verdict } from '../../../src/core/model/hooks/verdict.ts'
import { holds, newWord } from './canary.ts'
import { otherValue, sampleOf, type Sample } from './sample.ts'
import type { Stage } from './stage.ts'
import { verdictOn } from '../../verdict.ts'

/**
 * What came of one form: it held, it could not be tried, or something would have left that was not judged so.
 */
export type FormEnd = { readonly kind: 'held' } | { readonly kind: 'untried' | 'leaks'; readonly why: string }

const partsOf = (payload: Payload): readonly { readonly field: string; readonly text: string }[] =>
  (Array.isArray(payload['parts']) ? payload['parts'] : []).flatMap((part: Json) =>
    isObject(part) && typeof part['field'] === 'string' && typeof part['text'] === 'string'
      ? [{ field: part['field'], text: part['text'] }]
      : [],
  )

const textOf = ({ notification }: Payload): string => (typeof notification === 'string' ? notification : '')

/** Everything that a hook could read: the texts, and the files by their paths. */
const readAll = async (payload: Payload): Promise<ReadonlyMap<string, string>> => {
  const files = (Array.isArray(payload['files']) ? payload['files'] : []).flatMap((file: Json) =>
    isObject(file) && typeof file['path'] === 'string' ? [file['path']] : [],
  )
  const bytes = await Promise.all(files.map((path) => readFile(path, 'latin1').catch(() => '')))
  return new Map([
    ['text', textOf(payload)],
    ...partsOf(payload).map(({ field, text }) => [field, text] as const),
    ...bytes.map((text, at) => [`file.${at}`, text] as const),
  ])
}

interface FormResult {
  readonly outcome: string
  readonly wire: string
  /** Each text that the judge was shown, by its field. */
  readonly seen: ReadonlyMap<string, string>
  /** What had left before the judge answered. */
  readonly early: string
}

/** Says a sample while a judge looks on that answers as `answer` has it. */
const say = async (
  stage: Stage,
  chat_id: string,
  sample: Sample,
  answer: (payload: Payload) => Verdict,
): Promise<FormResult> => {
  const form: PushForm = FORMS[sample.type]
  const target = form.target === undefined ? undefined : newWord()
  if (target !== undefined) await stage.say(chat_id, 'Hello.', target)
  await stage.rehearsal.taken()
  const seen = new Map<string, string>()
  let early = ''
  stage.judge.ask = async (payload) => {
    for (const [field, text] of await readAll(payload)) seen.set(field, text)
    early += await stage.rehearsal.taken()
    return answer(payload)
  }
  const outcome = await stage.push(chat_id, { ...sample, ...(target === undefined ? {} : { target }) })
  return { outcome, wire: await stage.rehearsal.taken(), seen, early }
}

const rewritten = (payload: Payload, others: Map<string, string>): Payload => {
  const other = (field: string, text: string): string => {
    const value = others.get(field) ?? otherValue(field, text)
    others.set(field, value)
    return value
  }
  const text = textOf(payload)
  return {
    ...payload,
    notification: text === '' ? '' : other('text', text),
    parts: partsOf(payload).map(({ field, text }) => ({ field, text: other(field, text) })),
  }
}

const triedIn = async (stage: Stage, chat_id: string, type: PushType): Promise<FormEnd> => {
  const leaks = (why: string): FormEnd => ({ kind: 'leaks', why })
  const sample = sampleOf(type)
  const allowed = await say(stage, chat_id, sample, (payload) => verdictOn(payload))
  if (allowed.early !== '') return leaks('it left before it was judged')
  const left = [...sample.canaries].filter(([, canary]) => holds(allowed.wire, canary))
  if (allowed.seen.size + left.length === 0) return { kind: 'untried', why: allowed.outcome }
  const unjudged = [...sample.canaries].find(([field, canary]) => allowed.seen.get(field) !== canary)
  if (unjudged !== undefined) return leaks(`${unjudged[0]} was not judged`)
  if (allowed.outcome !== 'delivered') return { kind: 'untried', why: allowed.outcome }
  if (left.length === 0) return { kind: 'untried', why: 'nothing of it came to the transport' }

  const blockable = sampleOf(type)
  const blocked = await say(stage, chat_id, blockable, (payload) => verdictOn(payload, 'block'))
  if (blocked.early + blocked.wire !== '') return leaks('it left although it was blocked')

  const changeable = sampleOf(type)
  const others = new Map<string, string>()
  const changed = await say(stage, chat_id, changeable, (payload) => verdictOn(rewritten(payload, others)))
  const kept = [...changeable.canaries].find(
    ([field, canary]) => others.has(field) && holds(changed.wire, canary),
  )
  if (kept !== undefined) return leaks(`${kept[0]} left as it was before a hook rewrote it`)
  const lost = left.find(([field]) => others.has(field) && !holds(changed.wire, others.get(field) ?? ''))
  return lost === undefined ? { kind: 'held' } : leaks(`${lost[0]} left other than it was judged`)
}

/** One form in the first of the bot's conversations that has it. */
export const tryForm = async (stage: Stage, type: PushType): Promise<FormEnd> => {
  let end: FormEnd = { kind: 'untried', why: 'there is no chat for it' }
  for (const chat of stage.rehearsal.chats) {
    end = await triedIn(stage, chat, type)
    if (end.kind !== 'untried') return end
  }
  return end
}
