import type { RunFailure } from '../../../core/model/hooks/run-result.ts'
import type { EventName } from '../../../core/model/events/event.ts'
import { isObject, type Json, type JsonObject } from '../../../core/model/base/json.ts'
import type { Payload } from '../../../core/model/events/payload.ts'
import { chainsOf, crossings, toldBefore } from './secrets/across.ts'
import { findHalves } from './secrets/halves.ts'
import type { Scan, Scanner, ScanOptions } from './scanner.ts'
import { joinSpans, replaceSpans, type Span } from './span.ts'

type RedactResult = { readonly answer: JsonObject } | { readonly failure: RunFailure }

const failed = (kind: RunFailure['kind'], detail: string): RedactResult & Scan => ({
  failure: { kind, detail },
})
const answered = (decision: 'ask' | 'block', reason: string): RedactResult => ({
  answer: { decision, reason },
})

/** The fields of each event that are scanned: those that a rewrite can change. */
export const redactedFields = {
  pre_tool_call: ['tool_input'],
  pre_llm_call: ['messages'],
  transform_tool_result: ['tool_result'],
  on_outbound_message: ['notification', 'parts'],
  on_user_message: ['message'],
} as const satisfies Partial<Record<EventName, readonly string[]>>

/**
 * The events where personal data is taken out: where a person or a model reads the words. The input of a tool
 * is left out, because a letter without its address or a file without its numbers would be a broken one.
 */
export const personalEvents = (Object.keys(redactedFields) as EventName[]).filter(
  (event) => event !== 'pre_tool_call',
)

const isRedacted = (event: EventName): event is keyof typeof redactedFields =>
  Object.hasOwn(redactedFields, event)

interface Collected {
  readonly texts: string[]
  /** The name of the field of each text. It can say what the text is, as `phone` does. */
  readonly labels: string[]
  readonly keys: string[]
}

/** Collects every text in a value, depth first, separately for values and keys. */
const collect = (value: Json, label: string, into: Collected): void => {
  if (typeof value === 'string') {
    into.texts.push(value)
    into.labels.push(label)
  } else if (Array.isArray(value)) for (const item of value) collect(item, label, into)
  else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) {
      into.keys.push(key)
      const { field } = value
      collect(inner, key === 'text' && typeof field === 'string' ? field : key, into)
    }
  }
}

/** More of a label is not read. It stands in front of each text of a list. */
const maxLabelUnits = 40

/** Scans for personal data with the label in front of each text. */
const scanLabelled = async (
  { texts, labels, keys }: Collected,
  scanner: Pick<Scanner, 'scan'>,
  options: ScanOptions,
): Promise<Scan> => {
  const heads = [...labels.map((label) => `${label.slice(-maxLabelUnits)}: `), ...keys.map(() => '')]
  const scan = await scanner.scan(
    [...texts, ...keys].map((text, index) => `${heads[index]}${text}`),
    options,
  )
  if ('failure' in scan) return scan
  const back = (span: Span, by: number): Span => ({ ...span, start: span.start - by, end: span.end - by })
  return {
    spans: scan.spans.map((spans, index) =>
      spans.map((span) => back(span, heads[index]?.length ?? 0)).filter(({ start }) => start >= 0),
    ),
  }
}

/** Copies the value with its texts replaced, in the order in which `collect` found them. */
const rebuild = (value: Json, next: () => string): Json => {
  if (typeof value === 'string') return next()
  if (Array.isArray(value)) return value.map((item) => rebuild(item, next))
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rebuild(inner, next)]))
    : value
}

const changed = (field: string, before: Json, after: Json): Json => {
  if (field !== 'tool_input' || !isObject(before) || !isObject(after)) return after
  return Object.fromEntries(
    Object.entries(after).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key])),
  )
}

const secretsNote = (spans: readonly Span[], beganBefore: boolean): string => {
  const kinds = [...new Set(spans.map(({ kind }) => kind))].join(', ')
  return `redact_secrets removed ${spans.length} ${spans.length === 1 ? 'secret' : 'secrets'} (${kinds}).${beganBefore ? ' The first part of one was already sent in an earlier message. Change that secret.' : ''}`
}

/** How many of each kind, such as `2 email addresses, 1 phone number`. */
const counted = (spans: readonly Span[]): string =>
  [...new Set(spans.map(({ kind }) => kind))]
    .map((kind) => [kind, spans.filter((span) => span.kind === kind).length] as const)
    .map(([kind, number]) => `${number} ${kind}${number === 1 ? '' : kind.endsWith('s') ? 'es' : 's'}`)
    .join(', ')

const personalNote = (spans: readonly Span[]): string => `redact_pii removed ${counted(spans)}.`

/**
 * Answers for the texts with a rewrite that has `[redacted: <kind>]` in place of each secret, or with the
 * failure.
 */
