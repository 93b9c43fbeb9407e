import { createHash } from 'node:crypto'
import { createBridgeService, type BridgeServicePorts } from '../../../src/bridge/service/service.ts'
import type { BridgeReport } from '../../../src/bridge/service/report.ts'
import { readEvent, replyTo, takesChange, together } from '../../../src/dialects/clients.ts'
import { hearsRefusals, isSideBySide, decodeFor, stdinFor, viewFor } from '../../../src/dialects/dialects.ts'
import { callerOf, failClosed, noOpinion } from '../../../src/dialects/gates.ts'
import { responsibleAiEvents } from '../../../src/dialects/responsibleai/events.ts'
import { createObservedHooks as createHooks } from '../../../src/handlers/observers/observed-hooks.ts'
import { isObject, type Json, type JsonObject } from '../../../src/core/model/base/json.ts'
import { payloadOf } from '../../../src/core/model/events/payload.ts'
import { faultAnswer } from '../../../src/core/model/hooks/answer.ts'
import type { ArmedHook } from '../../../src/core/model/hooks/entry.ts'
import { checkEvent } from '../../../src/server/fields.ts'
import { armed } from '../../handlers/armed.ts'
import type { ApprovalRule, Rule, Vector } from './vectors.ts'

/**
 * The gate that the vectors run against: the bridge service in front of the hook plane. The interceptors and
 * the resolver of a vector are hooks in it, and print what the vector says.
 */

const name = 'responsibleai-agent-hooks'

/** The value at a path such as `response.tool_calls[0].name`. */
export const at = (value: Json | undefined, path: string): Json | undefined =>
  path
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .reduce((inner: Json | undefined, part) => {
      if (Array.isArray(inner)) return inner[Number(part)] as Json | undefined
      return isObject(inner) ? inner[part] : undefined
    }, value)

const fits = (context: JsonObject, match: JsonObject = {}): boolean =>
  Object.entries(match).every(
    ([path, wanted]) => JSON.stringify(at(context, path)) === JSON.stringify(wanted),
  )

/** The agent binds an approval to what it shows: here to the target alone. */
export const identityOf = (context: JsonObject): string =>
  createHash('sha256')
    .update(JSON.stringify(context['target'] ?? null))
    .digest('hex')

interface Printed {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}
const prints = (json: JsonObject): Printed => ({ exitCode: 0, stdout: JSON.stringify(json), stderr: '' })
const raises: Printed = { exitCode: 1, stdout: '', stderr: 'ctk fault: raise' }

const intercept = (rules: readonly Rule[], context: JsonObject): Printed => {
  const rule = rules.find((one) => one.at === context['interception_point'] && fits(context, one.match))
  if (rule?.fault === 'raise') return raises
  if (rule?.fault === 'malformed_verdict') return prints({ decision: 'transform' })
  // A hook is another process, so what it does to its copy of the context reaches nobody.
  return prints(rule?.return ?? { decision: 'allow' })
}

const resolved = (rules: readonly ApprovalRule[], request: JsonObject): Printed => {
  const context = request['context']
  const rule = rules.find((one) => isObject(context ?? null) && fits(context as JsonObject, one.match))
  if (rule === undefined)
    return prints({ outcome: 'unresolved', context_identity: request['context_identity'] ?? null })
  const { outcome, verdict, fault, identity_override, echo_recomputed } = rule.resolve
  if (fault !== undefined) return raises
  const echo =
    echo_recomputed === true
      ? identityOf(context as JsonObject)
      : (identity_override ?? request['context_identity'])
  return prints({
    outcome: outcome ?? '',
    context_identity: echo ?? null,
    ...(verdict === undefined ? {} : { verdict }),
  })
}

/** The hooks of a vector: each interceptor at each of the eight points, and the resolver. */
const hooksOf = ({ interceptor_script: one, interceptor_scripts: all, approval_script, mode }: Vector) => {
  const scripts = all ?? [one ?? []]
  const shadow = mode === 'evaluate_only' ? ({ isShadow: true } as const) : {}
  const hooks: {
    readonly hook: ArmedHook
    readonly index: number
    readonly says: (stdin: JsonObject) => Printed
  }[] = []
  for (const native of responsibleAiEvents) {
    if (native.event === undefined) continue
    const entry = { event: native.event, dialect: { name, event: native.name }, onError: 'block' } as const
    if (native.name === 'approval_request') {
      if (approval_script.length > 0)
        hooks.push({
          hook: armed('resolver', entry),
          index: -1,
          says: (request) => resolved(approval_script, request),
        })
      continue
    }
    for (const [index, rules] of scripts.entries())
      hooks.push({
        hook: armed(`${index}:${native.name}`, { ...entry, priority: 900 - index }, shadow),
        index,
        says: (context) => intercept(rules, context),
      })
  }
  return hooks
}

export const openGate = (vector: Vector) => {
  const hooks = hooksOf(vector)
  /** What the first interceptor was asked, in order. */
  const seen: JsonObject[] = []
  let shadowsAnswered = (): void => undefined
  const plane = createHooks({
    armed: () => hooks.map(({ hook }) => hook),
    revision: () => 1,
    view: viewFor,
    isSideBySide,
    hearsRefusals,
    retire: () => undefined,
    recordShadows: () => shadowsAnswered(),
    now: () => 0,
    elapsedMs: () => 0,
    log: () => undefined,
    run: async ({ fingerprint }, payload) => {
      const one = hooks.find(({ hook }) => hook.fingerprint === fingerprint)
      if (one === undefined) throw new Error(`no hook ${fingerprint}`)
      const stdin = JSON.parse(await stdinFor(one.hook, payload)) as JsonObject
      if (one.index === 0 && payload.attempt === 1) seen.push(stdin)
      return { ...one.says(stdin), isTruncated: false, durationMs: 0 }
    },
    decode: (hook, current, result) =>
      result.failure === undefined
        ? decodeFor(hook, current, result)
        : faultAnswer(result.failure.kind, result.failure.detail),
  })
  type Parsed = Extract<ReturnType<typeof readEvent>, { kind: 'report' }> & BridgeReport
  const ports: BridgeServicePorts<Parsed> = {
    readEvent,
    replyTo,
    takesChange,
    together,
    failClosed,
    noOpinion,
    callerOf: (client, stdin) => callerOf(client, {}, stdin),
    checkEvent,
    fire: async ({ event, agentId, sessionId, cwd, fields }) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      shadowsAnswered = resolve
      const verdict = await plane.judge(
        payloadOf(
          event,
          {
            event_id: 'e',
            timestamp: '2030-01-01T00:00:00.000Z',
            session_id: sessionId,
            agent_id: agentId,
            cwd,
          },
          fields,
        ),
      )
      // Shadows are asked after the verdict. The next step waits for them, so that the order is certain.
      if (plane.shadowsOf(event) > 0) await promise
      return { kind: 'verdict', verdict }
    },
    disclosed: () => '',
    record: () => undefined,
    tellOwners: () => undefined,
    isOn: () => true,
    isAgent: () => false,
    workspace: '/workspace',
    newId: () => 'id',
    now: () => 0,
    elapsedMs: () => 0,
  }
  const service = createBridgeService(ports)
  return {
    seen,
    ask: async (event: string, said: JsonObject): Promise<JsonObject> =>
      (await service.answer(name, event, { text: JSON.stringify(said) }, { chain: [] })) ?? {},
    stop: () => plane.stop(),
  }
}
