import fs from 'node:fs'
import path from 'node:path'
import { ProblemError } from '../core/model/gate/problem.ts'
import { createAttacker, type AsAgent, type KeptFile } from './attacker.ts'
import type { Facts } from './facts.ts'
import type { Forgery, ForgeryReport, Target } from './forgery.ts'
import { differences, judge, type AttackResult } from './judge.ts'
import { inodeOf, sha256 } from './means.ts'
import { forgeries } from './table.ts'

export interface AttackPorts {
  readonly asAgent: AsAgent
  target(): Promise<Target>
  facts(): Promise<Facts>
  /** Returns the secrets besides the files of the gate's folder, each with its name. */
  secrets(): readonly (readonly [name: string, value: string | Uint8Array])[]
  /** Waits until the gate has noticed changes in the workspace. */
  look(): Promise<void>
  /** Kills and starts the gate, as a power cut would. */
  restart(): Promise<void>
  /** Restores the instance after it was harmed. */
  restore(): Promise<void>
  /** Makes the owner turn the switch off and on again. */
  ownerSwitches(): Promise<void>
}

/** In milliseconds. The slowest attempts wait for guards that are slow. */
const attemptMs = 40_000
const maxSavedBytes = 16 * 1024 * 1024

/**
 * Returns the current file, or undefined when it cannot be restored later: an agent may have put anything at
 * this path.
 */
const saveFile = (file: string): KeptFile | undefined => {
  try {
    const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
    try {
      const { size, mode } = fs.fstatSync(fd)
      return fs.fstatSync(fd).isFile() && size <= maxSavedBytes
        ? { path: file, content: fs.readFileSync(fd), mode: mode & 0o777 }
        : undefined
    } finally {
      fs.closeSync(fd)
    }
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT'
      ? { path: file, mode: 0 }
      : undefined
  }
}

/** The files of the workspace that attempts may change. They are restored after each attempt. */
const savedFiles = ({ workspace, guard }: Target): readonly KeptFile[] =>
  [
    path.join(workspace, 'config', 'shell_hooks.yaml'),
    path.join(workspace, 'config', 'agent.yaml'),
    ...(guard === undefined ? [] : [guard.script]),
  ]
    .map(saveFile)
    .filter((file) => file !== undefined)

const isUnchanged = ({ path: file, content }: KeptFile): boolean => {
  const now = saveFile(file)
  return (
    now !== undefined &&
    (content === undefined ? now.content === undefined : now.content?.equals(content) === true)
  )
}

/** True when the file that an attempt names exists for the gate too. Removes a marker file of the attempt. */
const look = (at: ForgeryReport['at'], mark: string): boolean => {
  if (at === undefined) return true
  try {
    const isThere = inodeOf(at.path) === at.inode
    if (isThere && path.basename(at.path) === `.${mark}`) fs.rmSync(at.path)
    return isThere || at.path.startsWith('/proc/')
  } catch {
    return false
  }
}

const missingNeed = ({ needs = [] }: Forgery, target: Target): string | undefined => {
  const has: Readonly<Record<NonNullable<Forgery['needs']>[number], string | undefined>> = {
    python: target.hasPython ? undefined : 'python3 is not on this machine',
    guard: target.guard === undefined ? 'no hook of this kind is approved' : undefined,
    page: target.page === undefined ? 'there is no page' : undefined,
    stolen: target.stolen === undefined ? 'there is no session to steal' : undefined,
    older: target.older === undefined ? 'there is no older copy' : undefined,
    console: target.console === undefined ? 'the console’s output goes to no file' : undefined,
    hookHost: target.hookHostPid === undefined ? 'there is no hook host to see' : undefined,
    otherSocket: target.sockets.length < 2 ? 'there is no other agent' : undefined,
    linux: process.platform === 'linux' ? undefined : 'it needs Linux',
    bridge: target.bridge === undefined ? 'agents that call HTTP hooks are not served' : undefined,
    waiting: target.waiting === undefined ? 'nothing waits for an answer' : undefined,
  }
  return needs.map((need) => has[need]).find((why) => why !== undefined)
}

/**
 * Tries the forgeries one after another from a process with the rights of the agent, and returns for each
 * whether the gate held.
 */
export const runAttack = async (
  ports: AttackPorts,
  {
    only = () => true,
    progress = () => undefined,
  }: { only?: (forgery: Forgery) => boolean; progress?: (judged: AttackResult) => void } = {},
): Promise<readonly AttackResult[]> => {
  const attacker = createAttacker(ports.asAgent)
  const results: AttackResult[] = []
  const tell = (judged: AttackResult): void => {
    results.push(judged)
    progress(judged)
  }
  let target = await ports.target()
  let before = await ports.facts()
  const files = savedFiles(target)

  /**
   * Returns the hashes of all secrets. The files of the gate count as secrets, and their hashes change during
   * the attack.
   */
  const secrets = (): ReadonlyMap<string, string> =>
    new Map([
      ...[...before.files]
        .filter(([name]) => name.startsWith('secrets/') || name === 'ledger.jsonl')
        .map(([name, fact]) => [fact.split(' ')[2] ?? '', name] as const),
      ...ports.secrets().map(([name, value]) => [sha256(value), name] as const),
    ])

  const attempt = async (forgery: Forgery): Promise<AttackResult> => {
    const known = secrets()
    const report = await attacker.attempt(forgery.name, target, attemptMs)
    if (!files.every(isUnchanged)) await ports.look()
    const mustRestart = forgery.counts === 'at start' && report.outcome === 'done'
    if (forgery.waitsForOwner === true && report.outcome === 'done') await ports.ownerSwitches()
    if (mustRestart) await ports.restart()
    const isSeen = look(report.at, target.mark)
    const after = await ports.facts()
    // While hooks are off nothing is held, so a waiting message is sent.
    const changed = differences(before, after, {
      hasRestarted: mustRestart,
      ignored:
        forgery.waitsForOwner === true ? ['revision', 'ledger.jsonl', 'secrets/ledger.head', 'held'] : [],
    })
    const isHarmed =
      differences(before, after, { hasRestarted: mustRestart }).length > 0 ||
      (forgery.harmsUnseen === true && report.outcome !== 'refused')
    // The attacker may run in a sandbox that was made around the sockets of the previous gate. Its remaining
    // actions must not reach the next gate.
    const needsNewAttacker = isHarmed || mustRestart
    if (needsNewAttacker) attacker.stop()
    if (isHarmed) await ports.restore()
    for (const file of files) if (!isUnchanged(file)) await attacker.putBack(file)
    if (needsNewAttacker) {
      target = await ports.target()
      before = await ports.facts()
    }
    return judge(forgery, report, { changed, after, secrets: known, isSeen })
  }

  try {
    if (!(await attacker.isAlive()))
      throw new ProblemError({
        code: 'attack.start',
        message:
          'Expected a program with the agent’s rights to start and answer, got no answer. Nothing was tried.',
        fix: 'The agent’s user must be able to read node and hookgate.',
      })
    for (const forgery of forgeries.filter(only)) {
      const missing = missingNeed(forgery, target)
      if (missing !== undefined) tell({ forgery, kind: 'untried', why: missing })
      else tell(await attempt(forgery))
    }
    return results
  } finally {
    attacker.stop()
  }
}
