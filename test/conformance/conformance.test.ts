import { conditionOf } from '../../src/handlers/condition/condition.ts'
import { describe, expect, test } from 'vitest'
import {
  hearsRefusals,
  isSideBySide,
  decodeFor,
  eventIn,
  nativeEvent,
  stdinFor,
  viewFor,
} from '../../src/dialects/dialects.ts'
import { clientFor, CLIENTS } from '../../src/dialects/clients.ts'
import { createObservedHooks as createHooks } from '../../src/handlers/observers/observed-hooks.ts'
import { failedRun } from '../../src/handlers/host/protocol.ts'
import { planMatches } from '../../src/core/hooks/match/matcher.ts'
import { type Answer, faultAnswer } from '../../src/core/model/hooks/answer.ts'
import type { Ruled } from '../../src/shared/gate/client.ts'
import type { NativeEvent } from '../../src/shared/hooks/dialect.ts'
import type { ArmedHook, Entry } from '../../src/core/model/hooks/entry.ts'
import { isEventName, type EventName } from '../../src/core/model/events/event.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import type { Payload } from '../../src/core/model/events/payload.ts'
import { armed, eventOf } from '../handlers/armed.ts'
import { readCases, type Case } from './cases.ts'
import { proposedBy } from './written.ts'

type Of<K extends Case['kind']> = Extract<Case, { kind: K }>

/**
 * `*` stands for any text that is not empty; the words of a synthetic reason are not part of the protocol.
 */
const wild = (expected: unknown): unknown => {
  if (expected === '*') return expect.stringMatching(/[^]/)
  if (Array.isArray(expected)) return expected.map(wild)
  return expected
}

const spoken = (
  dialect: Of<'answer'>['dialect'],
  event: string,
): { readonly event: EventName; readonly dialect?: NonNullable<Entry['dialect']> } => {
  const found = dialect === 'native' ? undefined : eventIn(dialect, event)
  if (dialect !== 'native' && found !== undefined)
    return { event: found.event, dialect: { name: dialect, event: found.native } }
  if (dialect !== 'native' || !isEventName(event))
    throw new Error(`${dialect} has no event ${event} that maps to ours`)
  return { event }
}

/** What stands in that system's own file, else what the case says in our form. */
const entryOf = (
  dialect: Of<'answer'>['dialect'],
  event: string,
  { matcher, written }: Pick<Of<'matcher'>, 'matcher' | 'written'>,
): Partial<Entry> => {
  if (written === undefined || dialect === 'native')
    return { ...spoken(dialect, event), ...(matcher === undefined ? {} : { matcher: defined(matcher) }) }
  const proposed = proposedBy(dialect, event, written)
  if (proposed.kind !== 'entry') throw new Error(proposed.problem.message)
  return proposed.entry
}

const hookOf = (
  dialect: Of<'answer'>['dialect'],
  event: string,
  said: Pick<Of<'matcher'>, 'matcher' | 'written'> = {},
): ArmedHook => armed('hook', entryOf(dialect, event, said))

/** The base fields of a payload may be given too. */
const given = (event: EventName, payload: JsonObject): Payload => ({
  ...eventOf(event, payload),
  ...payload,
  event,
})

const shown = ({ kind, reason, rewrite, context, notes, stopsTurn, fault }: Answer): unknown => ({
  kind,
  reason,
  rewrite,
  context,
  notes,
  stops_turn: stopsTurn,
  fault: fault?.kind,
})

