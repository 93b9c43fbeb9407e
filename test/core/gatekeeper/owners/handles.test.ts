import { expect, test } from 'vitest'
import { createHandles } from '../../../../src/core/gatekeeper/owners/handles.ts'

const hourMs = 3_600_000
const target = { owner: 'telegram:7', chat: '7', fingerprint: 'a' }
const setUp = () => {
  const clock = { nowMs: 0 }
  return { clock, handles: createHandles(() => clock.nowMs) }
}

test('a list shown twice reads the same', () => {
  const { handles } = setUp()
  expect(handles.mint(target)).toBe(handles.mint(target))
  expect(handles.mint({ ...target, fingerprint: 'b' })).not.toBe(handles.mint(target))
})

test('a handle is five characters that spell no word and resemble no other, and is taken in capitals too', () => {
  const { handles } = setUp()
  for (let index = 0; index < 500; index++) {
    const handle = handles.mint({ ...target, fingerprint: String(index) })
    expect(handle).toMatch(/^[346789bcdfghjkmnpqrtvwx]{5}$/)
    expect(handles.resolve({ ...target, handle: handle.toUpperCase() })).toEqual({
      fingerprint: String(index),
    })
  }
})

test('a handle works only for the owner and in the chat that saw it', () => {
  const { handles } = setUp()
  const handle = handles.mint(target)
  expect(handles.resolve({ owner: 'telegram:8', chat: '7', handle })).toEqual({ why: 'elsewhere' })
  expect(handles.resolve({ owner: 'telegram:7', chat: '8', handle })).toEqual({ why: 'elsewhere' })
  expect(handles.resolve({ ...target, handle: 'zzzzz' })).toEqual({ why: 'unknown' })
})

test('a handle expires a day after it was last shown, and is then minted anew', () => {
  const { clock, handles } = setUp()
  const handle = handles.mint(target)
  clock.nowMs = 23 * hourMs
  handles.mint(target)
  clock.nowMs = 46 * hourMs
  expect(handles.resolve({ ...target, handle })).toEqual({ fingerprint: 'a' })
  clock.nowMs = 47 * hourMs
  expect(handles.resolve({ ...target, handle })).toEqual({ why: 'expired' })
  const next = handles.mint(target)
  expect(next).not.toBe(handle)
  expect(handles.resolve({ ...target, handle: next })).toEqual({ fingerprint: 'a' })
})

test('the message of a card names its handle, for its owner in its chat only; the message of a list names none', () => {
  const { handles } = setUp()
  const [handle, other] = [handles.mint(target), handles.mint({ ...target, fingerprint: 'b' })]
  const asked = { owner: target.owner, chat: target.chat, messageId: 'm1' }
  handles.shown([handle], false)
  expect(handles.onMessage(asked)).toBeUndefined()
  handles.shown([handle], false, undefined, 'm1')
  handles.shown([handle, other], true, undefined, 'm2')
  expect(handles.onMessage(asked)).toBe(handle)
  expect(handles.onMessage({ ...asked, messageId: 'm2' })).toBeUndefined()
  expect(handles.onMessage({ ...asked, owner: 'telegram:8' })).toBeUndefined()
  expect(handles.onMessage({ ...asked, chat: '8' })).toBeUndefined()
  handles.shown([other], false, 'a hook', 'm1')
  expect(handles.onMessage(asked)).toBe(other)
  handles.forget('b')
  expect(handles.resolve({ ...target, handle: handles.onMessage(asked) ?? '' })).toEqual({ why: 'unknown' })
})

test('the handles of a question are valid again in another run, with their messages and what a hook hid', () => {
  const before = setUp().handles
  const handle = before.mint(target)
  const hidden = before.mint({ ...target, chat: '8', owner: 'telegram:8' })
  before.mint({ ...target, fingerprint: 'b' })
  before.shown([handle], false, undefined, 'm1')
  before.shown([hidden], false, 'redactor')
  const stored = before.ofQuestion('a')
  expect(stored).toHaveLength(2)
  const { handles } = setUp()
  for (const one of stored) handles.restore('a', one)
  expect(handles.resolve({ ...target, handle })).toEqual({ fingerprint: 'a' })
  expect(handles.onMessage({ owner: target.owner, chat: target.chat, messageId: 'm1' })).toBe(handle)
  expect(handles.resolve({ owner: 'telegram:8', chat: '8', handle: hidden })).toEqual({
    fingerprint: 'a',
    hiddenBy: 'redactor',
  })
  expect(handles.resolve({ owner: 'telegram:8', chat: '7', handle })).toEqual({ why: 'elsewhere' })
  expect(handles.mint(target)).toBe(handle)
})

test('the end of what they name kills all of its handles and no other', () => {
  const { handles } = setUp()
  const mine = handles.mint(target)
  const theirs = handles.mint({ owner: 'telegram:8', chat: '8', fingerprint: 'a' })
  const other = handles.mint({ ...target, fingerprint: 'b' })
  handles.forget('a')
  expect(handles.resolve({ ...target, handle: mine })).toEqual({ why: 'unknown' })
  expect(handles.resolve({ owner: 'telegram:8', chat: '8', handle: theirs })).toEqual({ why: 'unknown' })
  expect(handles.resolve({ ...target, handle: other })).toEqual({ fingerprint: 'b' })
})

