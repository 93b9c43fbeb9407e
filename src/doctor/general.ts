import { wayOut } from '../core/model/gate/recovery.ts'
import { fixed, prose, type Prose, verbatim } from '../core/model/chat/prose.ts'
import { formatProblem, type Problem } from '../core/model/gate/problem.ts'
import { isWarning, separationLine, type Separation } from '../shared/gate/separation.ts'
import type { Finding } from './check.ts'

/**
 * The way in which processes that a hook leaves behind are ended: for certain, or only within their group.
 */
type Containment =
  | { readonly kind: 'pid namespace' }
  | { readonly kind: 'process groups'; readonly why: string }

const containmentFinding = (containment: Containment): Finding =>
  containment.kind === 'pid namespace'
    ? { level: 'ok', text: fixed('Hooks leave no processes behind.') }
    : { level: 'warn', text: prose`Hooks may leave processes behind. ${verbatim(containment.why)}` }

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
    : [
        {
          level: 'bad' as const,
          text: prose`Lockdown: ${verbatim(gate.lockdown)}. ${wayOut(gate.lockdown)}`,
        },
      ]),
  ...(gate.isOn
    ? []
    : [{ level: 'warn' as const, text: fixed('The switch is off: no hook fires. → /hooks on') }]),
  ...(source === undefined ? [] : [{ level: 'warn' as const, text: prose`${formatProblem(source)}` }]),
  { level: isWarning(separation) ? 'warn' : 'ok', text: separationLine(separation) },
  ...(noAnchor === undefined ? [] : [{ level: 'warn' as const, text: noAnchor }]),
  ...(containment === undefined ? [] : [containmentFinding(containment)]),
]
