import { z } from 'zod'
import { FOREIGN_DIALECTS, SHELLS } from '../hooks/dialect.ts'
import { HANDLER_TYPES, type Entry, type HandlerType } from '../hooks/entry.ts'
import { EVENT_NAMES } from '../events/event.ts'
import { nodeName } from '../nodes/node.ts'

/** The limits of a budget in one span of time. */
const Amounts = z.strictObject({
  tokens: z.number().positive().exactOptional(),
  dollars: z.number().positive().exactOptional(),
  steps: z.number().positive().exactOptional(),
  minutes: z.number().positive().exactOptional(),
})

/** Strict, because an option that this version does not know could change the meaning of an old approval. */
export const EntryShape = z.strictObject({
  event: z.enum(EVENT_NAMES),
  type: z.enum(HANDLER_TYPES),
  command: z.string(),
  args: z.array(z.string()),
  shell: z.enum(SHELLS).exactOptional(),
  dialect: z.strictObject({ name: z.enum(FOREIGN_DIALECTS), event: z.string() }).exactOptional(),
  agents: z.array(z.string()).exactOptional(),
  node: z.string().regex(nodeName).exactOptional(),
  nodes: z.literal('all').exactOptional(),
  matcher: z
    .strictObject({
      tool: z.string().exactOptional(),
      pattern: z.string().exactOptional(),
      field: z.string().exactOptional(),
    })
    .exactOptional(),
  condition: z.string().exactOptional(),
  timeoutMs: z.number(),
  onError: z.enum(['warn', 'block', 'ignore']),
  priority: z.number(),
  isAsync: z.boolean(),
  isWarm: z.literal(true).exactOptional(),
  cwd: z.string().exactOptional(),
  env: z.record(z.string(), z.string()),
  files: z.array(z.string()),
  root: z.string().exactOptional(),
  headers: z.record(z.string(), z.string()).exactOptional(),
  signWith: z.string().exactOptional(),
  model: z.string().exactOptional(),
  limits: z
    .strictObject({
      turn: Amounts.exactOptional(),
      session: Amounts.exactOptional(),
      day: Amounts.exactOptional(),
    })
    .exactOptional(),
  price: z.strictObject({ input: z.number().min(0), output: z.number().min(0) }).exactOptional(),
  quiet: z.union([z.string(), z.record(z.string(), z.string())]).exactOptional(),
  busyMs: z.number().positive().exactOptional(),
  origin: z.string(),
  description: z.string().exactOptional(),
  name: z.string().exactOptional(),
} satisfies Readonly<Record<keyof Entry, unknown>>)

export const Hash = z.string().regex(/^[0-9a-f]{64}$/)

const isProgram = (type: HandlerType): boolean => type === 'command' || type === 'process'

const Part = z.union([z.string(), z.object({ sealed: z.string() })])

export const ApprovalShape = z
  .strictObject({
    fingerprint: Hash,
    entry: EntryShape,
    words: z.array(z.union([Part, z.object({ text: z.array(Part).readonly() })])),
    interpreter: z.string().exactOptional(),
    unsealed: z.array(z.string()),
    hookDir: z.string(),
    files: z.array(
      z.object({ path: z.string(), sha256: Hash, bytes: z.number(), isExecutable: z.boolean() }),
    ),
    watched: z
      .array(
        z.strictObject({
          path: z.string(),
          sha256: Hash,
          bytes: z.number(),
          isExecutable: z.boolean().exactOptional(),
        }),
      )
      .exactOptional(),
    absent: z.array(z.string()).exactOptional(),
    unlinked: z.array(z.string()).exactOptional(),
    /** The owner chose that a failure blocks, whatever the entry says. Not part of the fingerprint. */
    failsClosed: z.literal(true).exactOptional(),
    /**
     * The owner chose that no failure blocks, even one that the agent can cause. Not part of the fingerprint.
     */
    failsOpen: z.literal(true).exactOptional(),
    /**
     * The hook is asked and recorded, and never decides. Not part of the fingerprint. An older hookgate does
     * not know this line, so it does not let the hook decide.
     */
    isShadow: z.literal(true).exactOptional(),
  })
  // Only a program has words to execute, and a program always has some.
  .refine(({ entry, words }) => words.length > 0 === isProgram(entry.type))
