import { fixed, prose } from '../model/chat/prose.ts'
import { formatProblem, type Problem } from '../model/gate/problem.ts'
import { isWarning, separationLine, type Separation } from '../model/gate/separation.ts'
import type { Finding } from './check.ts'

/** What holds the hooks together: whether what one of them leaves behind ends with its run. */
type Containment =
  | { readonly kind: 'pid namespace' }
  | { readonly kind: 'process groups'; readonly why: string }

const containmentFinding = (containment: Containment): Finding =>
  containment.kind === 'pid namespace'
    ? { level: 'ok', text: fixed('What a hook starts ends with it.') }
    : { level: 'warn', text: fixed(`What a hook starts may outlive it. ${containment.why}`) }

/** What is to be said of the instance as a whole. */
export const generalFindings = (
  gate: { readonly isOn: boolean; readonly lockdown?: string },
  source: Problem | undefined,
  separation: Separation,
  noAnchor?: string,
  containment?: Containment,
): readonly Finding[] => [
  ...(gate.lockdown === undefined
    ? []
    : [{ level: 'bad' as const, text: fixed(`Lockdown: ${gate.lockdown}. → /hooks recover`) }]),
  ...(gate.isOn
    ? []
    : [{ level: 'warn' as const, text: fixed('The switch is off: no hook fires. → /hooks on') }]),
  ...(source === undefined ? [] : [{ level: 'warn' as const, text: prose`${formatProblem(source)}` }]),
  { level: isWarning(separation) ? 'warn' : 'ok', text: fixed(separationLine(separation)) },
  ...(noAnchor === undefined ? [] : [{ level: 'warn' as const, text: fixed(noAnchor) }]),
  ...(containment === undefined ? [] : [containmentFinding(containment)]),
]
