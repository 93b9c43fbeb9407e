import { describe, expect, test } from 'vitest'
import { fold } from '../../../../src/core/gatekeeper/ledger/fold.ts'
import type { LedgerEntry } from '../../../../src/core/gatekeeper/ledger/lines.ts'
import { anEntry } from '../gate-fixture.ts'

const entries = (
  ...acts: readonly (readonly [string, Readonly<Record<string, unknown>>])[]
): readonly LedgerEntry[] =>
  acts.map(([act, data], index) => ({ n: index + 1, at: 'then', act, by: 'telegram:7', data }))
const genesis = ['genesis', { owners: [{ id: 'telegram:7' }], isOn: false }] as const
const unknown = 'f'.repeat(64)
const nodeOf = (name: string, publicKey = 'k'.repeat(43)) => ({ name, publicKey })
const passkeyOf = (owner: string, id = 'k') => ({ id, owner, rpId: 'gate.example.org', publicKey: 'pQ' })

test('the state is what the acts say, in their order, and folding in parts is folding at once', () => {
  const all = entries(
    genesis,
    ['on', {}],
    ['owner_add', { id: 'web:owner' }],
    ['owner_remove', { id: 'telegram:7' }],
    ['off', {}],
    ['on', {}],
  )
  const { state, problem } = fold(all)
  expect(problem).toBeUndefined()
  expect(state).toMatchObject({
    revision: 6,
    isOn: true,
    owners: new Map([['web:owner', { id: 'web:owner' }]]),
  })
  expect(fold(all.slice(3), fold(all.slice(0, 3)).state)).toEqual({ state })
})

test('folding changes nothing that it was given', () => {
  const { state } = fold(entries(genesis))
  fold([{ n: 2, at: '', act: 'owner_remove', by: '', data: { id: 'telegram:7' } }], state)
  expect(state.owners.size).toBe(1)
})

test.each([
  ['an act nobody knows', entries(genesis, ['grant', {}])],
  ['a second genesis', entries(genesis, genesis)],
  ['a recover in the middle', entries(genesis, ['recover', { owners: [] }])],
  ['a revoke of what was not approved', entries(genesis, ['revoke', { fingerprint: unknown }])],
  ['the end of somebody who was no owner', entries(genesis, ['owner_remove', { id: 'telegram:9' }])],
  ['an approval without its entry', entries(genesis, ['approve', { fingerprint: unknown }])],
  ['the promotion of what was not approved', entries(genesis, ['promote', { fingerprint: unknown }])],
  ['an owner without an id', entries(genesis, ['owner_add', {}])],
  ['off for longer than a day', entries(genesis, ['off', { for_ms: 86_400_001 }])],
  ['off for no time', entries(genesis, ['off', { for_ms: 0 }])],
  ['off with what nobody knows', entries(genesis, ['off', { until: 'tomorrow' }])],
  ['a passkey of somebody who was no owner', entries(genesis, ['passkey_add', passkeyOf('telegram:9')])],
  ['a passkey without its key', entries(genesis, ['passkey_add', { id: 'k', owner: 'telegram:7' }])],
  ['the end of a passkey that was not there', entries(genesis, ['passkey_remove', { id: 'k' }])],
  ['a node with a name that is none', entries(genesis, ['node_add', nodeOf('Desk 1')])],
  ['the end of a node that was not there', entries(genesis, ['node_remove', { name: 'desk' }])],
  ['a resume without its owners', entries(genesis, ['resume', { revoked: [] }])],
])('%s ends the fold with words, at the state before it', (_, some) => {
  const { state, problem } = fold(some)
  expect(problem).toMatch(/^line 2 /)
  expect(state).toMatchObject({ revision: 1, owners: new Map([['telegram:7', { id: 'telegram:7' }]]) })
})

test('a ledger begins with genesis or recover and with nothing else', () => {
  expect(fold(entries(['on', {}]))).toMatchObject({
    problem: expect.stringContaining('line 1'),
    state: { revision: 0 },
  })
  expect(fold(entries(['recover', { owners: [{ id: 'telegram:7' }] }]))).toMatchObject({
    state: { revision: 1, isOn: false },
  })
})

