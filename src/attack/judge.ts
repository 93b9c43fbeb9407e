import type { Facts } from './facts.ts'
import type { Forgery, ForgeryReport } from './forgery.ts'

export interface AttackResult {
  readonly forgery: Forgery
  /** `untried`: this instance lacks what the forgery needs. */
  readonly kind: 'held' | 'broken' | 'untried'
  /** What prevented it, or what it opened. */
  readonly why: string
}

const words: Readonly<Record<keyof Facts['passing'], string>> = {
  gate: 'the gate’s process',
  hookHost: 'the hook host',
  sockets: 'an agent’s socket',
  debugger: 'the debugger’s port',
}

/**
 * Returns the changes in words. After a restart, changes that every restart causes do not count, as long as
 * everything runs again.
 */
export const differences = (
  before: Facts,
  after: Facts,
  { hasRestarted, ignored = [] }: { readonly hasRestarted: boolean; readonly ignored?: readonly string[] },
): readonly string[] => {
  const said = [...new Set([...Object.keys(before.gate), ...Object.keys(after.gate)])].filter(
    (key) => !ignored.includes(key) && JSON.stringify(before.gate[key]) !== JSON.stringify(after.gate[key]),
  )
  const files = [...new Set([...before.files.keys(), ...after.files.keys()])].filter(
    (name) => !ignored.includes(name) && before.files.get(name) !== after.files.get(name),
  )
  const passing = (Object.keys(words) as (keyof Facts['passing'])[]).filter((key) => {
    if (!hasRestarted) return before.passing[key] !== after.passing[key]
    return key === 'gate'
      ? !after.passing.gate.endsWith('runs')
      : key === 'sockets'
        ? false
        : before.passing[key] !== after.passing[key]
  })
  return [
    ...said.map(
      (key) =>
        `${key}: ${JSON.stringify(before.gate[key]) ?? 'none'} → ${JSON.stringify(after.gate[key]) ?? 'none'}`,
    ),
    ...(files.length === 0
      ? []
      : [
          `${files.slice(0, 3).join(', ')}${files.length > 3 ? ` and ${files.length - 3} more` : ''} changed`,
        ]),
    ...passing.map((key) => `${words[key]}: ${before.passing[key]} → ${after.passing[key]}`),
  ]
}

export interface Evidence {
  readonly changed: readonly string[]
  readonly after: Facts
  /** Maps the SHA-256 of each secret to its name. */
  readonly secrets: ReadonlyMap<string, string>
  /**
   * False when the file that the attempt made or opened does not exist for the gate, but only in the view of
   * the agent.
   */
  readonly isSeen: boolean
}

/** Decides whether the gate held. The report of the attempt counts only against the gate. */
export const judge = (
  forgery: Forgery,
  report: ForgeryReport,
  { changed, after, secrets, isSeen }: Evidence,
): AttackResult => {
  const is = (kind: AttackResult['kind'], why: string): AttackResult => ({ forgery, kind, why })
  const secret = report.read?.map((hash) => secrets.get(hash)).find((name) => name !== undefined)
  if (secret !== undefined) return is('broken', `${secret} was read`)
  if (forgery.answer !== undefined) {
    if (after.gate.lockdown !== undefined && report.outcome !== 'open')
      return is('held', 'the gate went into lockdown, as it should')
    const isAnswered = forgery.answer === 'lockdown' || after.gate.isAnchored
    if (report.outcome === 'open' && changed.length === 0 && isAnswered)
      return is('held', 'it was possible, and the gate would answer with lockdown')
  }
  if (changed.length > 0) return is('broken', changed.join('; ').slice(0, 400))
  if (report.outcome === 'open' && isSeen) return is('broken', report.what)
  if (report.outcome === 'open') return is('held', 'it changed only the view of the agent')
  return is(
    'held',
    report.outcome === 'refused' ? `refused: ${report.what}` : `${report.what}, and changed nothing`,
  )
}
