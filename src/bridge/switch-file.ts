import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SwitchFacts } from '../shared/gate/client.ts'

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
  const { isArmed, offUntilMs, knownUntilMs, unreachable } = value as Partial<
    Record<keyof SwitchFacts, unknown>
  >
  return (
    typeof isArmed === 'boolean' &&
    ['owner', 'deny', 'allow'].includes(String(unreachable)) &&
    [offUntilMs, knownUntilMs].every((time) => time === undefined || typeof time === 'number')
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
  const { unreachable, isArmed, offUntilMs, knownUntilMs } = facts
  if (unreachable !== 'owner')
    return { isOpen: unreachable === 'allow', why: `gate.yaml says: bridge.unreachable: ${unreachable}` }
  if (isArmed) return { isOpen: false, why: 'its owner left the hooks on' }
  if (knownUntilMs !== undefined && nowMs >= knownUntilMs)
    return { isOpen: false, why: 'this machine has not heard of its gate for 30 s' }
  return offUntilMs !== undefined && nowMs >= offUntilMs
    ? { isOpen: false, why: 'its owner had the hooks off only until now' }
    : { isOpen: true, why: 'its owner left the hooks off' }
}