describe('a shadow', () => {
  const approval = {
    fingerprint: unknown,
    entry: anEntry(),
    words: [{ sealed: 'hooks/guard.sh' }],
    unsealed: [],
    hookDir: 'hooks',
    files: [],
  }
  const shadow = ['approve', { ...approval, isShadow: true }] as const
  const promote = ['promote', { fingerprint: unknown }] as const
  const standing = (some: readonly LedgerEntry[]) => {
    const { state, problem } = fold(some)
    const { isShadow, failsClosed } = state.approvals.get(unknown) ?? {}
    return { problem, isShadow, failsClosed, count: state.approvals.size }
  }

  test('is an approval until it is promoted, and a promotion can choose what a failure does', () => {
    expect(standing(entries(genesis, shadow))).toMatchObject({ isShadow: true, problem: undefined })
    expect(standing(entries(genesis, shadow, promote))).toEqual({ count: 1 })
    const closed = ['promote', { fingerprint: unknown, failsClosed: true }] as const
    expect(standing(entries(genesis, shadow, closed))).toEqual({ count: 1, failsClosed: true })
  })
  test('ends by a revoke, and by an approval of the same bytes', () => {
    expect(standing(entries(genesis, shadow, ['revoke', { fingerprint: unknown }]))).toEqual({ count: 0 })
    expect(standing(entries(genesis, shadow, ['approve', approval]))).toEqual({ count: 1 })
  })
  test.each([
    ['what decides already', entries(genesis, ['approve', approval], promote)],
    ['what was promoted already', entries(genesis, shadow, promote, promote)],
    ['what was revoked', entries(genesis, shadow, ['revoke', { fingerprint: unknown }], promote)],
    [
      'a shadow, with an option that nobody knows',
      entries(genesis, shadow, ['promote', { ...promote[1], isOn: true }]),
    ],
  ])('a line that promotes %s ends the fold', (_, some) => {
    expect(standing(some).problem).toMatch(new RegExp(`^line ${some.length} `))
  })
  test('that says that it is none is a line that nobody knows', () => {
    expect(standing(entries(genesis, ['approve', { ...approval, isShadow: false }])).problem).toMatch(
      /^line 2 /,
    )
  })
})

test('off for a while is kept until the next turn of the switch', () => {
  const all = entries(
    genesis,
    ['off', { for_ms: 1000 }],
    ['owner_add', { id: 'web:owner' }],
    ['on', {}],
    ['off', { for_ms: 2000 }],
    ['off', {}],
  )
  const pauseAfter = (count: number) => fold(all.slice(0, count)).state.pause
  expect([1, 2, 3, 4, 5, 6].map((count) => pauseAfter(count)?.forMs)).toEqual([
    undefined,
    1000,
    1000,
    undefined,
    2000,
    undefined,
  ])
  expect(pauseAfter(3)).toMatchObject({ n: 2, by: 'telegram:7' })
})

test('going on from a good line sets the owners, revokes what was revoked behind it, and overrules anchors', () => {
  const { state, problem } = fold(
    entries(
      ['genesis', { owners: [{ id: 'telegram:7' }, { id: 'telegram:8' }], isOn: true }],
      ['resume', { owners: [{ id: 'telegram:7' }], revoked: [unknown], overrules: ['20 3fa9c1d2e4b5'] }],
    ),
  )
  expect(problem).toBeUndefined()
  expect(state).toMatchObject({
    revision: 2,
    isOn: true,
    owners: new Map([['telegram:7', { id: 'telegram:7' }]]),
    overruled: new Set(['20 3fa9c1d2e4b5']),
  })
})

test('a passkey stands until it is removed, its owner is, or an owner goes on from an earlier line', () => {
  const all = entries(
    ['genesis', { owners: [{ id: 'telegram:7' }, { id: 'telegram:8' }], isOn: true }],
    ['passkey_add', passkeyOf('telegram:7', 'a')],
    ['passkey_add', passkeyOf('telegram:8', 'b')],
    ['passkey_add', passkeyOf('telegram:7', 'c')],
    ['passkey_remove', { id: 'a' }],
    ['owner_remove', { id: 'telegram:8' }],
    ['resume', { owners: [{ id: 'telegram:7' }], revoked: [] }],
  )
  const after = (count: number) => [...fold(all.slice(0, count)).state.passkeys.keys()]
  expect([4, 5, 6, 7].map(after)).toEqual([['a', 'b', 'c'], ['b', 'c'], ['c'], []])
  expect(fold(all).problem).toBeUndefined()
})

test('a node stands until it is removed, or an owner goes on from an earlier line; no two have one name or one key', () => {
  const all = entries(
    genesis,
    ['node_add', nodeOf('desk')],
    ['node_add', nodeOf('lab', 'l'.repeat(43))],
    ['node_remove', { name: 'desk' }],
    ['resume', { owners: [{ id: 'telegram:7' }], revoked: [] }],
  )
  const after = (count: number) => [...fold(all.slice(0, count)).state.nodes.keys()]
  expect([2, 3, 4, 5].map(after)).toEqual([['desk'], ['desk', 'lab'], ['lab'], []])
  for (const again of [nodeOf('desk', 'm'.repeat(43)), nodeOf('other')])
    expect(fold(entries(genesis, ['node_add', nodeOf('desk')], ['node_add', again])).problem).toMatch(
      /^line 3 /,
    )
})
