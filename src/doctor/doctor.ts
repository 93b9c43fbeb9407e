import type { Answer } from '../model/answer.ts'
import type { Row } from '../model/catalogue.ts'
import { labelOf, type ArmedHook } from '../model/entry.ts'
import { syntheticPayload, type Payload } from '../model/payload.ts'
import { fixed, joinProse, prose, type Prose } from '../model/prose.ts'
import { answerCheck } from './answer-check.ts'
import type { Check, Finding, Patient } from './check.ts'
import { driftCheck } from './drift-check.ts'
import { placementCheck } from './placement-check.ts'

const checks: readonly Check[] = [answerCheck, driftCheck, placementCheck]
const signs: Readonly<Record<Finding['level'], string>> = { ok: '✓', warn: '⚠', bad: '✗' }
/** Progress is said this often while hooks run, in milliseconds. */
const progressEveryMs = 4000

export interface DoctorPorts {
  /** Approved hooks, whether or not the switch is on. Never an unapproved one. */
  approved(): readonly ArmedHook[]
  rows(): readonly Row[]
  ask(hook: ArmedHook, payload: Payload, timeoutMs: number): Promise<{ answer: Answer; durationMs: number }>
  /** What is wrong with the instance as a whole. */
  general(): readonly Finding[]
  readonly workspace: string
  now(): number
}

const line = ({ level, text }: Finding): Prose => prose`  ${fixed(signs[level])} ${text}`

/** Runs every approved hook, or one, on a sample of its event, and says of each whether it is well. */
export const createDoctor = (ports: DoctorPorts) => {
  const examine = async (hook: ArmedHook): Promise<readonly Finding[]> => {
    const payload = syntheticPayload(hook.entry.event, ports.workspace, new Date(ports.now()))
    const { answer, durationMs } = await ports.ask(hook, payload, hook.entry.timeoutMs)
    const patient: Patient = { hook, answer, durationMs, row: ports.rows().find(({ live }) => live === hook.fingerprint) }
    return checks.flatMap((check) => check(patient))
  }

  return async (fingerprint: string | undefined, progress: (text: Prose) => void): Promise<Prose> => {
    const hooks = ports.approved().filter((hook) => fingerprint === undefined || hook.fingerprint === fingerprint)
    const general = fingerprint === undefined ? ports.general() : []
    if (hooks.length === 0) return joinProse([fixed('There is no approved hook that could be run.\n→ /hooks'), ...general.map(line)], '\n')
    if (fingerprint === undefined) progress(fixed(`Running ${hooks.length} approved hook${hooks.length === 1 ? '' : 's'} on samples…`))
    let lastSaidMs = ports.now()
    const blocks: Prose[] = []
    let healthy = 0
    for (const [index, hook] of hooks.entries()) {
      const findings = await examine(hook)
      if (findings.every(({ level }) => level === 'ok')) healthy += 1
      blocks.push(joinProse([prose`${fixed(hook.entry.event)}  ${labelOf(hook.entry)}`, ...findings.map(line)], '\n'))
      if (ports.now() - lastSaidMs >= progressEveryMs && index + 1 < hooks.length) {
        lastSaidMs = ports.now()
        progress(fixed(`… ${index + 1} of ${hooks.length} done`))
      }
    }
    return joinProse([fixed(`${healthy} of ${hooks.length} well`), ...general.map(line), ...blocks], '\n')
  }
}
