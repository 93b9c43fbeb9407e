import fs from 'node:fs'
import type { SealedFile } from './canonical.ts'
import { inspectSeal, pathsOf } from './seal.ts'
import { isSameStat, isSettled, statOf } from './source-file.ts'

export interface SealCheckOptions {
  readonly dir: string
  readonly files: readonly SealedFile[]
  /** A program found on the fixed PATH: where it was found, and the real path that the approval pins. */
  readonly interpreter?: { readonly found: string; readonly real: string }
  /** The sealed bytes are not the approved ones any more. */
  readonly onTampered: (what: string) => void
  readonly log: (level: 'info' | 'warn', what: string, fields: Readonly<Record<string, string>>) => void
}

/** Words when the pinned program is another one now. Its bytes may change with the system's updates: that is told, not refused. */
const createInterpreterCheck = (found: string, real: string, log: SealCheckOptions['log']): (() => string | undefined) => {
  let seen: fs.BigIntStats | undefined
  return () => {
    let now: fs.BigIntStats
    try {
      now = fs.statSync(found, { bigint: true })
      if (isSameStat(now, seen)) return undefined
      const target = fs.realpathSync.native(found)
      if (target !== real) return `"${found}" leads to "${target}" now, approved was "${real}"; approve the hook again`
    } catch {
      return `"${found}" cannot be found any more; install it again, or approve the hook again`
    }
    if (seen !== undefined) log('info', 'the interpreter of an approved hook changed', { interpreter: real })
    seen = now
    return undefined
  }
}

/** Makes `ArmedHook.checkSeal`: a few stat calls while nothing moved, else every byte is hashed again. */
export const createSealCheck = (options: SealCheckOptions): (() => string | undefined) => {
  const { dir, files, interpreter, onTampered, log } = options
  const paths = pathsOf(dir, files)
  const checkInterpreter =
    interpreter === undefined ? undefined : createInterpreterCheck(interpreter.found, interpreter.real, log)
  let trusted: readonly (fs.BigIntStats | undefined)[] | undefined
  const isUntouched = (): boolean => trusted?.every((known, index) => isSameStat(known, statOf(paths[index] ?? ''))) ?? false
  return () => {
    if (!isUntouched()) {
      const before = paths.map(statOf)
      const finding = inspectSeal(dir, files)
      for (const name of finding.removed) log('warn', 'removed what was not sealed from a seal', { name })
      if (finding.tampered !== undefined) {
        const what = `tampered seal: ${finding.tampered}`
        onTampered(what)
        return what
      }
      const isQuiet = finding.removed.length === 0 && before.every((stat) => stat !== undefined && isSettled(stat))
      trusted = isQuiet ? before : undefined
    }
    return checkInterpreter?.()
  }
}