const redactTexts = async (
  payload: Payload,
  scanner: Pick<Scanner, 'scan'>,
  options: ScanOptions,
): Promise<RedactResult> => {
  const isPersonal = options.subject === 'personal'
  if (!isRedacted(payload.event)) return failed('refused', `There is nothing to rewrite at ${payload.event}.`)
  const fields = redactedFields[payload.event].flatMap((field) =>
    payload[field] === undefined ? [] : [{ field, value: payload[field] }],
  )
  const collected: Collected = { texts: [], labels: [], keys: [] }
  for (const { field, value } of fields) collect(value, field, collected)
  const { texts, keys } = collected
  const chains = isPersonal ? [] : chainsOf(payload, texts)
  const scan = isPersonal
    ? await scanLabelled(collected, scanner, options)
    : await scanner.scan([...texts, ...keys, ...chains.map(({ content }) => content)], options)
  if ('failure' in scan) return scan
  const inChains = texts.length + keys.length
  if (scan.spans.slice(texts.length, inChains).some((spans) => spans.length > 0))
    return failed(
      'rewrite',
      `The name of a field holds ${isPersonal ? 'personal data' : 'a secret'}, and names cannot be rewritten. Nothing was redacted.`,
    )
  const crossing = [
    ...chains.flatMap((chain, index) => crossings(chain, scan.spans[inChains + index] ?? [])),
    ...(payload.event === 'on_outbound_message' && !isPersonal ? findHalves(texts, toldBefore(payload)) : []),
  ]
  const spans = texts.map((_, index) =>
    joinSpans([
      ...(scan.spans[index] ?? []),
      ...crossing.filter(({ text }) => text === index).map(({ span }) => span),
    ]),
  )
  const all = spans.flat()
  if (all.length === 0) return { answer: {} }
  let at = 0
  const next = (): string => {
    const index = at++
    return replaceSpans(texts[index] ?? '', spans[index] ?? [])
  }
  const rewritten = fields.flatMap(({ field, value }): readonly (readonly [string, Json])[] => {
    const after = rebuild(value, next)
    return JSON.stringify(value) === JSON.stringify(after) ? [] : [[field, changed(field, value, after)]]
  })
  // Each model call contains the whole conversation, so the same secret would be reported each time.
  const note = (isPersonal ? personalNote : secretsNote)(
    all,
    crossing.some(({ beganBefore }) => beganBefore),
  )
  const told: JsonObject = payload.event === 'pre_llm_call' ? {} : { systemMessage: note }
  return { answer: { ...Object.fromEntries(rewritten), ...told } }
}

/**
 * Answers for the files. A file cannot be rewritten, so a secret in one blocks the message. A file that
 * cannot be judged is a fault. A person decides about a file of a kind that is never opened.
 */
const judgeFiles = async (
  { event, files }: Payload,
  scanner: Pick<Scanner, 'judge'>,
  options: ScanOptions,
): Promise<RedactResult> => {
  if (event !== 'on_outbound_message' || !Array.isArray(files) || files.length === 0) return { answer: {} }
  const read = files.filter(
    (file): file is JsonObject & { name: string; path: string } =>
      isObject(file) && typeof file['name'] === 'string' && typeof file['path'] === 'string',
  )
  if (read.length < files.length)
    return failed('limit', 'A file of the message has no name or no path, so it was not judged.')
  const judgement = await scanner.judge(
    read.map(({ name, path }) => ({ name, path })),
    options,
  )
  if ('failure' in judgement) return judgement
  if (judgement.kind === 'clean') return { answer: {} }
  const { words } = judgement
  if (judgement.kind === 'found')
    return answered(
      'block',
      `${words}\nredact_secrets cannot rewrite a file. Remove the secrets and send it again.`,
    )
  return judgement.mayAsk
    ? answered('ask', `${words}\nredact_secrets cannot tell whether it holds a secret.`)
    : failed(judgement.isLate ? 'timeout' : 'limit', `${words}\nredact_secrets could not judge it.`)
}

/** Answers the whole event in the native form. Personal data is not looked for in files. */
export const redact = async (
  payload: Payload,
  scanner: Pick<Scanner, 'scan' | 'judge'>,
  options: ScanOptions,
): Promise<RedactResult> => {
  if (options.subject === 'personal') return redactTexts(payload, scanner, options)
  const [texts, files] = await Promise.all([
    redactTexts(payload, scanner, options),
    judgeFiles(payload, scanner, options),
  ])
  if ('answer' in files) {
    if (files.answer['decision'] === 'block') return files
    return 'failure' in texts ? texts : { answer: { ...texts.answer, ...files.answer } }
  }
  if ('failure' in texts || Object.keys(texts.answer).length === 0) return files
  // A fault alone would lose the rewrite, and the text could leave with its secret.
  return answered(
    'block',
    `${files.failure.detail}\nThe text holds a secret too. Send the text in a message of its own.`,
  )
}
