import { timingSafeEqual } from 'node:crypto'
import { nodeKey, nodeName, type StandingNode } from '../../model/nodes/node.ts'
import { type Acted, type Refusal, quote, asProblem } from '../../model/gate/problem.ts'
import { orRefusal } from '../approving.ts'
import { refusal } from '../gate-state.ts'
import { unchanged, type GateLedger } from '../gate.ts'
import { randomText } from '../owners/random-text.ts'
import { sha256 } from '../../model/approval/canonical.ts'

/** One gate has at most so many nodes. */
const maxNodes = 1000
/** A code is pasted and never typed. With 23 to the 24th codes, nobody guesses one. */
const codeLength = 24
/** A code counts for so long, in milliseconds. */
export const nodeCodeMs = 30 * 60_000
/** So many codes wait at once. The oldest one expires first. */
const maxCodes = 100

export type NodeAct = Acted<{ readonly node: StandingNode }>

/** The nodes in the ledger, and the codes with which machines become nodes. */
export interface Nodes {
  all(): readonly StandingNode[]
  /** The node that has this public key. */
  ofKey(publicKey: string): StandingNode | undefined
  /** Makes a code with which one machine becomes the node of this name. An earlier code of it expires. */
  invite(name: string, by: string): Acted<{ readonly code: string }>
  /** Lets in the machine that has this code and this public key. The code counts once. */
  enrol(code: string, publicKey: string): Promise<NodeAct>
  remove(name: string, by: string): Promise<NodeAct>
}

interface Invited {
  readonly digest: Buffer
  readonly by: string
  readonly untilMs: number
}

const digestOf = (code: string): Buffer => Buffer.from(sha256(code))

export const createNodes = (
  gate: Pick<GateLedger, 'folded' | 'change'>,
  isOwner: (id: string) => boolean,
  elapsedMs: () => number,
): Nodes => {
  /** By the name of the node. */
  const invitations = new Map<string, Invited>()
  const all = (): readonly StandingNode[] => [...gate.folded().nodes.values()]
  const ofKey = (publicKey: string): StandingNode | undefined =>
    all().find((node) => node.publicKey === publicKey)

  const whyNotNamed = (name: string): Refusal | undefined => {
    if (!nodeName.test(name))
      return refusal(
        'node.name',
        `${quote(name)} is no name for a node. A name has small letters, digits and dashes, such as desk-2.`,
        'Begin it with a letter, with at most 31 characters in all.',
      )
    if (gate.folded().nodes.has(name))
      return refusal(
        'node.known',
        `"${name}" is a node already.`,
        `Choose another name, or type /nodes remove ${name} first.`,
      )
    return all().length >= maxNodes
      ? refusal('node.many', `There are ${maxNodes} nodes already.`, 'Remove one first: /nodes.')
      : undefined
  }

  return {
    all,
    ofKey,
    invite: (name, by) => {
      const why = whyNotNamed(name)
      if (why !== undefined) return why
      const code = randomText(codeLength)
      invitations.delete(name)
      invitations.set(name, { digest: digestOf(code), by, untilMs: elapsedMs() + nodeCodeMs })
      const oldest = invitations.keys().next().value
      if (invitations.size > maxCodes && oldest !== undefined) invitations.delete(oldest)
      return { ok: true, code }
    },
    enrol: async (code, publicKey) => {
      const digest = digestOf(code)
      const [name, invited] = [...invitations].find(([, one]) => timingSafeEqual(one.digest, digest)) ?? []
      // The code of somebody who is an owner no longer is no code.
      if (name === undefined || invited === undefined || !isOwner(invited.by))
        return refusal(
          'node.code',
          'Expected a code of /nodes add that was not used yet, got another one.',
          'Type /nodes add and a name in a chat with hookgate, and use its code within 30 minutes.',
        )
      invitations.delete(name)
      if (elapsedMs() >= invited.untilMs)
        return refusal(
          'node.code_old',
          'Expected a code of the last 30 minutes, got an older one.',
          'Type /nodes add and the name again.',
        )
      if (!nodeKey.test(publicKey))
        return refusal('node.key', 'Expected an Ed25519 key, got something else.', 'Use "hookgate node".')
      const known = (): NodeAct => {
        const node = ofKey(publicKey)
        return node === undefined
          ? refusal('node.gone', 'Expected the new node in the ledger, got none.', 'Try again.')
          : { ok: true, node }
      }
      return await gate
        .change<NodeAct>(() => {
          const why = whyNotNamed(name)
          if (why !== undefined) return unchanged(why)
          if (ofKey(publicKey) !== undefined)
            return unchanged(
              refusal(
                'node.key_known',
                'Expected a machine that is no node yet, got one that is.',
                'Remove it first: /nodes.',
              ),
            )
          return { acts: [{ act: 'node_add', by: invited.by, data: { name, publicKey } }], answer: known }
        })
        .catch((error: unknown) => {
          // Nothing was written, so the code still counts.
          if (!invitations.has(name)) invitations.set(name, invited)
          return { ok: false, problem: asProblem(error) }
        })
    },
    remove: (name, by) =>
      orRefusal(() =>
        gate.change<NodeAct>(() => {
          const node = gate.folded().nodes.get(name)
          if (node === undefined)
            return unchanged(
              refusal('node.unknown', `No node is called ${quote(name)}.`, 'Type /nodes to see their names.'),
            )
          return {
            acts: [{ act: 'node_remove', by, data: { name } }],
            answer: (): NodeAct => ({ ok: true, node }),
          }
        }),
      ),
  }
}
