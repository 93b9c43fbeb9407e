import { beforeEach, expect, test } from 'vitest'
import { createNodeProposals, type NodeProposals } from '../../src/proposals/node-proposals.ts'
import { fingerprintOf, sha256 } from '../../src/core/model/approval/canonical.ts'
import { later } from '../../src/proposals/proposal.ts'
import type { Entry } from '../../src/core/model/hooks/entry.ts'
import { anEntry } from '../core/gatekeeper/gate-fixture.ts'

const script = Buffer.from('#!/bin/sh\nexit 0\n')
const file = { path: 'hooks/guard.sh', sha256: sha256(script), bytes: script.length, isExecutable: true }
const sealable = { fingerprint: 'a'.repeat(64), unsealed: [], files: [file] }
const placeOf = (entry: object, more: object = {}) => ({ place: { kind: 'entry', entry }, sealable, ...more })
const bodyOf = (...places: readonly object[]) => ({ places, contents: [script.toString('base64')] })

let proposals: NodeProposals
beforeEach(() => {
  proposals = createNodeProposals()
})

const entryOf = (node = 'desk'): Entry => {
  const [first] = proposals.proposed().filter((one) => one.kind === 'entry' && one.entry.node === node)
  if (first?.kind !== 'entry') throw new Error('no entry')
  return first.entry
}

test('a proposal bears the name of the node that sent it, whatever it says, and its fingerprint is made here', () => {
  expect(proposals.take('desk', bodyOf(placeOf({ ...anEntry(), node: 'lab' })))).toBeUndefined()
  const entry = entryOf()
  expect(entry).toEqual({ ...anEntry(), node: 'desk' })
  expect(proposals.sealableOf(entry).fingerprint).toBe(fingerprintOf(entry, [file]))
  expect(proposals.bytesOf(file.sha256)?.equals(script)).toBe(true)
})

test('each node has proposals of its own, and they end with it', () => {
  proposals.take('desk', bodyOf(placeOf(anEntry())))
  proposals.take('lab', bodyOf(placeOf(anEntry()), placeOf(anEntry({ event: 'on_stop' }))))
  expect(proposals.proposed()).toHaveLength(3)
  proposals.remove('lab')
  expect(proposals.proposed()).toHaveLength(1)
  expect(proposals.sealableOf({ ...anEntry(), node: 'lab' })).toBe(later)
})

test('a hook that is no command is listed with what to do', () => {
  proposals.take('desk', bodyOf(placeOf(anEntry({ type: 'http', command: 'https://example.org' }))))
  expect(proposals.proposed()).toMatchObject([{ kind: 'invalid', problem: { code: 'node.type' } }])
})

test.each([
  ['nothing', undefined],
  ['a text', 'places'],
  ['an entry with an option that nobody knows', bodyOf(placeOf({ ...anEntry(), root_shell: true }))],
  ['an entry without an event', bodyOf(placeOf({ ...anEntry(), event: undefined }))],
  [
    'a file without a digest',
    bodyOf(placeOf(anEntry(), { sealable: { ...sealable, files: [{ path: 'x' }] } })),
  ],
  ['more hooks than fit', bodyOf(...Array.from({ length: 201 }, () => placeOf(anEntry())))],
])('%s is refused in words, and what the node proposed before stays', (_, body) => {
  proposals.take('desk', bodyOf(placeOf(anEntry())))
  expect(proposals.take('desk', body)).toMatchObject({ code: 'node.proposal' })
  expect(proposals.proposed()).toHaveLength(1)
})

const recordOf = (entry: Entry, more: object = {}) => ({
  fingerprint: fingerprintOf(entry, [file]),
  entry,
  words: [{ sealed: 'hooks/guard.sh' }],
  unsealed: [],
  hookDir: 'hooks',
  files: [file],
  ...more,
})

test('what a node prepares counts with the bytes of its digests and the fingerprint of its entry alone', () => {
  const entry: Entry = { ...anEntry(), node: 'desk' }
  const contents = [script.toString('base64')]
  expect(proposals.checkPrepared(entry, { record: recordOf(entry), contents })).toMatchObject({
    record: { entry, files: [file] },
    contents: [{ content: script }],
  })
  const other: Entry = { ...anEntry({ command: './hooks/other.sh' }), node: 'desk' }
  for (const body of [
    {},
    { record: recordOf(entry) },
    { record: recordOf(entry), contents: [] },
    { record: recordOf(entry), contents: [Buffer.from('other').toString('base64')] },
    { record: recordOf(entry, { fingerprint: 'b'.repeat(64) }), contents },
    { record: recordOf(other), contents },
    { record: recordOf(entry, { words: [] }), contents },
    { record: recordOf(entry, { extra: true }), contents },
  ])
    expect(proposals.checkPrepared(entry, body)).toMatchObject({ problem: { code: 'node.proposal' } })
  expect(
    proposals.checkPrepared(entry, { problem: { code: 'program.gone', message: 'a message', fix: 'a fix' } }),
  ).toMatchObject({ problem: { code: 'program.gone' } })
})

test('the bytes to show are bounded for all nodes together', () => {
  for (let count = 0; count < 60; count++) {
    const content = Buffer.alloc(290_000, count)
    proposals.take(`n${count}`, { places: [], contents: [content.toString('base64')] })
  }
  expect(proposals.bytesOf(sha256(Buffer.alloc(290_000, 0)))).toBeUndefined()
  expect(proposals.bytesOf(sha256(Buffer.alloc(290_000, 59)))).toBeDefined()
})
