import { secondsWords } from '../../shared/base/duration.ts'
import type { Payload } from '../../core/model/events/payload.ts'
import type { ArmedHook } from '../../core/model/hooks/entry.ts'
import type { NodeQuestion } from '../../shared/nodes/protocol.ts'
import { readRunResult } from '../host/from-host.ts'
import { failedRun } from '../host/protocol.ts'
import type { HostReply } from '../transports/builtin.ts'
import type { Transport } from '../transports/transport.ts'

/** The way to a node and back takes at most so much longer than the hook itself, in milliseconds. */
const wayMs = 3000

export interface NodeTransportPorts {
  /** The node on which a hook runs for this payload. */
  nodeFor(hook: ArmedHook, payload: Payload): string | undefined
  /** Asks a node, and resolves with its answer. Never rejects. */
  ask(
    node: string,
    question: Extract<NodeQuestion, { ask: 'hook' }>,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<HostReply>
}

/** Asks a hook that runs on a node. A node that is not connected is a fault of its hooks. */
export const createNodeTransport = ({ ask, nodeFor }: NodeTransportPorts): Transport => ({
  ask: async (hook, payload, { timeoutMs, chain, signal }) => {
    const { fingerprint } = hook
    const node = nodeFor(hook, payload) ?? ''
    const reply = await ask(
      node,
      { ask: 'hook', fingerprint, payload: { ...payload }, timeoutMs, chain },
      { timeoutMs: timeoutMs + wayMs, ...(signal === undefined ? {} : { signal }) },
    )
    switch (reply.kind) {
      case 'away':
        return failedRun(
          'host',
          `Its node ${node} is not connected or was removed. Look at /nodes, and start hookgate node there.`,
        )
      case 'busy':
        return failedRun('limit', `Too many hooks run at once on its node ${node}. Try again.`)
      case 'late':
        return failedRun(
          'timeout',
          `Its node ${node} did not answer within ${secondsWords(timeoutMs)}. Look at the load of that machine.`,
        )
      case 'stopped':
        return failedRun('killed', 'It was ended, because nobody waited for its answer any more.')
      case 'answer':
        return (
          readRunResult(reply.body) ??
          failedRun('host', `Its node ${node} sent no answer of a hook. Install the same hookgate there.`)
        )
    }
  },
})
