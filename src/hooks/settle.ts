import { abstain, faultAnswer, type Answer } from '../model/answer.ts'
import { labelOf, type ArmedHook } from '../model/entry.ts'
import { contractOf } from '../model/event.ts'
import type { Payload } from '../model/payload.ts'
import type { HookTrace } from '../model/verdict.ts'
import { applyRewrite, type Rewritten } from './rewrite.ts'

export const maxQuestions = 3

export interface SettlePorts {
  /** Which hooks match the payload, by their place in the order. */
  matches(payload: Payload): ReadonlySet<number> | Promise<ReadonlySet<number>>
  /** Asks one hook; never rejects. `remainingMs` is what is left of the event's deadline. */
  ask(hook: ArmedHook, payload: Payload, remainingMs: number): Promise<Answer>
  /** False once an owner revoked the hook or switched off: its answer is dropped. */
  isLive(hook: ArmedHook): boolean
  now(): number
}

/** One hook's standing in the round. */
export interface Standing {
  readonly hook: ArmedHook
  questions: number
  /** The payload version that this hook has no objection to; it need not be asked about that one again. */
  agreedTo: number
  /** Its newest answer: what it said about older versions no longer counts, except contexts and notes. */
  answer: Answer | undefined
  contexts: readonly string[]
  notes: readonly string[]
  why: string
  durationMs: number
}

export interface Settlement {
  readonly payload: Payload
  readonly standings: readonly Standing[]
  readonly warnings: readonly string[]
  /** The hooks that could not be brought to agree within their questions or the deadline. */
  readonly unsettled: readonly string[]
  /** The hook whose block, or whose fault that fails closed, ended the round. */
  readonly blocker?: Standing
}

const begin = (hook: ArmedHook): Standing => ({
  hook, questions: 0, agreedTo: -1, answer: undefined, contexts: [], notes: [], why: 'was not reached', durationMs: 0,
})

export const blocks = (standing: Standing, canBlock: boolean): boolean =>
  canBlock && (standing.answer?.kind === 'block' || (standing.answer?.kind === 'fault' && standing.hook.entry.onError === 'block'))

/**
 * Asks the hooks one after another, each about the payload as it stands, round and round, until every hook either
 * does not match or has answered without a change on the payload that will be used. A rewrite is its author's
 * consent to what it wrote. What leaves this function is a fixed point, or it is unsettled.
 */
export const settle = async (
  hooks: readonly ArmedHook[], first: Payload, deadlineMs: number, ports: SettlePorts,
): Promise<Settlement> => {
  const canBlock = contractOf(first.event).gate.includes('block')
  const standings = hooks.map(begin)
  const warnings: string[] = []
  const endsAtMs = ports.now() + deadlineMs
  let payload = first
  let version = 0
  let hits = await ports.matches(payload)

  const done = (rest: Partial<Settlement> = {}): Settlement => ({ payload, standings, warnings, unsettled: [], ...rest })
  const disputed = (last: Standing): readonly string[] => {
    const authors = standings.filter((standing) => standing.answer?.rewrite !== undefined || standing === last)
    return authors.map(({ hook }) => labelOf(hook.entry))
  }

  const question = async (standing: Standing, current: Payload, remainingMs: number): Promise<Rewritten> => {
    const unchanged = { payload: current, isChanged: false, warnings: [] }
    standing.questions += 1
    standing.why = 'matched'
    const askedAtMs = ports.now()
    const answer = await ports.ask(standing.hook, { ...current, attempt: standing.questions }, remainingMs)
    standing.durationMs += ports.now() - askedAtMs
    if (!ports.isLive(standing.hook)) {
      standing.why = 'was revoked or switched off while it ran; its answer was dropped'
      standing.answer = undefined
      return unchanged
    }
    standing.answer = answer
    standing.contexts = answer.context === undefined ? standing.contexts : [...new Set([...standing.contexts, answer.context])]
    standing.notes = [...new Set([...standing.notes, ...answer.notes])]
    if (answer.rewrite === undefined || answer.kind === 'block') return unchanged
    const rewritten = applyRewrite(current, answer.rewrite)
    if (rewritten.fault !== undefined) standing.answer = faultAnswer('rewrite', rewritten.fault)
    return { ...rewritten, warnings: rewritten.warnings.map((warning) => `${labelOf(standing.hook.entry)}: ${warning}`) }
  }

  for (let index = 0, quiet = 0; quiet < standings.length; index = (index + 1) % standings.length) {
    const standing = standings[index]
    if (standing === undefined) break
    quiet += 1
    if (standing.agreedTo === version) continue
    if (!hits.has(index) || !ports.isLive(standing.hook)) {
      standing.agreedTo = version
      if (standing.questions > 0) standing.answer = abstain
      else standing.why = hits.has(index) ? 'was revoked or switched off meanwhile' : 'did not match'
      continue
    }
    const remainingMs = endsAtMs - ports.now()
    if (standing.questions >= maxQuestions || remainingMs <= 0) return done({ unsettled: disputed(standing) })

    const next = await question(standing, payload, remainingMs)
    warnings.push(...next.warnings)
    if (next.isChanged) {
      payload = next.payload
      version += 1
      quiet = 1
      hits = await ports.matches(payload)
    }
    standing.agreedTo = version
    if (blocks(standing, canBlock)) return done({ blocker: standing })
  }
  return done()
}

/** What a trace says of one hook. */
export const traceOf = ({ hook, questions, answer, why, durationMs, notes }: Standing): HookTrace => ({
  fingerprint: hook.fingerprint,
  label: labelOf(hook.entry),
  fired: questions > 0,
  why: questions > 1 ? `${why}, asked ${questions} times` : why,
  ...(answer === undefined ? {} : { answer: { ...answer, notes } }),
  ...(questions > 0 ? { durationMs } : {}),
})
