import type { RunResult } from '../../core/model/hooks/run-result.ts'
import { z } from 'zod'
import { isFaultKind } from '../../core/model/hooks/fault.ts'
import type { FromHost } from './protocol.ts'

const count = z.int().nonnegative()
const time = z.number().nonnegative()
/** A hook host bounds what it sends far below this, in UTF-16 units. */
const text = z.string().max(8 * 1024 * 1024)
const failure = z.object({ kind: z.custom(isFaultKind), detail: text }).optional()
const result = z.object({
  exitCode: z.int().nullable(),
  stdout: text,
  // What comes over this channel was not read with care yet.
  json: z.undefined().optional(),
  stderr: text,
  isStderrCut: z.literal(true).optional(),
  isTruncated: z.boolean(),
  failure,
  inOwnFolder: z.literal(true).optional(),
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
  z.object({ type: z.literal('stderr'), id: count, text }),
  z.object({ type: z.literal('ended'), id: count, failure }),
])

/** The result of a run on another machine. Undefined: it is none. */
export const readRunResult = (said: unknown): RunResult | undefined =>
  result.safeParse(said).data as RunResult | undefined

/**
 * Reads a message of a hook host. A hook runs as the host's user, so it may be able to write into the host's
 * channel: what has another form must not reach the gate, and is undefined.
 */
export const readFromHost = (said: unknown): FromHost | undefined =>
  message.safeParse(said).data as FromHost | undefined
