import { FOREIGN_DIALECTS, type ForeignDialect } from '../core/model/hooks/dialect.ts'
import { EVENT_NAMES, type EventName, fieldsOf } from '../core/model/events/event.ts'
import { isObject, type JsonObject } from '../core/model/base/json.ts'
import { nearest } from '../shared/base/nearest.ts'
import type { Payload } from '../core/model/events/payload.ts'
import { baseFields, syntheticPayload } from '../shared/events/synthetic.ts'
import { got, type Problem } from '../core/model/gate/problem.ts'
import { clientFor, readEvent } from './clients.ts'
import { vsCodePrefix } from './copilot/names.ts'
import { DIALECTS, eventIn, nativeEvent } from './dialects.ts'

/** The event that `hookgate test` is asked about. */
export interface Trial {
  readonly event: EventName
  readonly dialect?: { readonly name: ForeignDialect; readonly event: string }
}

type OrProblem<T> = T | { readonly problem: Problem }

const problem = (code: string, message: string, fix: string): { readonly problem: Problem } => ({
  problem: { code: `test.${code}`, message, fix },
})

/** Returns the systems that have an event with this name, each with our event. */
const systemsOf = (
  name: string,
): readonly { readonly dialect: ForeignDialect; readonly event: EventName }[] =>
  FOREIGN_DIALECTS.flatMap((dialect) => {
    const event = nativeEvent(dialect, name)?.event
    return event === undefined ? [] : [{ dialect, event }]
  })

/** Finds an event by our name, or by the name of the given system. */
export const readTrial = (typed: string, dialect: ForeignDialect | undefined): OrProblem<Trial> => {
  const known: readonly string[] =
    dialect === undefined ? EVENT_NAMES : DIALECTS[dialect].events.map(({ name }) => name)
  if (dialect === undefined) {
    const event = EVENT_NAMES.find((name) => name === typed)
    if (event !== undefined) return { event }
  } else {
    const spoken = eventIn(dialect, typed)
    if (spoken !== undefined) return { event: spoken.event, dialect: { name: dialect, event: spoken.native } }
  }
  const note = dialect === undefined ? undefined : nativeEvent(dialect, typed)?.note
  const message = `Expected the name of an event${dialect === undefined ? '' : ` that ${dialect} has`}, got "${typed}".`
  const fail = (fix: string): { readonly problem: Problem } => problem('event', message, fix)
  if (note !== undefined) return fail(`hookgate has no such event: ${note}.`)
  const meant = nearest(typed, known)
  const didYouMean = `Did you mean "${meant}"?`
  if (dialect !== undefined && meant !== undefined) return fail(didYouMean)
  const [first, ...others] = systemsOf(typed)
  if (first === undefined) return fail(meant === undefined ? `They are ${known.join(', ')}.` : didYouMean)
  const systems = [first, ...others].map((one) => one.dialect).join(' or ')
  return fail(`Did you mean "${first.event}"? The other name belongs to --dialect ${systems}.`)
}

/** Returns what a system's hook receives for the sample of an event. */
const sampleOf = (dialect: ForeignDialect, name: string, sample: Payload): JsonObject => {
  const native = nativeEvent(dialect, name)
  return native === undefined ? {} : DIALECTS[dialect].encode(native, sample)
}

/** Returns the other systems that have all these keys. */
const speakersOf = (keys: readonly string[], event: EventName, sample: Payload): readonly ForeignDialect[] =>
  FOREIGN_DIALECTS.filter((dialect) =>
    DIALECTS[dialect].events.some((native) => {
      const theirs = native.event === event ? sampleOf(dialect, native.name, sample) : {}
      return keys.every((key) => Object.hasOwn(theirs, key))
    }),
  )

const keyProblem = (
  stray: string,
  system: string,
  event: string,
  known: readonly string[],
  fix: string,
): { readonly problem: Problem } =>
  problem(
    'payload',
    `Expected the payload to have keys of ${system}'s ${event} (${known.join(', ')}), got ${got(stray)}.`,
    fix,
  )

/**
 * Puts the given fields over a sample, by our own keys. A key that hooks never get is an error, because the
 * sample's value would be used instead.
 */
const nativePayload = (
  event: EventName,
  given: JsonObject,
  sample: Payload,
): OrProblem<{ readonly payload: Payload }> => {
  const known = [...Object.keys(fieldsOf(event)), ...baseFields]
  const stray = Object.keys(given).find((key) => !known.includes(key))
  if (stray === undefined) return { payload: { ...sample, ...given, event } }
  const speakers = speakersOf(Object.keys(given), event, sample)
  const meant = nearest(stray, known)
  const fix =
    speakers.length > 0
      ? `These are the keys of ${speakers.join(' and ')}: say --dialect ${speakers[0]}.`
      : meant === undefined
        ? 'Remove it.'
        : `Did you mean "${meant}"?`
  return keyProblem(stray, 'hookgate', event, known, fix)
}

