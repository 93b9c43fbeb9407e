import { describe, expect, test } from 'vitest'
import { readEvent, replyTo, type Heard } from '../../../src/dialects/clients.ts'
import { responsibleAiEvents } from '../../../src/dialects/responsibleai/events.ts'
import { responsibleAi } from '../../../src/dialects/responsibleai/responsibleai.ts'
import { isObject, type JsonObject } from '../../../src/core/model/base/json.ts'
import { syntheticPayload } from '../../../src/shared/events/synthetic.ts'
import { heardBy } from '../client-rules.ts'
import { contextFor } from './contexts.ts'

const client = 'responsibleai-agent-hooks'
const now = new Date('2026-11-20T10:00:00Z')

type Report = Extract<Heard, { kind: 'report' }>
const reportOf = (point: string, stdin: JsonObject): Report => {
  const heard = readEvent(client, point, JSON.stringify(stdin))
  if (heard.kind !== 'report') throw new Error(`${point}: ${JSON.stringify(heard)}`)
  return heard
}

test('there are the eight points and the request for an approval, and each is one event of ours', () => {
  expect(responsibleAiEvents.map(({ name, event }) => [name, event])).toEqual([
    ['agent_startup', 'on_session_start'],
    ['input', 'on_user_message'],
    ['pre_model_call', 'pre_llm_call'],
    ['post_model_call', 'post_llm_call'],
    ['pre_tool_call', 'pre_tool_call'],
    ['post_tool_call', 'transform_tool_result'],
    ['output', 'on_outbound_message'],
    ['agent_shutdown', 'on_session_end'],
    ['approval_request', 'on_permission_request'],
  ])
})

describe.each(responsibleAiEvents.map((native) => [native.name, native] as const))('%s', (name, native) => {
  const payload = syntheticPayload(native.event ?? 'on_notification', '/work', now)
  const encoded = responsibleAi.encode(native, payload)

  test('what a hook gets is what an agent sends: the same is read of it, and written again', () => {
    const { report } = reportOf(name, encoded)
    expect(responsibleAi.encode(native, { ...payload, ...report.fields })).toEqual(encoded)
  })

  test('an agent that changes its target beside what it is about is refused', () => {
    const context = name === 'approval_request' ? encoded['context'] : encoded
    const forged = { ...(isObject(context ?? null) ? (context as JsonObject) : {}), target: { forged: true } }
    const heard = readEvent(
      client,
      name,
      JSON.stringify(name === 'approval_request' ? { ...encoded, context: forged } : forged),
    )
    expect(heard).toMatchObject({ kind: 'wrong', why: expect.stringContaining('"target"') as string })
  })
})

test('the change of a hook is part of the approval, from the question to the answer', () => {
  const call = { id: 'c', name: 'wire', args: { amount: 5, to: 'ada' } }
  const context = {
    ...contextFor(client, 'pre_tool_call'),
    tool_call: call,
    target: call.args,
  }
  const heard = reportOf('pre_tool_call', context)
  const payload = { ...syntheticPayload('pre_tool_call', '/w', now), ...heard.report.fields }
  const base = { isConsent: false, contexts: [], notes: [] }
  const changed = { amount: 3, to: 'ada' }
  const asked = replyTo(client, heard, {
    ...base,
    verdict: 'ask',
    reason: 'sure?',
    payload: { ...payload, tool_input: changed },
  })
  // An agent that has nobody who approves reads a plain deny.
  expect(heardBy(client, 'pre_tool_call', asked).refused).toContain('sure?')
  const request = reportOf('approval_request', {
    context_identity: 'sha256:1',
    interception_point: 'pre_tool_call',
    verdict: asked ?? {},
    context,
  })
  // The person sees the call as it will be done.
  expect(request.report.fields).toMatchObject({ tool_name: 'wire', tool_input: changed })
  const said = syntheticPayload('on_permission_request', '/w', now)
  expect(
    replyTo(client, request, {
      ...base,
      verdict: 'allow',
      isConsent: true,
      payload: { ...said, ...request.report.fields },
    }),
  ).toEqual({
    outcome: 'approve',
    context_identity: 'sha256:1',
    verdict: { decision: 'transform', transform: { path: '$target', value: changed } },
  })
})
