import { isObject, type Json, type JsonObject } from '../../../src/core/model/base/json.ts'
import { at, identityOf, openGate } from './gate.ts'
import type { Vector } from './vectors.ts'

/**
 * A small agent that keeps the obligations of Agent Hooks 0.1 (its sections 3, 4, 6 and 9). Its only
 * interceptor is the gate, and its approval resolver is the gate too, where a vector has one.
 */

export interface Ruling {
  readonly point: string
  readonly verdict: JsonObject
  readonly resolvedBy?: 'approval' | 'rejection'
}

export interface Run {
  readonly outcome: 'completed' | 'blocked'
  readonly output: Json | null
  readonly invocations: readonly { readonly name: string; readonly args: Json }[]
  readonly rulings: readonly Ruling[]
  readonly seen: readonly JsonObject[]
}

class Blocked extends Error {
  readonly verdict: JsonObject
  constructor(verdict: JsonObject) {
    super('blocked')
    this.verdict = verdict
  }
}

const deny = (reason: string): JsonObject => ({ decision: 'deny', reason })

/** Puts a value at a path of a target. */
const changed = (target: Json, path: string, value: Json): Json => {
  const [first, ...rest] = path.split(/[.[\]"]+/).filter((part) => part !== '')
  if (first === undefined) return value
  if (!isObject(target) || !Object.hasOwn(target, first))
    throw new Blocked(deny('host_error:transform_invalid'))
  return { ...target, [first]: changed(target[first] ?? null, rest.join('.'), value) }
}

/** Runs one session of a vector. */
export const runVector = async (vector: Vector): Promise<Run> => {
  const { scenario, approval_script, identity_provider, redact_for_approval } = vector
  const gate = openGate(vector)
  const rulings: Ruling[] = []
  const invocations: { readonly name: string; readonly args: Json }[] = []
  let sequence = 0

  const contextOf = (point: string, members: JsonObject, target: Json): JsonObject => ({
    spec: 'agent-hooks/0.1',
    interception_point: point,
    timestamp: '2030-01-01T00:00:00.000Z',
    sequence: sequence++,
    agent: { id: 'vector-agent', framework: 'vector-agent' },
    session: { id: vector.id },
    ...members,
    target,
  })

  const consult = async (point: string, verdict: JsonObject, context: JsonObject): Promise<JsonObject> => {
    const redacted = redact_for_approval.reduce((shown: JsonObject, path) => {
      const target = changed(shown['target'] ?? null, path.replace('$target', ''), '[redacted]')
      const call = shown['tool_call']
      return {
        ...shown,
        target,
        ...(isObject(call ?? null) ? { tool_call: { ...(call as JsonObject), args: target } } : {}),
      }
    }, context)
    const identity = identity_provider === null ? null : identityOf(redacted)
    const answer = await gate.ask('approval_request', {
      context_identity: identity,
      interception_point: point,
      verdict,
      context: redacted,
    })
    if ((answer['context_identity'] ?? null) !== identity)
      return deny('host_error:approval_identity_mismatch')
    if (answer['outcome'] === 'unresolved') return deny('host_error:approval_unresolved')
    const resolved = answer['verdict']
    return isObject(resolved ?? null) ? (resolved as JsonObject) : deny('host_error:approval_resolver_failed')
  }

  /** Asks about one step. Returns the target as it may be used, and throws when the step must not be done. */
  const emit = async (point: string, members: JsonObject, target: Json): Promise<Json> => {
    const context = contextOf(point, members, target)
    const own = await gate.ask(point, context)
    const isAsked = own['decision'] === 'deny' && own['approval'] !== undefined && approval_script.length > 0
    const verdict = isAsked ? await consult(point, own, context) : own
    rulings.push({
      point,
      verdict,
      ...(isAsked ? { resolvedBy: verdict['decision'] === 'deny' ? 'rejection' : 'approval' } : {}),
    })
    if (verdict['decision'] === 'allow') return target
    if (verdict['decision'] !== 'transform') throw new Blocked(verdict)
    const path = at(verdict, 'transform.path')
    return changed(
      target,
      typeof path === 'string' ? path.replace('$target', '') : '?',
      at(verdict, 'transform.value') ?? null,
    )
  }

  const callTool = async (
    { id, name, args }: { readonly id: string; readonly name: string; readonly args: JsonObject },
    said: (content: Json) => void,
  ): Promise<void> => {
    try {
      const judged = await emit('pre_tool_call', { tool_call: { id, name, args } }, args)
      invocations.push({ name, args: judged })
      const does = scenario.tools
        .find((tool) => tool.name === name)
        ?.behavior.find(
          ({ when_args: when }) => when === undefined || JSON.stringify(when) === JSON.stringify(judged),
        )
      const { return: value = null, is_error = true } = does ?? {}
      said(
        await emit(
          'post_tool_call',
          { tool_call: { id, name, args: judged }, tool_result: { value, is_error } },
          value,
        ),
      )
    } catch (error) {
      if (!(error instanceof Blocked)) throw error
      said(`blocked: ${JSON.stringify(error.verdict)}`)
    }
  }

  const converse = async (): Promise<Json | null> => {
    const init = { tools_registered: scenario.tools.map(({ name }) => name) }
    await emit('agent_startup', { agent_init: init }, init)
    const input = await emit('input', { input: scenario.input }, scenario.input)
    let messages: readonly Json[] = [{ role: scenario.input.role, content: at(input, 'content') ?? '' }]
    for (const { respond } of scenario.model_script) {
      const { content, tool_calls, finish_reason } = respond
      const asked = await emit('pre_model_call', { model: { id: 'scripted' }, messages }, messages)
      messages = Array.isArray(asked) ? asked : messages
      const response = { content, tool_calls, finish_reason }
      await emit('post_model_call', { model: { id: 'scripted' }, response }, response)
      if (tool_calls.length === 0) {
        const output = { content }
        return at(await emit('output', { output }, output), 'content') ?? null
      }
      messages = [...messages, { role: 'assistant', content: content ?? '' }]
      for (const call of tool_calls)
        await callTool(call, (said) => void (messages = [...messages, { role: 'tool', content: said }]))
    }
    return null
  }

  const end = async (reason: string): Promise<void> => {
    const summary = { reason }
    await emit('agent_shutdown', { summary }, summary).catch((error: unknown) => {
      if (!(error instanceof Blocked)) throw error
    })
    await gate.stop()
  }

  try {
    const output = await converse()
    await end('completed')
    return { outcome: 'completed', output, invocations, rulings, seen: gate.seen }
  } catch (error) {
    if (!(error instanceof Blocked)) throw error
    await end('error')
    return { outcome: 'blocked', output: null, invocations, rulings, seen: gate.seen }
  }
}
