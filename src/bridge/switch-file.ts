import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What the owner last set, where the bridge finds it while the gate is away. The gate signs it; everybody may read it.
 * It keeps out what anybody but the gate's own user wrote, and what came to be by accident. Whoever is the gate's user
 * could do that user's signing too: against such a client no file helps, only a user of its own.
 */
export interface SwitchFacts {
  /** The switch is on, or the gate doubts itself. */
  readonly isArmed: boolean
  /** Off for a while: when it is armed again, in epoch milliseconds. */
  readonly offUntilMs?: number
  /** What gate.yaml says: as the owner left the switch, or always one of the two. */
  readonly unreachable: 'owner' | 'deny' | 'allow'
}

/** The file: the facts as text, and the signature over exactly that text, in base64. */
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

/** The facts, or why there are none that count. Never throws. */
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
    const said: unknown = JSON.parse(facts)
    return isFacts(said) ? said : { why: 'is damaged' }
  } catch {
    return { why: 'is damaged' }
  }
}

/** Whether a client's step is let through while the gate is away; `why` ends the sentence "hookgate is away, and …". */
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
