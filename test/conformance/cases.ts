import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { FOREIGN_DIALECTS } from '../../src/core/model/hooks/dialect.ts'
import { EVENT_NAMES } from '../../src/core/model/events/event.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'

/**
 * The form of the cases; README.md beside this file says it in words, for whoever reads them in another
 * language.
 */

const json: z.ZodType<JsonObject> = z.record(z.string(), z.json())
const dialect = z.enum(['native', ...FOREIGN_DIALECTS])
const common = { name: z.string().min(1), ours: z.string().min(1).optional() }
const matcher = z
  .strictObject({ tool: z.string(), pattern: z.string(), field: z.string() })
  .partial()
  .optional()
/** The options of one hook as that system's own file spells them. */
const written = json.optional()

const answer = z.strictObject({
  kind: z.enum(['abstain', 'allow', 'ask', 'block', 'fault']),
  reason: z.string().optional(),
  rewrite: json.optional(),
  context: z.string().optional(),
  notes: z.array(z.string()).optional(),
  stops_turn: z.literal(true).optional(),
  fault: z.string().optional(),
})
export type ExpectedAnswer = z.infer<typeof answer>

/** What a handler leaves behind → what it answers. */
const answerCase = z.strictObject({
  ...common,
  kind: z.literal('answer'),
  dialect,
  event: z.string(),
  payload: json.optional(),
  exit_code: z.int().nullable().default(0),
  stdout: z.string().default(''),
  stderr: z.string().default(''),
  is_truncated: z.boolean().default(false),
  answer,
})

/** Several hooks' answers → one verdict. Each hook says its `says` in turn, the last one again and again. */
const verdictCase = z.strictObject({
  ...common,
  kind: z.literal('verdict'),
  event: z.enum(EVENT_NAMES),
  payload: json.optional(),
  deadline_ms: z.int().optional(),
  hooks: z.array(
    z.strictObject({
      name: z.string(),
      dialect: dialect.default('native'),
      native_event: z.string().optional(),
      matcher,
      written,
      on_error: z.enum(['warn', 'block', 'ignore']).optional(),
      priority: z.int().default(100),
      timeout: z.number().optional(),
      says: z
        .array(
          z.strictObject({
            exit_code: z.int().nullable().default(0),
            stdout: z.string().default(''),
            stderr: z.string().default(''),
            takes: z.enum(['no time', 'too long']).default('no time'),
          }),
        )
        .min(1),
    }),
  ),
  verdict: z.strictObject({
    verdict: z.enum(['allow', 'ask', 'block']),
    is_consent: z.boolean().optional(),
    reason: z.string().optional(),
    by: z.string().optional(),
    payload: json.optional(),
    contexts: z.array(z.string()).optional(),
    notes: z.array(z.string()).optional(),
    warnings: z.array(z.string()).optional(),
    stops_turn: z.literal(true).optional(),
    asked: z.record(z.string(), z.int()).optional(),
  }),
})

/** One of our events → what a handler of that system reads on stdin. */
const stdinCase = z.strictObject({
  ...common,
  kind: z.literal('stdin'),
  dialect,
  event: z.string(),
  payload: json,
  stdin: json,
  absent: z.array(z.string()).optional(),
})

/** A matcher on that system's own names → whether the hook is asked. */
const matcherCase = z.strictObject({
  ...common,
  kind: z.literal('matcher'),
  dialect,
  event: z.string(),
  payload: json,
  matcher,
  written,
  matches: z.boolean(),
})

/** One hook in that system's own file → what is proposed here. */
const proposalCase = z.strictObject({
  ...common,
  kind: z.literal('proposal'),
  dialect: z.enum(FOREIGN_DIALECTS),
  event: z.string(),
  written,
  proposes: z.union([
    z
      .strictObject({
        event: z.enum(EVENT_NAMES),
        on_error: z.enum(['warn', 'block', 'ignore']),
        timeout_ms: z.number(),
        is_async: z.boolean(),
        priority: z.int(),
      })
      .partial(),
    z.literal('nothing'),
  ]),
})

/** What that system's agent reports on stdin → our event. */
const reportCase = z.strictObject({
  ...common,
  kind: z.literal('report'),
  dialect: z.enum(FOREIGN_DIALECTS),
  event: z.string(),
  stdin: z.json(),
  reads: z.union([
    z.strictObject({
      event: z.enum(EVENT_NAMES),
      session_id: z.string().optional(),
      cwd: z.string().optional(),
      agent_id: z.string().optional(),
      fields: json,
    }),
    z.literal('nothing'),
  ]),
})

/** Our verdict → what that system's agent reads at exit 0. `null`: nothing is printed. */
const replyCase = z.strictObject({
  ...common,
  kind: z.literal('reply'),
  dialect: z.enum(FOREIGN_DIALECTS),
  event: z.string(),
  payload: json.optional(),
  verdict: z.strictObject({
    verdict: z.enum(['allow', 'ask', 'block']),
    is_consent: z.boolean().default(false),
    reason: z.string().optional(),
    payload: json.optional(),
    contexts: z.array(z.string()).default([]),
    notes: z.array(z.string()).default([]),
    stops_turn: z.literal(true).optional(),
  }),
  prints: json.nullable(),
})

const oneCase = z.discriminatedUnion('kind', [
  answerCase,
  verdictCase,
  stdinCase,
  matcherCase,
  proposalCase,
  reportCase,
  replyCase,
])
export type Case = z.infer<typeof oneCase>

/** Every case of every file beside this one. Throws when a file does not have the form. */
export const readCases = (): readonly { readonly file: string; readonly cases: readonly Case[] }[] =>
  readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((file) => ({
      file,
      cases: z.array(oneCase).parse(JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8'))),
    }))
