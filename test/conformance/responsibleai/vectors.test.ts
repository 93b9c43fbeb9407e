import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../src/core/model/base/json.ts'
import { expectGenerated } from '../../config-docs/generated.ts'
import { tableOf } from '../../config-docs/table.ts'
import { left, ours } from './differences.ts'
import { at } from './gate.ts'
import { runVector, type Ruling, type Run } from './host.ts'
import { vectors, type Vector } from './vectors.ts'

const same = (got: Json | undefined, wanted: Json): boolean => JSON.stringify(got) === JSON.stringify(wanted)
const shown = (value: Json | undefined): string => (value === undefined ? 'nothing' : JSON.stringify(value))

/** Takes the expected steps in order, each the next of its kind. */
const inOrder = <T, W extends { readonly interception_point: string }>(
  wanted: readonly W[],
  found: readonly T[],
  pointOf: (one: T) => Json | undefined,
): readonly (readonly [W, T | undefined])[] => {
  let from = 0
  return wanted.map((one) => {
    const next = found.findIndex((other, index) => index >= from && pointOf(other) === one.interception_point)
    if (next === -1) return [one, undefined]
    from = next + 1
    return [one, found[next]]
  })
}

const seenDifferences = (
  { expect: { interceptions, interceptions_absent, sequence_strict } }: Vector,
  { seen }: Run,
) => {
  const points = seen.map((context) => context['interception_point'])
  const sequences = seen.map((context) => Number(context['sequence']))
  return [
    ...inOrder(interceptions, seen, (context) => context['interception_point']).flatMap(
      ([wanted, context]) => {
        const point = wanted.interception_point
        if (context === undefined) return [`no hook was asked at ${point}`]
        const text = JSON.stringify(context)
        return [
          ...Object.entries(wanted.context ?? {})
            .filter(([path, value]) => !same(at(context, path), value))
            .map(([path, value]) => `${path} at ${point}: ${shown(at(context, path))}, not ${shown(value)}`),
          ...wanted.context_must_contain
            .filter((words) => !text.includes(words))
            .map((words) => `${point} lacks ${words}`),
          ...wanted.context_must_not_contain
            .filter((words) => text.includes(words))
            .map((words) => `${point} has ${words}`),
        ]
      },
    ),
    ...interceptions_absent
      .filter((point) => points.includes(point))
      .map((point) => `a hook was asked at ${point}`),
    ...(sequence_strict && sequences.some((one, index) => index > 0 && one <= (sequences[index - 1] ?? 0))
      ? ['the sequence does not grow']
      : []),
  ]
}

/**
 * Of a record only these parts have a counterpart here: what was decided, why, and whether a person was
 * asked.
 */
const ruledDifferences = ({ expect: { records } }: Vector, { rulings }: Run): readonly string[] =>
  inOrder(records, rulings, ({ point }: Ruling) => point).flatMap(
    ([{ assert, interception_point: point }, ruling]) => {
      if (ruling === undefined) return [`nothing was decided at ${point}`]
      const { verdict, resolvedBy } = ruling
      const { 'verdict.decision': decision, 'verdict.reason': reason, resolved_by } = assert
      const words = JSON.stringify(verdict)
      return [
        ...(decision === undefined || same(verdict['decision'], decision)
          ? []
          : [`the decision at ${point}: ${shown(verdict['decision'])}, not ${shown(decision)}`]),
        ...(typeof reason !== 'string' || words.includes(reason)
          ? []
          : [`the verdict at ${point} does not say ${reason}`]),
        ...(resolved_by === undefined || same(resolvedBy, resolved_by)
          ? []
          : [`resolved by ${shown(resolvedBy)}, not ${shown(resolved_by)}`]),
      ]
    },
  )

const runDifferences = (
  { expect: wanted }: Vector,
  { outcome, output, invocations }: Run,
): readonly string[] => [
  ...(outcome === wanted.run_outcome ? [] : [`the run: ${outcome}, not ${wanted.run_outcome}`]),
  ...(wanted.final_output === undefined || same(output, wanted.final_output)
    ? []
    : [`the output: ${shown(output)}, not ${shown(wanted.final_output)}`]),
  ...(wanted.tool_invocations === undefined || same(invocations, wanted.tool_invocations)
    ? []
    : [`tools ran: ${shown(invocations)}, not ${shown(wanted.tool_invocations)}`]),
  ...wanted.tool_not_invoked
    .filter((name) => invocations.some((one) => one.name === name))
    .map((name) => `${name} ran`),
]

/** The members that a context must have at each point, by its section 4. */
const required: Readonly<Record<string, readonly string[]>> = {
  agent_startup: ['agent_init.tools_registered'],
  input: ['input.content', 'input.role'],
  pre_model_call: ['model.id', 'messages'],
  post_model_call: ['model.id', 'response.content', 'response.tool_calls', 'response.finish_reason'],
  pre_tool_call: ['tool_call.id', 'tool_call.name', 'tool_call.args'],
  post_tool_call: [
    'tool_call.id',
    'tool_call.name',
    'tool_call.args',
    'tool_result.value',
    'tool_result.is_error',
  ],
  output: ['output.content'],
  agent_shutdown: ['summary.reason'],
}
const always = ['spec', 'timestamp', 'sequence', 'agent.id', 'agent.framework', 'session.id', 'target']

const missingIn = (context: JsonObject): readonly string[] =>
  [
    ...always,
    ...(Object.entries(required).find(([point]) => point === context['interception_point'])?.[1] ?? [
      'a point',
    ]),
  ].filter((path) => at(context, path) === undefined)

const runnable = vectors.filter(({ id }) => !Object.hasOwn(left, id))

describe('the vectors of Agent Hooks 0.1', () => {
  test.each(runnable.map((vector) => [vector.id, vector.title, vector] as const))(
    '%s: %s',
    async (id, _, vector) => {
      const run = await runVector(vector)
      expect(run.seen.flatMap(missingIn)).toEqual([])
      expect([
        ...seenDifferences(vector, run),
        ...ruledDifferences(vector, run),
        ...runDifferences(vector, run),
      ]).toEqual(Object.hasOwn(ours, id) ? ours[id]?.differs : [])
    },
  )

  test('each vector that is left out, and each that differs, is one of them', () => {
    const ids = vectors.map(({ id }) => id)
    expect([...Object.keys(ours), ...Object.keys(left)].filter((id) => !ids.includes(id))).toEqual([])
    expect(Object.keys(ours).filter((id) => Object.hasOwn(left, id))).toEqual([])
  })
})

test('the page lists each difference with its reason', () => {
  const cell = (text: string): string => text.replaceAll('|', String.raw`\|`)
  expectGenerated(
    new URL('../README.md', import.meta.url),
    'responsibleai',
    [
      `${runnable.length} of the ${vectors.length} vectors run, and ${runnable.length - Object.keys(ours).length} of them come out as they say.`,
      tableOf(
        ['Vector', 'What differs', 'Why'],
        Object.entries(ours).map(([id, { differs, why }]) => [id, cell(differs.join('; ')), why]),
      ),
      tableOf(
        ['Left out', 'Why'],
        Object.entries(left).map(([id, why]) => [id, why]),
      ),
    ].join('\n\n'),
  )
})
