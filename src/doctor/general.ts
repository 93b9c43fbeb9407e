import { wayOut } from '../shared/gate/recovery.ts'
import { prose, type Prose } from '../core/model/chat/prose.ts'
import type { Problem } from '../core/model/gate/problem.ts'
import { isWarning, separationLine, type Separation } from '../shared/gate/separation.ts'
import { ok, warn, bad, type Finding } from './check.ts'
import { fixedWords, problemWords } from '../shared/said/our-words.ts'

/**
 * The way in which processes that a hook leaves behind are ended: for certain, or only within their group.
 */
type Containment =
  | { readonly kind: 'pid namespace' }
  | { readonly kind: 'process groups'; readonly why: string }

const containmentFinding = (containment: Containment): Finding =>
  containment.kind === 'pid namespace'
    ? ok(prose`Hooks leave no processes behind.`)
    : warn(prose`Hooks may leave processes behind. ${fixedWords(containment.why)}`)

/** The findings about the whole instance. */
export const generalFindings = (
  gate: { readonly isOn: boolean; readonly lockdown?: string },
  source: Problem | undefined,
  separation: Separation,
  noAnchor?: Prose,
  containment?: Containment,
): readonly Finding[] => [
  ...(gate.lockdown === undefined
    ? []
    : [bad(prose`Lockdown: ${fixedWords(gate.lockdown)}. ${wayOut(gate.lockdown)}`)]),
  ...(gate.isOn ? [] : [warn(prose`The switch is off: no hook fires. → /hooks on`)]),
  ...(source === undefined ? [] : [warn(problemWords(source))]),
  { level: isWarning(separation) ? 'warn' : 'ok', text: separationLine(separation) },
  ...(noAnchor === undefined ? [] : [warn(noAnchor)]),
  ...(containment === undefined ? [] : [containmentFinding(containment)]),
]
