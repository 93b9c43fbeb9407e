import type { JsonObject } from '../core/model/base/json.ts'
import { withFault, type Answer } from '../core/model/hooks/answer.ts'
import type { ListedHook } from '../shared/gate/catalogue.ts'
import { isForGate, labelOf, type ArmedHook } from '../core/model/hooks/entry.ts'
import type { Payload } from '../core/model/events/payload.ts'
import { syntheticPayloads } from '../shared/events/synthetic.ts'
import { prose, type Prose, verbatim, proseLines } from '../core/model/chat/prose.ts'
import { answerCheck } from './answer-check.ts'
import { bytesCheck } from './bytes-check.ts'
import type { Check, Finding, Patient, ResidentFacts, Warmth } from './check.ts'
import { driftCheck } from './drift-check.ts'
import { placementCheck } from './placement-check.ts'
import { residentCheck } from './resident-check.ts'
import { warmCheck, worthMs } from './warm-check.ts'
import { labelWords } from '../shared/said/our-words.ts'

const checks: readonly Check[] = [
  answerCheck,
  bytesCheck,
  residentCheck,
  warmCheck,
  driftCheck,
  placementCheck,
]

const signs: Readonly<Record<Finding['level'], string>> = { ok: '✓', warn: '⚠', bad: '✗' }
/** The time between two progress messages while hooks run, in milliseconds. */
const progressEveryMs = 4000
/** The most hooks of one run that are tested for a warm start. Each test takes about a second. */
const maxProbes = 8

const titleOf = ({ entry, isShadow }: ArmedHook): Prose =>
  isShadow === true
    ? prose`${verbatim(entry.event)}  ${labelWords(labelOf(entry))} · a shadow, which never decides`
    : prose`${verbatim(entry.event)}  ${labelWords(labelOf(entry))}`

export interface DoctorPorts {
  /** All approved hooks, whether the switch is on or off. It never returns an unapproved hook. */
  approved(): readonly ArmedHook[]
  rows(): readonly ListedHook[]
  /** The files and the interpreter of an approval in force. */
  approvedAs(fingerprint: string): Patient['approved']
  ask(hook: ArmedHook, payload: Payload, timeoutMs: number): Promise<{ answer: Answer; durationMs: number }>
  /** Why an event does not take a rewrite, in words. Undefined when it does. */
  rewriteFlaw(payload: Payload, rewrite: JsonObject): string | undefined
  /** True when the tool in the hook's matcher fits such an event. */
  isFor(hook: ArmedHook, payload: Payload): Promise<boolean>
  /** The resident programs that were asked since the gate started. */
  residents(): readonly (ResidentFacts & { readonly fingerprint: string })[]
  /**
   * Starts an instance that waits for its input, and finds out what it does meanwhile. It takes about a
   * second. Never rejects.
   */
  probe(hook: ArmedHook): Promise<Warmth>
  /** The findings about the whole instance. Never rejects. */
  general(): Promise<readonly Finding[]>
  /** The message types that each channel can send, and the methods that are blocked. */
  coverage(): readonly Finding[]
  readonly workspace: string
  now(): number
  elapsedMs(): number
}

const line = ({ level, text }: Finding): Prose => prose`  ${verbatim(signs[level])} ${text}`

/** Runs every approved hook, or one of them, on a sample of its event, and reports its health. */
export const createDoctor = (ports: DoctorPorts) => {
  const sampleFor = async (hook: ArmedHook): Promise<Payload> => {
    const samples = syntheticPayloads(hook.entry.event, ports.workspace, new Date(ports.now()))
    for (const sample of samples) if (await ports.isFor(hook, sample)) return sample
    return samples[0]
  }

  const examine = async (
    hook: ArmedHook,
    row: ListedHook | undefined,
    mayProbe: () => boolean,
  ): Promise<readonly Finding[]> => {
    const payload = await sampleFor(hook)
    const { answer: said, durationMs } = await ports.ask(hook, payload, hook.entry.timeoutMs)
    const flaw = said.rewrite === undefined ? undefined : ports.rewriteFlaw(payload, said.rewrite)
    const answer = flaw === undefined ? said : withFault(said, { kind: 'rewrite', detail: flaw })
    const resident = ports.residents().find(({ fingerprint }) => fingerprint === hook.fingerprint)
    // A hook of a node cannot be started from here without its event.
    const isHere = isForGate(hook.entry)
    const isSlow =
      isHere && hook.entry.type === 'command' && answer.fault === undefined && durationMs >= worthMs
    const warmth =
      ((isHere && hook.entry.isWarm === true) || isSlow) && mayProbe() ? await ports.probe(hook) : undefined
    const patient: Patient = {
      hook,
      answer,
      durationMs,
      row,
      approved: ports.approvedAs(hook.fingerprint),
      resident,
      warmth,
    }
    return checks.flatMap((check) => check(patient))
  }

  return async (fingerprint: string | undefined, progress: (text: Prose) => void): Promise<Prose> => {
    const hooks = ports
      .approved()
      .filter((hook) => fingerprint === undefined || hook.fingerprint === fingerprint)
    const general = fingerprint === undefined ? await ports.general() : []
    const covered = async (): Promise<readonly Prose[]> => {
      const found = fingerprint === undefined ? ports.coverage() : []
      return found.length === 0 ? [] : [prose`Coverage`, ...found.map(line)]
    }
    if (hooks.length === 0)
      return proseLines(
        prose`No hook is approved, so there is none to run.\n→ /hooks`,
        ...general.map(line),
        ...(await covered()),
      )
    if (fingerprint === undefined)
      progress(
        hooks.length === 1
          ? prose`Running 1 approved hook on samples…`
          : prose`Running ${hooks.length} approved hooks on samples…`,
      )
    const rows = new Map(ports.rows().flatMap((row) => (row.live === undefined ? [] : [[row.live, row]])))
    let probes = maxProbes
    let lastSaidMs = ports.elapsedMs()
    const blocks: Prose[] = []
    let healthy = 0
    for (const [index, hook] of hooks.entries()) {
      const findings = await examine(hook, rows.get(hook.fingerprint), () => probes-- > 0)
      if (findings.every(({ level }) => level === 'ok')) healthy += 1
      blocks.push(proseLines(titleOf(hook), ...findings.map(line)))
      if (ports.elapsedMs() - lastSaidMs >= progressEveryMs && index + 1 < hooks.length) {
        lastSaidMs = ports.elapsedMs()
        progress(prose`… ${index + 1} of ${hooks.length} done`)
      }
    }
    return proseLines(
      prose`${healthy} of ${hooks.length} hooks healthy`,
      ...general.map(line),
      ...blocks,
      ...(await covered()),
    )
  }
}

export type Doctor = ReturnType<typeof createDoctor>
