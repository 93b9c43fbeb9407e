import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { execa } from 'execa'
import { ProblemError } from '../core/model/gate/problem.ts'
import type { FoundUser } from './machine.ts'
import { deedWords, type Deed } from './plan.ts'

/** A start waits for the network; everything else is done in a moment. */
const timeoutMs = 120_000
const maxOutput = 100_000

export interface Ran {
  readonly code: number | undefined
  readonly output: string
}

/** Runs a program without a shell, with little of the environment, and for a bounded time. Never rejects. */
export const runProgram = async ([file, ...words]: readonly [string, ...string[]]): Promise<Ran> => {
  const {
    exitCode,
    all,
    timedOut,
    shortMessage = '',
  } = await execa(file, words, {
    all: true,
    cwd: '/',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    extendEnv: false,
    maxBuffer: maxOutput,
    reject: false,
    stdin: 'ignore',
    timeout: timeoutMs,
  })
  return {
    code: exitCode,
    output: timedOut
      ? `it did not end within ${timeoutMs / 1000} s`
      : all.trim() || (exitCode === 0 ? '' : shortMessage),
  }
}

/** Writes a file beside and renames it, so that nobody ever reads a half one. */
const writeFile = (path: string, text: string, mode: number): void => {
  mkdirSync(dirname(path), { recursive: true })
  const fresh = `${path}.${randomUUID().slice(0, 8)}`
  const descriptor = openSync(fresh, 'wx', mode)
  try {
    fchmodSync(descriptor, mode)
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(fresh, path)
}

const remove = (path: string): void => {
  if (lstatSync(path).isDirectory()) rmdirSync(path)
  else rmSync(path)
}

/**
 * Makes a folder, or sets its rights. A link in its place is never followed, also when the owner of the
 * folder above puts it there meanwhile.
 */
const makeFolder = (path: string, mode: number, { uid, gid }: FoundUser): void => {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    mkdirSync(dirname(path), { recursive: true })
    mkdirSync(path, { mode })
  }
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    fchmodSync(descriptor, mode)
    fchownSync(descriptor, uid, gid)
  } finally {
    closeSync(descriptor)
  }
}

const failed = (deed: Deed, why: string): ProblemError =>
  new ProblemError({
    code: 'service.step',
    message: `Expected this step to work: ${deedWords(deed)}. It ended with: ${why.slice(0, 1000) || 'no word'}.`,
    fix: 'Later steps were not carried out. Correct the cause and run the same command again: steps that are done are skipped.',
  })

/** Carries out one step. Rejects with a ProblemError that names it. */
export const carryOut = async (
  deed: Deed,
  findUser: (name: string) => FoundUser | undefined,
): Promise<void> => {
  if (deed.kind === 'run') {
    const { code, output } = await runProgram(deed.argv)
    if (code !== 0) throw failed(deed, output)
    return
  }
  try {
    if (deed.kind === 'write') writeFile(deed.path, deed.text, deed.mode)
    else if (deed.kind === 'remove') remove(deed.path)
    else {
      const owner = findUser(deed.owner)
      if (owner === undefined) throw new Error(`there is no user ${deed.owner}`)
      makeFolder(deed.path, deed.mode, owner)
    }
  } catch (error) {
    throw failed(deed, error instanceof Error ? error.message : 'unknown')
  }
}
