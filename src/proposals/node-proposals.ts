import { ApprovalShape, EntryShape } from '../core/model/approval/shapes.ts'
import type { Prepared } from '../core/model/approval/approved.ts'
import { z } from 'zod'
import type { Entry } from '../core/model/hooks/entry.ts'
import type { ProposedHook } from '../shared/gate/catalogue.ts'
import { got, type Problem, type WithProblem } from '../core/model/gate/problem.ts'
import { deepFreeze } from '../core/model/base/json.ts'
import { later, type Sealable } from './proposal.ts'
import { fingerprintOf, sha256 } from '../core/model/approval/canonical.ts'

/** A node proposes at most so many hooks. */
const maxProposals = 200
/** The bytes of files that are kept to be shown, for all nodes. */
const maxShownBytes = 16 * 1024 * 1024

const Text = z.string().max(4000)
const ProblemShape = z
  .object({ code: Text, message: Text, fix: Text })
  .transform((problem): Problem => ({ ...problem, isForeign: true }))
const FileShape = z.object({
  path: z.string().max(4096),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.number().int().min(0),
})

const SealedShape = FileShape.extend({ isExecutable: z.boolean() })
const WatchedShape = FileShape.extend({ isExecutable: z.boolean().exactOptional() })
const SealableShape = z.object({
  fingerprint: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .exactOptional(),
  problem: ProblemShape.exactOptional(),
  interpreter: Text.exactOptional(),
  under: EntryShape.shape.shell,
  unsealed: z.array(Text).max(100),
  missing: z.array(Text).max(100).exactOptional(),
  files: z.array(SealedShape).max(1000),
  watched: z.array(WatchedShape).max(1000).exactOptional(),
  absent: z.array(z.string().max(4096)).max(1000).exactOptional(),
})

const PlaceShape = z.object({
  place: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('entry'), entry: EntryShape, remarks: z.array(Text).max(50).exactOptional() }),
    z.object({
      kind: z.literal('invalid'),
      event: z.string().max(200),
      command: z.string().max(4000),
      problem: ProblemShape,
    }),
  ]),
  sealable: SealableShape.exactOptional(),
})

const ProposalsShape = z.object({
  places: z.array(PlaceShape).max(maxProposals),
  /** The bytes of files that the places name, in base64. */
  contents: z.array(z.string().max(400_000)).max(1000),
})

const PreparedShape = z.union([
  z.object({ problem: ProblemShape }),
  z.object({ record: ApprovalShape, contents: z.array(z.string()).max(1000) }),
])

const wrongProblem = (node: string, what: string): Problem => ({
  code: 'node.proposal',
  message: `Expected ${what} from the node ${node}, got something else.`,
  fix: 'Install the same version of hookgate on the gate and on the node.',
})

const onlyCommands = (node: string, entry: Entry): ProposedHook => ({
  kind: 'invalid',
  event: entry.event,
  command: entry.command,
  problem: {
    code: 'node.type',
    message: `Expected a hook of type command, which is what the node ${node} can run, got ${got(entry.type)}.`,
    fix: 'Propose it in the workspace of the gate. It then judges the events of all machines.',
  },
})

interface NodePlaces {
  readonly proposed: readonly ProposedHook[]
  readonly sealables: ReadonlyMap<Entry, Sealable>
}

/**
 * What the workspaces of nodes propose. Everything that a node sends is checked here, because it can say what
 * it wants: its own proposals bear its name, and a file counts only with the bytes of its digest.
 */
export const createNodeProposals = () => {
  const byNode = new Map<string, NodePlaces>()
  const shown = new Map<string, Buffer>()
  let shownBytes = 0
  const listeners = new Set<() => void>()
  const tell = (): void => {
    for (const listener of listeners) listener()
  }
  const show = (content: Buffer): void => {
    const digest = sha256(content)
    if (shown.has(digest)) return
    shown.set(digest, content)
    shownBytes += content.length
    for (const [oldest, { length }] of shown) {
      if (shownBytes <= maxShownBytes) break
      shown.delete(oldest)
      shownBytes -= length
    }
  }

  return {
    /** Replaces what a node proposes. Returns why that is not possible, or undefined. */
    take: (node: string, body: unknown): Problem | undefined => {
      const { data } = ProposalsShape.safeParse(body)
      if (data === undefined) return wrongProblem(node, 'a list of proposals')
      const sealables = new Map<Entry, Sealable>()
      const proposed = data.places.map(({ place, sealable }): ProposedHook => {
        if (place.kind === 'invalid') return place
        const entry: Entry = deepFreeze({ ...place.entry, node })
        if (entry.type !== 'command') return onlyCommands(node, entry)
        if (sealable !== undefined) {
          const { fingerprint: _theirs, ...facts } = sealable
          const isSealable = sealable.fingerprint !== undefined
          // The node's name is part of the fingerprint.
          const own = isSealable ? { fingerprint: fingerprintOf(entry, sealable.files, sealable) } : {}
          sealables.set(entry, { ...facts, ...own })
        }
        return { ...place, entry }
      })
      for (const content of data.contents) show(Buffer.from(content, 'base64'))
      byNode.set(node, { proposed, sealables })
      tell()
      return undefined
    },
    /** Forgets the proposals of a machine that is a node no longer. */
    remove: (node: string): void => {
      if (byNode.delete(node)) tell()
    },
    /** True when a node has told what it proposes since the gate started. */
    isHeard: (node: string): boolean => byNode.has(node),
    proposed: (): readonly ProposedHook[] => [...byNode.values()].flatMap(({ proposed }) => proposed),
    sealableOf: (entry: Entry): Sealable => byNode.get(entry.node ?? '')?.sealables.get(entry) ?? later,
    /** The bytes of a file that a node proposes. Undefined: no node has sent them. */
    bytesOf: (digest: string): Buffer | undefined => shown.get(digest),
    /** Checks what a node has prepared for an approval of this entry. */
    checkPrepared: (entry: Entry, body: unknown): Prepared | WithProblem => {
      const { node = '' } = entry
      const { data } = PreparedShape.safeParse(body)
      if (data === undefined) return { problem: wrongProblem(node, 'an entry with its files') }
      if ('problem' in data) return { problem: data.problem }
      const { record, contents: texts } = data
      const contents = record.files.map((file, index) => ({
        ...file,
        content: Buffer.from(texts[index] ?? '', 'base64'),
      }))
      const isWhole =
        texts.length === record.files.length &&
        contents.every(
          ({ sha256: digest, content, bytes }) => sha256(content) === digest && content.length === bytes,
        )
      const fingerprint = fingerprintOf(entry, record.files, record)
      return isWhole && fingerprint === record.fingerprint
        ? { record: { ...record, entry }, contents }
        : { problem: wrongProblem(node, 'the files of the proposed hook') }
    },
    onChange: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export type NodeProposals = ReturnType<typeof createNodeProposals>