/**
 * Returns the part of a sample that many events of its system share: the session and the folder, not what
 * happened.
 */
const commonOf = (dialect: ForeignDialect, sampled: JsonObject): JsonObject => {
  const events = DIALECTS[dialect].events.filter(({ event }) => event !== undefined)
  const all = events.map(({ name, event }) =>
    event === undefined ? {} : sampleOf(dialect, name, syntheticPayload(event, '/', new Date(0))),
  )
  const isCommon = (key: string): boolean =>
    all.filter((keys) => Object.hasOwn(keys, key)).length * 3 > all.length
  return Object.fromEntries(Object.entries(sampled).filter(([key]) => isCommon(key)))
}

/**
 * Puts the given fields over a sample in another system's keys. The result is read as that system's report,
 * and written again as hooks get it here. A key that is missing after that is one that hookgate never sends.
 */
const foreignPayload = (
  { event, dialect }: Required<Trial>,
  given: JsonObject,
  sample: Payload,
): OrProblem<{ readonly payload: Payload }> => {
  const sampled = sampleOf(dialect.name, dialect.event, sample)
  // An event of a VS Code file is read as the event of its plain name.
  const named = dialect.event.startsWith(vsCodePrefix)
    ? dialect.event.slice(vsCodePrefix.length)
    : dialect.event
  const read = (filled: JsonObject): ReturnType<typeof readEvent> =>
    readEvent(clientFor(dialect.name), named, JSON.stringify({ ...filled, ...given }))
  // A system can have two keys for one thing. The sample's key must not be used instead of the given one.
  const alone = Object.keys(given).length === 0 ? undefined : read(commonOf(dialect.name, sampled))
  const heard = alone?.kind === 'report' ? alone : read(sampled)
  if (heard.kind !== 'report') {
    const why =
      'why' in heard ? heard.why : `Expected a payload of ${dialect.name}'s ${dialect.event}, got another.`
    return problem('payload', why, `Write it as ${dialect.name} would send it.`)
  }
  const { session_id, cwd, agent_id, fields } = heard.report
  const payload: Payload = {
    ...sample,
    ...fields,
    event,
    session_id,
    ...(cwd === '' ? {} : { cwd }),
    ...(agent_id === undefined ? {} : { agent_id }),
  }
  const known = Object.keys(sampleOf(dialect.name, dialect.event, payload))
  const stray = Object.keys(given).find((key) => !known.includes(key) && !Object.hasOwn(sampled, key))
  if (stray === undefined) return { payload }
  const isOurs = Object.hasOwn(fieldsOf(event), stray)
  const meant = nearest(stray, known)
  const fix = isOurs
    ? "This key is hookgate's own: leave --dialect out, or write the payload in that system's words."
    : meant === undefined
      ? 'Remove it: a hook does not get it here.'
      : `Did you mean "${meant}"?`
  return keyProblem(stray, dialect.name, dialect.event, known, fix)
}

/** Returns a sample at which the system fires its event, where that is about some of our tools only. */
const sampleFor = (sample: Payload, { dialect }: Trial): Payload => {
  const { where = {} } = (dialect === undefined ? undefined : nativeEvent(dialect.name, dialect.event)) ?? {}
  const values = Object.entries(where).flatMap(([field, [value]]) =>
    value === undefined || where[field]?.includes(sample[field] ?? null) === true ? [] : [[field, value]],
  )
  const fields = Object.fromEntries(values) as JsonObject
  const isOther = fields['tool_name'] !== undefined
  return {
    ...sample,
    ...fields,
    ...(isOther ? { tool_input: { path: 'notes.md', content: 'hello' } } : {}),
  }
}

/** Returns the payload that the hook is asked about: the given fields over a sample of the event. */
export const trialPayload = (
  trial: Trial,
  given: JsonObject,
  cwd: string,
  now: Date,
): OrProblem<{ readonly payload: Payload }> => {
  const { event, dialect } = trial
  const sample = sampleFor(syntheticPayload(event, cwd, now), trial)
  if (!isObject(given))
    return problem('payload', `Expected a payload to be one JSON object, got ${got(given)}.`, 'Correct it.')
  return dialect === undefined
    ? nativePayload(event, given, sample)
    : foreignPayload({ event, dialect }, given, sample)
}
