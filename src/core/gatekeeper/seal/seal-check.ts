import fs from 'node:fs'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { SealedFile } from '../../model/approval/canonical.ts'
import { inspectSeal, inspectSealInSteps, pathsOf, type ProjectLinks, type SealFinding } from './seal.ts'
import { isSameStat, isSettled, settledAfterMs, statOf } from '../../model/approval/source-file.ts'

export interface SealCheckOptions {
  readonly dir: string
  readonly files: readonly SealedFile[]
  /** Absent: the seal has no links. */
  readonly links?: ProjectLinks
  /**
   * The real path of the interpreter or tool that the approval pins. A system update may change its bytes:
   * the owners are told elsewhere, and the hook still runs.
   */
  readonly interpreter?: string
  /** Called when the sealed bytes are no longer the approved ones. */
  readonly onTampered: (what: string) => void
  readonly log: (level: 'info' | 'warn', what: string, fields: Readonly<Record<string, string>>) => void
}

export interface SealCheck {
  /**
   * Makes a few stat calls while nothing changed, and hashes every byte again otherwise. Returns the reason
   * why the hook cannot run, or undefined. `isRunning`: no interpreter has to start it.
   */
  check(isRunning?: boolean): string | undefined
  /**
   * Hashes every byte of a large seal in turns, unless nothing changed. `check` then has nothing to read.
   * Absent for a small seal.
   */
  readonly readInTurns?: () => Promise<void>
}

/** A seal with more bytes or files is read in turns, so that it never holds the gate's thread. */
const maxBytesAtOnce = 1024 * 1024
const maxFilesAtOnce = 50

const isLarge = (files: readonly SealedFile[]): boolean =>
  files.length > maxFilesAtOnce || files.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytesAtOnce

/** Creates `ArmedHook.checkSeal` and `ArmedHook.readSeal`. */
export const createSealCheck = (options: SealCheckOptions): SealCheck => {
  const { dir, files, links, interpreter, onTampered, log } = options
  const paths = pathsOf(dir, files)
  let trusted: readonly (fs.BigIntStats | undefined)[] | undefined
  let reading: Promise<void> | undefined
  const isUntouched = (): boolean =>
    trusted?.every((known, index) => isSameStat(known, statOf(paths[index] ?? ''))) ?? false
  const areSettled = (stats: readonly (fs.BigIntStats | undefined)[]): boolean =>
    stats.every((stat) => stat !== undefined && isSettled(stat))
  /** `before` are the stats from before the inspection. */
  const conclude = (
    finding: SealFinding,
    before: readonly (fs.BigIntStats | undefined)[],
  ): string | undefined => {
    for (const name of finding.removed)
      log('warn', 'removed a file that was not sealed from a seal', { name })
    if (finding.tampered !== undefined) {
      const what = `tampered seal: ${finding.tampered}`
      onTampered(what)
      return what
    }
    trusted = finding.removed.length === 0 && areSettled(before) ? before : undefined
    return undefined
  }
  const read = async (): Promise<void> => {
    let before = paths.map(statOf)
    // A fresh stamp is not reliable, so a seal that was written just now would be read twice.
    if (!areSettled(before)) {
      await setTimeout(2 * settledAfterMs)
      before = paths.map(statOf)
    }
    const steps = inspectSealInSteps(dir, files, links)
    let step = steps.next()
    while (step.done !== true) {
      await setImmediate()
      step = steps.next()
    }
    conclude(step.value, before)
  }
  return {
    check: (isRunning = false) => {
      if (!isUntouched()) {
        const before = paths.map(statOf)
        const why = conclude(inspectSeal(dir, files, links), before)
        if (why !== undefined) return why
      }
      return isRunning ||
        interpreter === undefined ||
        fs.statSync(interpreter, { throwIfNoEntry: false })?.isFile() === true
        ? undefined
        : `"${interpreter}", which runs it, is missing; install it again, or approve the hook again`
    },
    ...(isLarge(files)
      ? {
          readInTurns: async () => {
            if (reading === undefined && isUntouched()) return
            reading ??= read().finally(() => {
              reading = undefined
            })
            await reading
          },
        }
      : {}),
  }
}
