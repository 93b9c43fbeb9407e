import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { JsonObject } from '../../../src/core/model/base/json.ts'

/** The form of the vectors of Agent Hooks 0.1. An unknown part is an error, so that none is overlooked. */

const object: z.ZodType<JsonObject> = z.record(z.string(), z.json())

const rule = z.strictObject({
  at: z.string(),
  match: object.optional(),
  return: object.optional(),
  fault: z.enum(['raise', 'malformed_verdict', 'mutate']).optional(),
})
export type Rule = z.infer<typeof rule>

const approvalRule = z.strictObject({
  match: object.optional(),
  resolve: z.strictObject({
    outcome: z.string().optional(),
    verdict: object.optional(),
    fault: z.literal('raise').optional(),
    identity_override: z.string().optional(),
    echo_recomputed: z.boolean().optional(),
  }),
})
export type ApprovalRule = z.infer<typeof approvalRule>

const call = z.strictObject({ id: z.string(), name: z.string(), args: object })

const vector = z.strictObject({
  id: z.string(),
  title: z.string(),
  spec_clause: z.string(),
  mode: z.enum(['enforce', 'evaluate_only']).default('enforce'),
  capabilities: z.array(z.string()).default([]),
  part: z.string().optional(),
  composition: object.optional(),
  identity_provider: z.string().nullable().optional(),
  redact_for_approval: z.array(z.string()).default([]),
  scenario: z.strictObject({
    input: z.strictObject({ content: z.json(), role: z.string() }),
    tools: z
      .array(
        z.strictObject({
          name: z.string(),
          schema: object.optional(),
          behavior: z.array(
            z.strictObject({
              when_args: object.optional(),
              return: z.json(),
              is_error: z.boolean().default(false),
            }),
          ),
        }),
      )
      .default([]),
    model_script: z
      .array(
        z.strictObject({
          respond: z.strictObject({
            content: z.json(),
            tool_calls: z.array(call),
            finish_reason: z.string(),
            stream: z.array(z.string()).optional(),
            stream_truncated: z.boolean().optional(),
          }),
        }),
      )
      .default([]),
  }),
  interceptor_script: z.array(rule).optional(),
  interceptor_scripts: z.array(z.array(rule)).optional(),
  approval_script: z.array(approvalRule).default([]),
  expect: z.strictObject({
    interceptions: z.array(
      z.strictObject({
        interception_point: z.string(),
        context: object.optional(),
        context_must_validate: z.boolean().optional(),
        context_must_contain: z.array(z.string()).default([]),
        context_must_not_contain: z.array(z.string()).default([]),
      }),
    ),
    sequence_strict: z.boolean().default(true),
    interceptions_absent: z.array(z.string()).default([]),
    tool_invocations: z.array(z.strictObject({ name: z.string(), args: object })).optional(),
    tool_not_invoked: z.array(z.string()).default([]),
    final_output: z.json().optional(),
    released_output: z.json().optional(),
    persisted_must_not_contain: z.array(z.string()).optional(),
    run_outcome: z.string(),
    run_outcome_by_posture: object.optional(),
    identities_equal: z.boolean().optional(),
    records: z
      .array(
        z.strictObject({
          interception_point: z.string(),
          assert: object.default({}),
          absent: z.array(z.string()).optional(),
          present: z.array(z.string()).optional(),
        }),
      )
      .default([]),
  }),
})
export type Vector = z.infer<typeof vector>

/** The vectors, as their authors publish them. LICENSE beside them is theirs. */
export const vectors: readonly Vector[] = z
  .array(vector)
  .parse(JSON.parse(readFileSync(new URL('vectors.json', import.meta.url), 'utf8')))
