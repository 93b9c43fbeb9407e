import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The last setting of the owner, for the bridge while the gate is away. The gate signs the file, and
 * everybody may read it. The signature detects a file of any other user and accidental damage. A client with
 * the user of the gate could sign the file itself. Only a separate user prevents that.
 */
export interface SwitchFacts {
  /** True when the switch is on or the gate is in lockdown. */
  readonly isArmed: boolean
  /** The time, in epoch milliseconds, when a temporary off ends. */
  readonly offUntilMs?: number
  /** The setting in gate.yaml. `owner`: as the owner left the switch. `deny` and `allow`: always so. */
  readonly unreachable: 'owner' | 'deny' | 'allow'
}

/** The content of the file: the facts as text, and the signature over exactly that text, in base64. */
export interface SignedSwitch {
  readonly facts: string
  readonly signature: string
}

export const switchPath = (home: string): string => join(home, 'run', 'switch.json')
export const publicKeyPath = (home: string): string => join(home, 'run', 'bridge.pub')

const maxBytes = 4096

const readSmall = (path: string): string => {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(descriptor)
    if (!stat.isFile() || stat.size > maxBytes) throw new Error('no small file')
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

const isFacts = (value: unknown): value is SwitchFacts => {
  if (typeof value !== 'object' || value === null) return false
  const { isArmed, offUntilMs, unreachable } = value as Partial<Record<keyof SwitchFacts, unknown>>
  return (
    typeof isArmed === 'boolean' &&
    ['owner', 'deny', 'allow'].includes(String(unreachable)) &&
    (offUntilMs === undefined || typeof offUntilMs === 'number')
  )
}

/** Returns the facts, or the reason why there are no valid ones. Never throws. */
export const readSwitch = (home: string): SwitchFacts | { readonly why: string } => {
  let text: string
  let key: string
  try {
    text = readSmall(switchPath(home))
    key = readSmall(publicKeyPath(home))
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return { why: isMissing ? 'is not there' : 'cannot be read' }
  }
  try {
    const { facts, signature }: SignedSwitch = JSON.parse(text)
    const { verify } = process.getBuiltinModule('node:crypto')
    if (!verify(null, Buffer.from(facts), key, Buffer.from(signature, 'base64')))
      return { why: 'was not signed by it' }
    const parsed: unknown = JSON.parse(facts)
    return isFacts(parsed) ? parsed : { why: 'is damaged' }
  } catch {
    return { why: 'is damaged' }
  }
}

/**
 * Decides whether the step of a client passes while the gate is away. `why` ends the sentence "hookgate is
 * away, and …".
 */
export const whileAway = (
  home: string,
  nowMs: number,
): { readonly isOpen: boolean; readonly why: string } => {
  const facts = readSwitch(home)
  if ('why' in facts)
    return { isOpen: false, why: `the file that says how its owner left it ${facts.why} (run/switch.json)` }
  const { unreachable, isArmed, offUntilMs } = facts
  if (unreachable !== 'owner')
    return { isOpen: unreachable === 'allow', why: `gate.yaml says: bridge.unreachable: ${unreachable}` }
  if (isArmed) return { isOpen: false, why: 'its owner left the hooks on' }
  return offUntilMs !== undefined && nowMs >= offUntilMs
    ? { isOpen: false, why: 'its owner had the hooks off only until now' }
    : { isOpen: true, why: 'its owner left the hooks off' }
}
