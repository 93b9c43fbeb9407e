import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Tracer,
} from '@opentelemetry/api'
import type { Clock } from '../core/model/base/clock.ts'
import type { Payload } from '../core/model/events/payload.ts'
import { shortJson } from '../shared/events/short-json.ts'
import type { Answer } from '../core/model/hooks/answer.ts'
import type { RecordedHook, Verdict } from '../core/model/hooks/verdict.ts'
import { genAi, guardrail, own, targetOf } from './names.ts'

/** More hooks of one event have no span of their own. */
const maxHooks = 100
/** What was judged is cut, because spans wait in memory for the collector, in characters. */
const maxContent = 8000
/** Names, identifiers and reasons are cut, in characters. */
const maxText = 300

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, maxText).toWellFormed() : undefined

const textOfJson = (payload: Payload): string => {
  const { json } = shortJson(payload)
  return typeof json === 'string' ? json : JSON.stringify(json)
}

/** What a hook said. An abstention lets the step go on. Undefined: it failed. */
const verdictOf = ({ answer, rewrote }: RecordedHook): string | undefined => {
  const kind: Answer['kind'] = answer?.kind ?? 'abstain'
  if (kind === 'fault') return undefined
  if (kind === 'block') return 'deny'
  if (kind === 'ask') return 'escalate'
  return rewrote === undefined ? 'allow' : 'modify'
}

/** What the gate did with the event. */
const actionOf = ({ verdict, hooks }: Verdict): string => {
  if (verdict !== 'allow') return verdict === 'block' ? 'block' : 'escalate'
  return hooks.some(({ rewrote }) => rewrote !== undefined) ? 'modify' : 'allow'
}

export interface Traces {
  /**
   * Makes a span of an event that was judged, and below it one of each hook that was asked. `payload`: as it
   * came. `durationMs`: from then to now.
   */
  judged(payload: Payload, verdict: Verdict, durationMs: number): void
}

/** `hasContent`: spans also say what was judged and why. */
export const createTraces = (
  tracer: Tracer,
  clock: Clock,
  { hasContent }: { readonly hasContent: boolean },
): Traces => {
  const contentOf = (payload: Payload): Attributes =>
    hasContent ? { [guardrail.input]: textOfJson(payload).slice(0, maxContent).toWellFormed() } : {}
  const reasonOf = (reason: string | undefined): Attributes => {
    const text = hasContent ? textOf(reason) : undefined
    return text === undefined ? {} : { [guardrail.reason]: text }
  }

  const judged = (payload: Payload, verdict: Verdict, durationMs: number): void => {
    const endedAtMs = clock.now()
    const endedMs = clock.elapsedMs()
    const call = textOf(payload['tool_use_id'])
    const tool = textOf(payload['tool_name'])
    const [targetType, targetSubtype] = targetOf(payload.event)
    const shared: Attributes = {
      [genAi.agent]: textOf(payload.agent_id),
      [genAi.conversation]: textOf(payload.session_id),
      [guardrail.targetType]: targetType,
      [guardrail.targetSubtype]: targetSubtype,
      [guardrail.action]: actionOf(verdict),
      ...(call === undefined ? {} : { [guardrail.targetId]: call }),
    }
    const event = tracer.startSpan(
      tool === undefined ? `hookgate ${payload.event}` : `${genAi.executeTool} ${tool}`,
      {
        kind: SpanKind.INTERNAL,
        startTime: endedAtMs - durationMs,
        attributes: {
          ...shared,
          ...(tool === undefined ? {} : { [genAi.operation]: genAi.executeTool, [genAi.tool]: tool }),
          ...(call === undefined ? {} : { [genAi.call]: call }),
          [own.event]: payload.event,
          [own.id]: payload.event_id,
          [own.revision]: verdict.revision,
          ...(verdict.by === undefined ? {} : { [guardrail.component]: textOf(verdict.by) }),
          ...reasonOf(verdict.reason),
          // As hooks left it: a secret that one of them took out must not reach the collector.
          ...contentOf(verdict.payload),
        },
      },
      ROOT_CONTEXT,
    )
    if (event.isRecording()) {
      const inside = trace.setSpan(ROOT_CONTEXT, event)
      for (const hook of verdict.hooks.filter(({ fired }) => fired).slice(0, maxHooks)) {
        const { fingerprint, label, answer, askedAtMs, durationMs: hookMs = 0, rewrote } = hook
        const said = verdictOf(hook)
        const startedAtMs = endedAtMs - (askedAtMs === undefined ? hookMs : endedMs - askedAtMs)
        const span = tracer.startSpan(
          `${guardrail.run} ${textOf(label)}`,
          {
            // The hook is a program, a server or a model outside of this process.
            kind: SpanKind.CLIENT,
            startTime: startedAtMs,
            attributes: {
              ...shared,
              [genAi.operation]: guardrail.run,
              [guardrail.component]: textOf(label),
              [guardrail.policy]: fingerprint,
              ...(said === undefined ? {} : { [guardrail.verdict]: said }),
              ...(rewrote === undefined ? {} : { [guardrail.isModified]: true }),
              ...(answer?.fault === undefined ? {} : { 'error.type': answer.fault.kind }),
              ...reasonOf(answer?.reason),
            },
          },
          inside,
        )
        if (answer?.kind === 'fault') span.setStatus({ code: SpanStatusCode.ERROR })
        span.end(startedAtMs + hookMs)
      }
    }
    event.end(endedAtMs)
  }
  return { judged }
}
