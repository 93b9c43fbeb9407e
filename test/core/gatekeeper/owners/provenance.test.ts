import { expect, test } from 'vitest'
import type { Origin } from '../../../../src/core/model/chat/channel.ts'
import { proseText } from '../../../../src/core/model/chat/prose.ts'
import { admits, type CommandKind } from '../../../../src/core/gatekeeper/owners/provenance.ts'
import { aMessage, startMs } from '../gate-fixture.ts'

const minuteMs = 60_000
const gate = { isOwner: (id: string) => id === 'telegram:7', now: startMs }
const codeOf = (message: ReturnType<typeof aMessage>, kind: CommandKind): string => {
  const answer = admits(message, kind, gate)
  return answer.ok ? 'ok' : answer.code
}

/** What an owner is told about a refusal. */
const wordsOf = (answer: ReturnType<typeof admits>): string =>
  answer.ok || answer.words === undefined ? '' : proseText(answer.words)

/** Every origin but the plain one: a new one is a type error here until it is listed. */
const origins = Object.keys({
  edited: 1,
  forwarded: 1,
  quoted: 1,
  captioned: 1,
  via_bot: 1,
  sender_chat: 1,
  automatic: 1,
  offline: 1,
  business: 1,
  channel_post: 1,
  from_bot: 1,
  self: 1,
  voice: 1,
  recalled: 1,
  not_text: 1,
} satisfies Record<Exclude<Origin, 'plain'>, 1>) as readonly Exclude<Origin, 'plain'>[]

test.each(origins)('a message that is %s never changes the gate, and its owner is told why', (origin) => {
  for (const kind of ['privileged', 'off'] as const) {
    const answer = admits(aMessage({ origin }), kind, gate)
    expect(answer).toMatchObject({ ok: false, code: origin })
    expect(wordsOf(answer)).toMatch(/\.$/)
  }
})

test('an owner in a private chat with a plain, fresh message may do everything', () => {
  for (const kind of ['owner', 'privileged', 'off'] as const) expect(codeOf(aMessage(), kind)).toBe('ok')
})

test('a group is no place for privileged commands, but an owner may ask there', () => {
  expect(codeOf(aMessage({ isPrivate: false }), 'privileged')).toBe('not_private')
  expect(codeOf(aMessage({ isPrivate: false }), 'off')).toBe('not_private')
  expect(codeOf(aMessage({ isPrivate: false }), 'owner')).toBe('ok')
})

test('a stranger is refused without a word of help, whatever the message is like', () => {
  for (const message of [
    aMessage({ sender_id: '8' }),
    aMessage({ channel: 'web' }),
    aMessage({ sender_id: '8', origin: 'edited' }),
  ]) {
    expect(admits(message, 'privileged', gate)).toEqual({ ok: false, code: 'not_owner' })
  }
})

test('a display name and a crafted sender id make nobody an owner', () => {
  expect(codeOf(aMessage({ sender_id: '8', sender_name: 'telegram:7' }), 'owner')).toBe('not_owner')
  const colon = { isOwner: (id: string) => id === 'a:b:c', now: startMs }
  expect(admits(aMessage({ channel: 'a:b', sender_id: 'c' }), 'owner', colon).ok).toBe(false)
})

test.each([
  [5 * minuteMs, 'ok'],
  [5 * minuteMs + 1, 'too_old'],
  [-5 * minuteMs, 'ok'],
  [-5 * minuteMs - 1, 'in_future'],
  [Number.NaN, 'too_old'],
])('a message %d ms old counts as %s, and off has no age', (ageMs, expected) => {
  const message = aMessage({ sentAtMs: startMs - ageMs })
  expect(codeOf(message, 'privileged')).toBe(expected)
  expect(codeOf(message, 'off')).toBe('ok')
  // What only shows something runs whatever the clock says, but not out of a backlog.
  expect(codeOf(message, 'owner')).toBe(expected === 'in_future' ? 'ok' : expected)
  expect(codeOf(message, 'message')).toBe('ok')
})

test('off has no age, and every other rule', () => {
  for (const rule of [{ isPrivate: false }, ...origins.map((origin) => ({ origin }))])
    expect(codeOf(aMessage({ sentAtMs: 0, ...rule }), 'off')).not.toBe('ok')
})

test.each([
  [
    62 * minuteMs,
    "That message is 62 minutes old, and a command is valid for 5 minutes. Send it again.\nIf you sent it just now, set this machine's clock, which says 2026-01-02 03:04 UTC.",
  ],
  [
    50 * 60 * minuteMs,
    "That message is 2 days old, and a command is valid for 5 minutes. Send it again.\nIf you sent it just now, set this machine's clock, which says 2026-01-02 03:04 UTC.",
  ],
  [
    -3 * 60 * minuteMs,
    "That message is dated 3 hours ahead. Set this machine's clock, which says 2026-01-02 03:04 UTC, then send it again.\n/hooks off works anyway.",
  ],
])('a message %d ms old is answered with what helps, whichever clock is wrong', (ageMs, words) => {
  expect(wordsOf(admits(aMessage({ sentAtMs: startMs - ageMs }), 'privileged', gate))).toBe(words)
})

test('an owner of another login is none, and is told how to be one again, but not where others read', () => {
  const anew = { isOwner: () => false, isKnown: (id: string) => id === 'telegram:7', now: startMs }
  for (const kind of ['message', 'owner', 'privileged', 'off'] as const) {
    const answer = admits(aMessage(), kind, anew)
    expect(answer).toMatchObject({ ok: false, code: 'login_changed' })
    expect(wordsOf(answer)).toContain('/pair')
    expect(admits(aMessage({ isPrivate: false }), kind, anew)).toEqual({ ok: false, code: 'not_owner' })
    expect(admits(aMessage({ sender_id: '8' }), kind, anew)).toEqual({ ok: false, code: 'not_owner' })
  }
})
