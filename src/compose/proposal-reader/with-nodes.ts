import type { NodeProposals } from '../../gatekeeper/nodes/proposals.ts'
import type { NodeQuestion } from '../../model/nodes/protocol.ts'
import type { Exchange } from '../../server/exchange.ts'
import type { ProposalReader } from './reader.ts'

/** A node reads the files of an entry within this time, in milliseconds. */
const prepareWithinMs = 30_000

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
    if (reply.kind === 'answer') return proposals.checkPrepared(entry, reply.body)
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
