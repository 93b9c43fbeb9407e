import type { Prepared } from '../../src/core/model/approval/approved.ts'
import { existsSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withNodes } from '../../src/compose/proposal-reader/with-nodes.ts'
import type { ProposalReader } from '../../src/compose/proposal-reader/reader.ts'
import { createNodeProposals } from '../../src/proposals/node-proposals.ts'
import { createProposer } from '../../src/proposals/proposal.ts'
import { fingerprintOf, sha256 } from '../../src/core/model/approval/canonical.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import type { Entry } from '../../src/core/model/hooks/entry.ts'
import { anEntry, createFixture, type Fixture } from '../core/gatekeeper/gate-fixture.ts'

let fixture: Fixture
const folders: string[] = []
beforeEach(() => {
  folders.length = 0
  fixture = createFixture()
})
afterEach(() => fixture.remove())

const onAll = anEntry({ node: 'desk', nodes: 'all' })
const proposerOf = (workspace: string) =>
  createProposer({ workspace, home: fixture.home, path: '/usr/bin:/bin' })

/** What the node answers when it is asked to prepare an entry of its workspace. */
const theirs = (entry: Entry): Prepared => {
  const prepared = proposerOf(fixture.workspace).prepare(entry)
  if ('problem' in prepared) throw new Error(prepared.problem.message)
  return prepared
}
const asBody = ({ record, contents }: Prepared): JsonObject =>
  JSON.parse(
    JSON.stringify({ record, contents: contents.map(({ content }) => content.toString('base64')) }),
  ) as JsonObject

/** Prepares an entry at a gate that has nothing of it in its own workspace. */
const prepare = (entry: Entry, answer: Prepared) =>
  withNodes(
    {
      prepare: async (asked, folder = '/nowhere') => {
        folders.push(folder)
        return proposerOf(folder).prepare(asked)
      },
    } as ProposalReader,
    createNodeProposals(),
    { ask: () => Promise.resolve({ kind: 'answer', body: asBody(answer) }) },
  ).prepare(entry)

test('the gate reads itself which words a hook for all machines runs, whatever its node says', async () => {
  const answer = theirs(onAll)
  expect(await prepare(onAll, answer)).toMatchObject({ record: answer.record })
  const lies = {
    ...answer,
    record: { ...answer.record, words: ['/bin/sh', '-c', 'steal'], interpreter: '/bin/sh' },
  }
  const prepared = await prepare(onAll, lies)
  expect(prepared).toMatchObject({ record: { words: answer.record.words } })
  expect('record' in prepared && prepared.record.interpreter).toBe(answer.record.interpreter)
  // The words of a hook of one machine are that machine's own affair.
  const own = anEntry({ node: 'desk' })
  expect(
    await prepare(own, { ...theirs(own), record: { ...theirs(own).record, words: ['x'] } }),
  ).toMatchObject({
    record: { words: ['x'] },
  })
  expect(folders).toHaveLength(2)
  expect(folders.filter((folder) => existsSync(folder))).toEqual([])
})

test('a script with its own folder, helpers and executable bit is prepared as on its node', async () => {
  fixture.write('sub/a file.txt', 'x')
  fixture.write('hooks/lib.sh', 'echo help\n', 0o644)
  fixture.write('hooks/guard.sh', '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n')
  const entry = { ...onAll, cwd: 'sub', files: ['sub/a file.txt'] }
  const answer = theirs(entry)
  expect(answer.contents.map(({ path }) => path).toSorted()).toEqual([
    'hooks/guard.sh',
    'hooks/lib.sh',
    'sub/a file.txt',
  ])
  expect(await prepare(entry, answer)).toMatchObject({ record: { fingerprint: answer.record.fingerprint } })
})

const withFile = (entry: Entry, path: string): Prepared => {
  const answer = theirs(onAll)
  const content = Buffer.from('x')
  const files = [...answer.record.files, { path, sha256: sha256(content), bytes: 1, isExecutable: false }]
  const contents = [...answer.contents, { ...files.at(-1)!, content }]
  return {
    record: { ...answer.record, entry, files, fingerprint: fingerprintOf(entry, files, answer.record) },
    contents,
  }
}

test.each([
  ['a file above its workspace', onAll, '../stolen'],
  ['a file at a path of its machine', onAll, '/etc/hookgate-stolen'],
  ['a file that the entry does not use', onAll, 'other.txt'],
  ['a folder above its workspace', { ...onAll, cwd: '../..' }, 'hooks/more.sh'],
] as const)('%s makes no hook for all machines, and nothing is written there', async (_, entry, path) => {
  expect(await prepare(entry, withFile(entry, path))).toMatchObject({ problem: { code: 'node.whole' } })
})

test('a path that no disk can hold is a problem in words', async () => {
  const path = 'x'.repeat(3000)
  expect(await prepare(onAll, withFile(onAll, path))).toMatchObject({ problem: { code: 'home.write' } })
})
