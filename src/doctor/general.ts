import { fixed, prose } from '../model/prose.ts'
import { formatProblem, type Problem } from '../model/problem.ts'
import { separationLine, type Separation } from '../model/separation.ts'
import type { Finding } from './check.ts'

/** What is wrong with the instance as a whole. */
export const generalFindings = (gate: { readonly isOn: boolean; readonly lockdown?: string }, source: Problem | undefined, separation: Separation, noAnchor?: string): readonly Finding[] => [
  ...(gate.lockdown === undefined ? [] : [{ level: 'bad' as const, text: fixed(`Lockdown: ${gate.lockdown}. → /hooks recover`) }]),
  ...(gate.isOn ? [] : [{ level: 'warn' as const, text: fixed('The switch is off: no hook fires. → /hooks on') }]),
  ...(source === undefined ? [] : [{ level: 'warn' as const, text: prose`${formatProblem(source)}` }]),
  { level: separation.kind === 'none' ? 'warn' : 'ok', text: fixed(separationLine(separation)) },
  ...(noAnchor === undefined ? [] : [{ level: 'warn' as const, text: fixed(noAnchor) }]),
]
