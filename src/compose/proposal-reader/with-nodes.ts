import type { Prepared } from '../../core/model/approval/approved.ts'
import { type WithProblem, asProblem } from '../../core/model/gate/problem.ts'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { isInside } from '../../config/read-bounded.ts'
import type { NodeProposals } from '../../proposals/node-proposals.ts'
import type { Entry } from '../../core/model/hooks/entry.ts'
import type { NodeQuestion } from '../../shared/nodes/protocol.ts'
import type { Exchange } from '../../server/exchange.ts'
import type { ProposalReader } from './reader.ts'

/** A node reads the files of an entry within this time, in milliseconds. */
const prepareWithinMs = 30_000

const notWhole = (node: string): WithProblem => ({
  problem: {
    code: 'node.whole',
    message: `Expected a hook for all machines to consist of files of its workspace alone, got other files or programs on the node ${node}.`,
    fix: 'Copy what it needs into the workspace, or remove "nodes: all".',
  },
})

/**
 * Prepares a hook for all machines from the bytes that a node has sent. A node says which words run its own
 * hooks; the words that run on other machines are read from the bytes here.
 */
const prepareHere = async (
  entry: Entry,
  theirs: Prepared,
  prepare: ProposalReader['prepare'],
): Promise<Prepared | WithProblem> => {
  const { node = '' } = entry
  const folder = await mkdtemp(join(tmpdir(), 'hookgate-'))
  try {
    const names = [...theirs.contents.map(({ path }) => path), entry.cwd ?? '.']
    if (!names.every((name) => isInside(folder, resolve(folder, name)))) return notWhole(node)
    await mkdir(join(folder, entry.cwd ?? '.'), { recursive: true })
    for (const { path: name, content, isExecutable } of theirs.contents) {
      const path = join(folder, name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content, { mode: isExecutable ? 0o700 : 0o600 })
    }
    const ours = await prepare(entry, folder)
    if ('problem' in ours) return ours
    return ours.record.fingerprint === theirs.record.fingerprint ? ours : notWhole(node)
  } catch (error) {
    return { problem: asProblem(error) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The proposals of this machine, followed by those of the nodes. Each entry is read where it lies. */
export const withNodes = (
  reader: ProposalReader,
  proposals: NodeProposals,
  { ask }: Pick<Exchange<NodeQuestion, unknown>, 'ask'>,
): ProposalReader => ({
  ...reader,
  source: () => {
    const source = reader.source()
    const ofNodes = proposals.proposed()
    return ofNodes.length === 0 ? source : { ...source, proposed: [...source.proposed, ...ofNodes] }
  },
  propose: (entry) => (entry.node === undefined ? reader.propose(entry) : proposals.sealableOf(entry)),
  prepare: async (entry) => {
    if (entry.node === undefined) return await reader.prepare(entry)
    const reply = await ask(entry.node, { ask: 'prepare', entry }, { timeoutMs: prepareWithinMs })
    if (reply.kind === 'answer') {
      const theirs = proposals.checkPrepared(entry, reply.body)
      return 'problem' in theirs || entry.nodes !== 'all'
        ? theirs
        : await prepareHere(entry, theirs, reader.prepare)
    }
    return {
      problem: {
        code: 'node.away',
        message: `Expected the node ${entry.node} to read the files of its hook, but it ${reply.kind === 'away' ? 'is not connected' : 'did not answer'}.`,
        fix: 'Start hookgate node there, then send the command again.',
      },
    }
  },
  onChange: (listener) => {
    const ends = [reader.onChange(listener), proposals.onChange(listener)]
    return () => {
      for (const end of ends) end()
    }
  },
})