test('what was shown last names a fingerprint to whoever asks, until it expires or what it names is over', () => {
  const { clock, handles } = setUp()
  expect(handles.lastShown('a')).toBeUndefined()
  handles.mint(target)
  const later = handles.mint({ ...target, owner: 'telegram:8' })
  expect(handles.lastShown('a')).toBe(later)
  handles.mint({ ...target, isOnPage: true })
  expect(handles.lastShown('a')).toBe(later)
  expect(handles.lastShown('b')).toBeUndefined()
  clock.nowMs = 25 * hourMs
  expect(handles.lastShown('a')).toBeUndefined()
  handles.mint(target)
  handles.forget('a')
  expect(handles.lastShown('a')).toBeUndefined()
})

test('ten thousand handles are kept, and the longest unseen goes first', () => {
  const { handles } = setUp()
  const first = handles.mint(target)
  const second = handles.mint({ ...target, fingerprint: 'b' })
  for (let index = 0; index < 9_998; index++) handles.mint({ ...target, fingerprint: `n${index}` })
  handles.mint(target)
  handles.mint({ ...target, fingerprint: 'one more' })
  expect(handles.resolve({ ...target, handle: first })).toEqual({ fingerprint: 'a' })
  expect(handles.resolve({ ...target, handle: second })).toEqual({ why: 'unknown' })
})

test('a yes counts from when all of it has left, and a list that names it later takes nothing back', () => {
  const { handles } = setUp()
  const handle = handles.mint(target)
  handles.shown([handle], true)
  expect(handles.mint({ ...target, shows: 'all' })).toBe(handle)
  expect(handles.resolve({ ...target, handle }), 'drawn, not sent').toEqual({ fingerprint: 'a' })
  handles.shown([handle], true)
  expect(handles.resolve({ ...target, handle }), 'a short card left').toEqual({ fingerprint: 'a' })
  handles.shown([handle], false)
  expect(handles.mint(target)).toBe(handle)
  handles.shown([handle], true)
  expect(handles.resolve({ ...target, handle })).toEqual({ fingerprint: 'a', shows: 'all' })
})

test('another state of it gets another handle, and the earlier one still means what it showed', () => {
  const { handles } = setUp()
  const handle = handles.mint({ ...target, shows: 'under sh' })
  handles.shown([handle], false)
  const other = handles.mint({ ...target, shows: 'under bash' })
  expect(other).not.toBe(handle)
  expect(handles.resolve({ ...target, handle: other })).toEqual({ fingerprint: 'a' })
  expect(handles.resolve({ ...target, handle })).toEqual({ fingerprint: 'a', shows: 'under sh' })
  expect(handles.mint(target)).toBe(other)
})

test('a change of the gate uses up what was shown of it to anybody, also what is still on its way', () => {
  const { handles } = setUp()
  const others = { owner: 'telegram:8', chat: '8', fingerprint: 'a', shows: 'all' }
  const [mine, theirs] = [handles.mint({ ...target, shows: 'all' }), handles.mint(others)]
  const other = handles.mint({ ...target, fingerprint: 'b', shows: 'all' })
  handles.shown([mine, other], false)
  handles.spend('a')
  handles.shown([theirs], false)
  expect(handles.resolve({ ...target, handle: mine })).toEqual({ fingerprint: 'a' })
  expect(handles.resolve({ ...others, handle: theirs })).toEqual({ fingerprint: 'a' })
  expect(handles.resolve({ ...target, handle: other })).toEqual({ fingerprint: 'b', shows: 'all' })
  expect(handles.mint({ ...target, shows: 'all' })).toBe(mine)
  expect(handles.resolve({ ...target, handle: mine })).toEqual({ fingerprint: 'a' })
})

test('what a hook hid says so under every handle of it but that of the page, until all of it was seen', () => {
  const { handles } = setUp()
  const handle = handles.mint({ ...target, shows: 'all' })
  const onPage = handles.mint({ ...target, shows: 'all', isOnPage: true })
  handles.shown([handle], false, './hides.sh')
  const hidden = { fingerprint: 'a', hiddenBy: './hides.sh' }
  expect(handles.resolve({ ...target, handle })).toEqual(hidden)
  const other = handles.mint({ ...target, shows: 'another state' })
  expect(handles.resolve({ ...target, handle: other })).toEqual(hidden)
  expect(handles.resolve({ ...target, handle: onPage })).toEqual({ fingerprint: 'a', shows: 'all' })
  expect(handles.hiddenBy({ ...target, chat: '8' })).toBeUndefined()
  handles.shown([other], true)
  expect(handles.resolve({ ...target, handle }), 'a short card leaves out what was hidden').toEqual(hidden)
  handles.shown([handle], false)
  expect(handles.resolve({ ...target, handle })).toEqual({ fingerprint: 'a', shows: 'all' })
  handles.shown([handle], true, './hides.sh')
  expect(handles.hiddenBy(target)).toBe('./hides.sh')
  handles.shown(['zzzzz'], false, './hides.sh')
  expect(handles.hiddenBy({ ...target, fingerprint: 'b' })).toBeUndefined()
})