const run: { readonly [K in Case['kind']]: (one: Of<K>) => void | Promise<void> } = {
  answer: ({ dialect, event, payload = {}, exit_code, stdout, stderr, is_truncated, answer }) => {
    const hook = hookOf(dialect, event)
    const decoded = decodeFor(hook, eventOf(hook.entry.event, payload), {
      exitCode: exit_code,
      stdout,
      stderr,
      isTruncated: is_truncated,
    })
    expect(shown(decoded)).toEqual({
      kind: answer.kind,
      reason: wild(answer.reason),
      rewrite: answer.rewrite,
      context: wild(answer.context),
      notes: wild(answer.notes ?? []),
      stops_turn: answer.stops_turn,
      fault: answer.fault,
    })
  },
  verdict: async ({ event, payload = {}, deadline_ms, hooks, verdict: expected }) => {
    let now = 0
    const asked = new Map<string, number>()
    const live = hooks
      .map(({ name, dialect, native_event, matcher, written, on_error, priority, timeout }) =>
        armed(name, {
          ...entryOf(dialect, native_event ?? event, { matcher, written }),
          name,
          priority,
          ...(on_error === undefined ? {} : { onError: on_error }),
          ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
        }),
      )
      .toSorted((a, b) => b.entry.priority - a.entry.priority)
    const plane = createHooks({
      armed: () => live,
      revision: () => 1,
      view: viewFor,
      isSideBySide,
      hearsRefusals,
      retire: () => undefined,
      recordShadows: () => undefined,
      now: () => now,
      elapsedMs: () => now,
      log: () => undefined,
      run: ({ fingerprint }, _payload, { timeoutMs }) => {
        const count = asked.get(fingerprint) ?? 0
        asked.set(fingerprint, count + 1)
        const { says = [] } = hooks.find(({ name }) => name === fingerprint) ?? {}
        const said = says[Math.min(count, says.length - 1)]
        if (said === undefined || said.takes === 'too long') {
          now += timeoutMs
          return Promise.resolve(failedRun('timeout', 'it took too long'))
        }
        return Promise.resolve({
          exitCode: said.exit_code,
          stdout: said.stdout,
          stderr: said.stderr,
          isTruncated: false,
          durationMs: 0,
        })
      },
      decode: (hook, current, result) =>
        result.failure === undefined
          ? decodeFor(hook, current, result)
          : faultAnswer(result.failure.kind, result.failure.detail),
    })
    const given = eventOf(event, payload)
    const verdict = await plane.judge(given, deadline_ms === undefined ? {} : { deadlineMs: deadline_ms })
    const { is_consent, stops_turn, asked: askedTimes, payload: after, ...rest } = expected
    expect(verdict).toMatchObject(
      Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, wild(value)])),
    )
    expect(verdict.stopsTurn).toBe(stops_turn)
    if (is_consent !== undefined) expect(verdict.isConsent).toBe(is_consent)
    // What a case does not name must be as it was: no rewrite slips by unseen.
    expect(verdict.payload).toEqual({ ...given, ...after })
    if (askedTimes !== undefined) expect(Object.fromEntries(asked)).toEqual(askedTimes)
    await plane.stop()
  },
  stdin: async ({ dialect, event, payload, stdin, absent = [] }) => {
    const hook = hookOf(dialect, event)
    const read = JSON.parse(await stdinFor(hook, given(hook.entry.event, payload))) as JsonObject
    expect(read).toMatchObject(stdin)
    expect(absent.filter((key) => key in read)).toEqual([])
  },
  matcher: async ({ dialect, event, payload, matcher, written, matches }) => {
    const hook = hookOf(dialect, event, { matcher, written })
    const hits = await planMatches([hook], {
      searchSlowly: () => Promise.resolve(true),
      view: viewFor,
      conditionOf,
    }).match(eventOf(hook.entry.event, payload))
    expect(hits.has(0)).toBe(matches)
  },
  proposal: ({ dialect, event, written = {}, proposes }) => {
    const proposed = proposedBy(dialect, event, written)
    if (proposes === 'nothing') return expect(proposed.kind).toBe('invalid')
    if (proposed.kind !== 'entry') throw new Error(proposed.problem.message)
    const {
      event: ours,
      onError: on_error,
      timeoutMs: timeout_ms,
      isAsync: is_async,
      priority,
    } = proposed.entry
    expect({ event: ours, on_error, timeout_ms, is_async, priority }).toMatchObject(proposes)
  },
  report: ({ dialect, event, stdin, reads }) => {
    const native = nativeEvent(dialect, event)
    if (native === undefined) return expect(reads).toBe('nothing')
    const report = CLIENTS[clientFor(dialect)].read(native, stdin)
    if (reads === 'nothing') expect(report).toHaveProperty('wrong')
    else expect(report).toMatchObject(reads)
  },
  reply: ({ dialect, event, payload = {}, verdict, prints }) => {
    const native = nativeEvent(dialect, event)
    if (native?.event === undefined) throw new Error(`${dialect} has no event ${event} that maps to ours`)
    const { is_consent, stops_turn, reason, payload: after = {}, ...rest } = verdict
    const asked = eventOf(native.event, payload)
    // Some systems must not be told of a rewrite that is none, and are shown what was asked as well.
    const write: (native: NativeEvent, ruled: Ruled, asked: JsonObject) => JsonObject | undefined =
      CLIENTS[clientFor(dialect)].write
    const printed = write(
      native,
      {
        ...rest,
        isConsent: is_consent,
        payload: { ...asked, ...after },
        ...(reason === undefined ? {} : { reason }),
        ...(stops_turn === undefined ? {} : { stopsTurn: stops_turn }),
      },
      asked,
    )
    expect(printed ?? null).toEqual(prints)
  },
}

const defined = <T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }

const files = readCases()

describe.each(files)('$file', ({ cases }) => {
  test.each(
    cases.map((one) => [`${one.name}${one.ours === undefined ? '' : ` (ours: ${one.ours})`}`, one] as const),
  )('%s', async (_, one) => {
    await (run[one.kind] as (given: Case) => void | Promise<void>)(one)
  })
})

test('the kit has at least 250 cases, each with a name of its own', () => {
  const names = files.flatMap(({ file, cases }) => cases.map(({ name }) => `${file}: ${name}`))
  expect(names.length).toBeGreaterThanOrEqual(250)
  expect(new Set(names).size).toBe(names.length)
})
