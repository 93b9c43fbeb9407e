import { withFault, type Answer } from '../../core/model/hooks/answer.ts'
import type { HandlerOutput } from '../../core/model/hooks/dialect.ts'
import { contractOf, type EventName } from '../../core/model/events/event.ts'
import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'
import { brokenAnswer, objectsIn } from './lines.ts'
import { head, isNonNull, jsonOf, maxReasonChars, text } from './output.ts'
import { goOnEvents, kindOf, plain } from './answer-fields.ts'

/**
 * hookgate accepts a refusal in the words of any hook system, and beside other text. Each system's decoder
 * reads its own words; this file finds the refusals that the decoder does not understand.
 */

/**
 * The plain spelling of the words: those of a decision, those of its reasons in order of preference, and
 * other words that belong to a decision.
 */
const decides: readonly string[] = ['decision', 'permissiondecision', 'behavior', 'permission', 'action']
const reasons: readonly string[] = [
  'permissiondecisionreason',
  'reason',
  'message',
  'agentmessage',
  'usermessage',
  'stopreason',
]
/** In these fields `false` is a refusal. */
const consents: readonly string[] = ['ok', 'allow', 'allowed', 'approved']
const vocabulary: readonly string[] = [
  ...decides,
  ...reasons,
  ...consents,
  'continue',
  'impossible',
  'interrupt',
  'hookeventname',
]
/** Objects under these names hold further words. A decision may be a word, or an object that holds one. */
const holds: readonly string[] = ['hookspecificoutput', 'decision']

interface RefusalWord {
  readonly name: string
  /** The path before it, with its dot. */
  readonly where: string
  readonly path: string
  readonly value: Json
}

const wordsOf = (json: JsonObject, where = ''): readonly RefusalWord[] =>
  Object.entries(json).flatMap(([key, value]): readonly RefusalWord[] => {
    const name = plain(key)
    if (isObject(value) && holds.includes(name) && where.split('.').length <= holds.length)
      return wordsOf(value, `${where}${key.slice(0, 60)}.`)
    return vocabulary.includes(name) && isNonNull(value)
      ? [{ name, where, path: `${where}${key.slice(0, 60)}`, value }]
      : []
  })

/** Returns the object without these words. The hook's own system then reads the rest. */
const withoutWords = (json: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(json).flatMap(([key, value]): readonly (readonly [string, Json])[] => {
      const name = plain(key)
      if (isObject(value) && holds.includes(name)) {
        const left = withoutWords(value)
        return Object.keys(left).length === 0 ? [] : [[key, left]]
      }
      return vocabulary.includes(name) ? [] : [[key, value]]
    }),
  )

interface FoundRefusal {
  readonly kind: 'block' | 'ask'
  readonly reason: string | undefined
  readonly isEnd: boolean
  /** The path of the word. */
  readonly path: string
  readonly json: JsonObject
}

/** Returns the refusal or question in one object, in the words of any system. */
const refusalOf = (event: EventName, json: JsonObject): FoundRefusal | undefined => {
  const words = wordsOf(json)
  const findWord = (name: string, value: Json): RefusalWord | undefined =>
    words.find((word) => word.name === name && word.value === value)
  const spelled = (value: Json): Json => (typeof value === 'string' ? value.trim().toLowerCase() : value)
  const decided = (kind: Answer['kind']): RefusalWord | undefined =>
    words.find(({ name, value }) => decides.includes(name) && kindOf(spelled(value)) === kind)
  const stop = findWord('continue', false)
  const isGoOn = goOnEvents.includes(event)
  // At these events `continue: false` lets the agent stop, whatever else the object says.
  if (isGoOn && stop !== undefined) return undefined
  const isGivenUp = isGoOn && findWord('impossible', true) !== undefined
  const no = isGivenUp
    ? undefined
    : words.find(({ name, value }) => consents.includes(name) && value === false)
  const refused = decided('block') ?? stop ?? no
  const word = refused ?? (contractOf(event).gate.includes('ask') ? decided('ask') : undefined)
  if (word === undefined) return undefined
  const reasonWords = reasons.flatMap((name) => words.filter((one) => one.name === name))
  return {
    kind: refused === undefined ? 'ask' : 'block',
    // If two parts disagree, the reason comes from the part that counts.
    reason: [...reasonWords.filter(({ where }) => where === word.where), ...reasonWords]
      .map(({ value }) => text(value, maxReasonChars))
      .find(isNonNull),
    isEnd:
      refused !== undefined && !isGoOn && (stop !== undefined || findWord('interrupt', true) !== undefined),
    path: word.path,
    json,
  }
}

