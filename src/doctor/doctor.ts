import type { Answer } from '../model/hooks/answer.ts'
import type { ListedHook } from '../model/gate/catalogue.ts'
import { labelOf, type ArmedHook } from '../model/hooks/entry.ts'
import { syntheticPayloads, type Payload } from '../model/events/payload.ts'
import { fixed, joinProse, prose, type Prose } from '../model/chat/prose.ts'
import { answerCheck } from './answer-check.ts'
import { bytesCheck } from './bytes-check.ts'
import type { Check, Finding, Patient, ResidentFacts, Warmth } from './check.ts'
import { driftCheck } from './drift-check.ts'
import { placementCheck } from './placement-check.ts'
import { residentCheck } from './resident-check.ts'
import { warmCheck, worthMs } from './warm-check.ts'

const checks: readonly Check[] = [
  answerCheck,
  bytesCheck,
  residentCheck,
  warmCheck,
  driftCheck,
  placementCheck,
]
const signs: Readonly<Record<Finding['level'], string>> = { ok: '✓', warn: '⚠', bad: '✗' }
/** Progress is said this often while hooks run, in milliseconds. */
const progressEveryMs = 4000
/** How many hooks of one run are tried for a warm start, since each takes about a second. */
const maxProbes = 8

export interface DoctorPorts {
  /** Approved hooks, whether or not the switch is on. Never an unapproved one. */
  approved(): readonly ArmedHook[]
  rows(): readonly ListedHook[]
  /** An approval in force, as it was approved. */
  approvedAs(fingerprint: string): Patient['approved']
  ask(hook: ArmedHook, payload: Payload, timeoutMs: number): Promise<{ answer: Answer; durationMs: number }>
  /** Whether a hook is there for such an event, going by its matcher's tool. */
  isFor(hook: ArmedHook, payload: Payload): Promise<boolean>
  /** The resident programs that were asked in this run of the gate. */
  residents(): readonly (ResidentFacts & { readonly fingerprint: string })[]
  /** Starts an instance that waits, and finds out what it does meanwhile: about a second. Never rejects. */
  probe(hook: ArmedHook): Promise<Warmth>
  /** What is wrong with the instance as a whole. Never rejects. */
  general(): Promise<readonly Finding[]>
  /** What each channel can send, and whether all of it is judged. */
  coverage(): readonly Finding[]
  readonly workspace: string
  now(): number
  elapsedMs(): number
}

const line = ({ level, text }: Finding): Prose => prose`  ${fixed(signs[level])} ${text}`

/** Runs every approved hook, or one, on a sample of its event, and says of each whether it is well. */
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
    const { answer, durationMs } = await ports.ask(hook, payload, hook.entry.timeoutMs)
    const resident = ports.residents().find(({ fingerprint }) => fingerprint === hook.fingerprint)
    const isSlow = hook.entry.type === 'command' && answer.fault === undefined && durationMs >= worthMs
    const warmth = (hook.entry.isWarm === true || isSlow) && mayProbe() ? await ports.probe(hook) : undefined
    const patient: Patient = {
      hook,
      answer,
      durationMs,
      row,
      approved: ports.approvedAs(hook.fingerprint),
      ...(resident === undefined ? {} : { resident }),
      ...(warmth === undefined ? {} : { warmth }),
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
      return found.length === 0 ? [] : [fixed('Coverage'), ...found.map(line)]
    }
    if (hooks.length === 0)
      return joinProse(
        [
          fixed('There is no approved hook that could be run.\n→ /hooks'),
          ...general.map(line),
          ...(await covered()),
        ],
        '\n',
      )
    if (fingerprint === undefined)
      progress(fixed(`Running ${hooks.length} approved hook${hooks.length === 1 ? '' : 's'} on samples…`))
    const rows = new Map(ports.rows().flatMap((row) => (row.live === undefined ? [] : [[row.live, row]])))
    let probes = maxProbes
    let lastSaidMs = ports.elapsedMs()
    const blocks: Prose[] = []
    let healthy = 0
    for (const [index, hook] of hooks.entries()) {
      const findings = await examine(hook, rows.get(hook.fingerprint), () => probes-- > 0)
      if (findings.every(({ level }) => level === 'ok')) healthy += 1
      blocks.push(
        joinProse([prose`${fixed(hook.entry.event)}  ${labelOf(hook.entry)}`, ...findings.map(line)], '\n'),
      )
      if (ports.elapsedMs() - lastSaidMs >= progressEveryMs && index + 1 < hooks.length) {
        lastSaidMs = ports.elapsedMs()
        progress(fixed(`… ${index + 1} of ${hooks.length} done`))
      }
    }
    return joinProse(
      [fixed(`${healthy} of ${hooks.length} well`), ...general.map(line), ...blocks, ...(await covered())],
      '\n',
    )
  }
}

export type Doctor = ReturnType<typeof createDoctor>
