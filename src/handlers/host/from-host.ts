import { z } from 'zod'
import { isFaultKind } from '../../core/model/hooks/fault.ts'
import type { FromHost } from './protocol.ts'

const count = z.int().nonnegative()
const time = z.number().nonnegative()
const failure = z.object({ kind: z.custom(isFaultKind), detail: z.string() }).optional()
const result = z.object({
  exitCode: z.int().nullable(),
  stdout: z.string(),
  // What comes over this channel was not read with care yet.
  json: z.undefined().optional(),
  stderr: z.string(),
  isStderrCut: z.boolean().optional(),
  isTruncated: z.boolean(),
  failure,
  inOwnFolder: z.boolean().optional(),
  durationMs: time,
})
const probe = z.discriminatedUnion('isSafe', [
  z.object({ isSafe: z.literal(true), coldMs: time, warmMs: time }),
  z.object({ isSafe: z.literal(false), why: z.string() }),
])

const message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('group'), pid: count, isOver: z.boolean() }),
  z.object({ type: z.literal('started'), id: count, pid: count }),
  z.object({ type: z.literal('done'), id: count, result, goesOn: z.boolean() }),
  z.object({ type: z.literal('probed'), id: count, probe }),
  z.object({ type: z.literal('measured'), id: count, bytes: z.union([count, z.literal('endless')]) }),
  z.object({ type: z.literal('stderr'), id: count, text: z.string() }),
  z.object({ type: z.literal('ended'), id: count, failure }),
])

/**
 * True for a message that a hook host sends. A hook runs as the host's user, so it may be able to write into
 * the host's channel: what has another form must not reach the gate.
 */
export const isFromHost = (said: unknown): said is FromHost => message.safeParse(said).success
