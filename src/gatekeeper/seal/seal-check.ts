import fs from 'node:fs'
import type { SealedFile } from './canonical.ts'
import { inspectSeal, pathsOf } from './seal.ts'
import { isSameStat, isSettled, statOf } from './source-file.ts'

export interface SealCheckOptions {
  readonly dir: string
  readonly files: readonly SealedFile[]
  /**
   * The real path of the interpreter or tool that the approval pins. A system update may change its bytes:
   * the owners are told elsewhere, and the hook still runs.
   */
  readonly interpreter?: string
  /** Called when the sealed bytes are no longer the approved ones. */
  readonly onTampered: (what: string) => void
  readonly log: (level: 'info' | 'warn', what: string, fields: Readonly<Record<string, string>>) => void
}

/**
 * Creates `ArmedHook.checkSeal`. It makes a few stat calls while nothing changed, and hashes every byte again
 * otherwise. It returns the reason why the hook cannot run, or undefined.
 */
export const createSealCheck = (options: SealCheckOptions): (() => string | undefined) => {
  const { dir, files, interpreter, onTampered, log } = options
  const paths = pathsOf(dir, files)
  let trusted: readonly (fs.BigIntStats | undefined)[] | undefined
  const isUntouched = (): boolean =>
    trusted?.every((known, index) => isSameStat(known, statOf(paths[index] ?? ''))) ?? false
  return () => {
    if (!isUntouched()) {
      const before = paths.map(statOf)
      const finding = inspectSeal(dir, files)
      for (const name of finding.removed)
        log('warn', 'removed a file that was not sealed from a seal', { name })
      if (finding.tampered !== undefined) {
        const what = `tampered seal: ${finding.tampered}`
        onTampered(what)
        return what
      }
      const isQuiet =
        finding.removed.length === 0 && before.every((stat) => stat !== undefined && isSettled(stat))
      trusted = isQuiet ? before : undefined
    }
    return interpreter === undefined || fs.statSync(interpreter, { throwIfNoEntry: false })?.isFile() === true
      ? undefined
      : `"${interpreter}", which runs it, is missing; install it again, or approve the hook again`
  }
}