/** One event, and how the hook's own system decodes answers to it. */
interface GateDecoder {
  readonly event: EventName
  /** The name of the system, for people. */
  readonly system: string
  decode(output: HandlerOutput): Answer
}

/** The reasons of decoders for answers that give none. */
const unsaid: Partial<Readonly<Record<Answer['kind'], string>>> = {
  block: 'blocked by hook',
  ask: 'the hook asks the person',
}

const weight: Readonly<Record<Answer['kind'], number>> = { block: 2, ask: 1, allow: 0, abstain: 0, fault: 0 }

/**
 * Decodes an answer as the hook's own system does. A refusal or question that this system does not understand
 * counts too, and a note says so. A broken answer that it does not understand is a fault, because it may hold
 * a refusal.
 */
export const decodeWithRefusals = ({ event, system, decode }: GateDecoder, output: HandlerOutput): Answer => {
  const whole = jsonOf(output)
  const own = decode({ ...output, json: whole })
  const { stdout, isTruncated } = output
  const isUnsaid = own.reason === unsaid[own.kind]
  if ((own.kind === 'block' && !isUnsaid) || isTruncated || !contractOf(event).gate.includes('block'))
    return own
  const { objects, unread, isBroken } =
    whole === undefined ? objectsIn(stdout) : { objects: [whole], unread: 0, isBroken: false }
  const refusals = objects.flatMap((json) => refusalOf(event, json) ?? [])
  const refusal = refusals.findLast(({ kind }) => kind === 'block') ?? refusals.at(-1)
  if (isUnsaid && refusal?.reason !== undefined && refusal.kind === own.kind)
    return { ...own, reason: refusal.reason }
  if (own.kind === 'block') return own
  const beyond = `It printed ${unread} more objects that could be answers, which were not read; an answer is one JSON object.`
  if (refusal === undefined || weight[refusal.kind] <= weight[own.kind]) {
    const isLost =
      whole === undefined &&
      own.kind === 'abstain' &&
      own.context === undefined &&
      own.notes.length === 0 &&
      objects.some((json) => wordsOf(json).length > 0)
    // A refusal may be among the objects that were not read.
    if (unread > 0) return withFault(own, { kind: 'limit', detail: beyond })
    const isUnheard = own.fault?.kind === 'output' || (own.kind === 'abstain' && own.context === undefined)
    if (isBroken && isUnheard) return withFault(own, brokenAnswer(stdout))
    const lost = `Beside other text only a refusal or a question counts, so its answer was dropped (${head(stdout.trim())}).`
    return isLost ? { ...own, notes: [lost] } : own
  }

  const { kind, reason, isEnd, path, json } = refusal
  const rest = decode({
    exitCode: 0,
    stdout: JSON.stringify(withoutWords(json)),
    stderr: '',
    isTruncated: false,
  })
  const word = kind === 'block' ? 'refusal' : 'question'
  const note =
    whole === undefined
      ? `Its ${word} ("${path}") stood beside other text (${head(stdout.trim())}), which is no answer and was dropped.`
      : `Its ${word} ("${path}") is not in the words of ${system}; here it counts all the same.`
  return {
    kind,
    reason: reason ?? unsaid[kind] ?? '',
    notes: [
      ...(whole === undefined ? own.notes : []),
      ...rest.notes,
      note,
      ...(unread === 0 ? [] : [beyond]),
    ],
    ...(isEnd ? { stopsTurn: true } : {}),
    ...(kind === 'ask' && own.fault !== undefined ? { fault: own.fault } : {}),
  }
}
