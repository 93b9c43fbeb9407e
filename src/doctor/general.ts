import { fixed, prose } from '../model/prose.ts'
import { formatProblem, type Problem } from '../model/problem.ts'
import type { Finding } from './check.ts'

/** True of this version on every machine; the separation into users comes with a later one. */
export const sameUserWords = 'Gate and agent run as one user: an agent with a shell could reach the gate’s own folder.'

/** What is wrong with the instance as a whole. */
export const generalFindings = (gate: { readonly isOn: boolean; readonly lockdown?: string }, source: Problem | undefined, noAnchor?: string): readonly Finding[] => [
  ...(gate.lockdown === undefined ? [] : [{ level: 'bad' as const, text: fixed(`Lockdown: ${gate.lockdown}. → /hooks recover`) }]),
  ...(gate.isOn ? [] : [{ level: 'warn' as const, text: fixed('The switch is off: no hook fires. → /hooks on') }]),
  ...(source === undefined ? [] : [{ level: 'warn' as const, text: prose`${formatProblem(source)}` }]),
  { level: 'warn', text: fixed(sameUserWords) },
  ...(noAnchor === undefined ? [] : [{ level: 'warn' as const, text: fixed(noAnchor) }]),
]
