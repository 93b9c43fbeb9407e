import type { Json } from '../../../core/model/base/json.ts'

const telling =
  'pass|pwd|secret|token|credential|api[_-]?key|access_?id|contribsys|identified by|mnemonic|seed phrase'
/**
 * What may be a secret: a long run with letters and digits, a value behind a telling name, a login of a
 * command or in an address, twelve words as of a wallet, or the placeholder that redact_secrets wrote.
 */
const suspect = new RegExp(
  [
    '[A-Za-z0-9_+=~-]{16,}',
    telling,
    String.raw`\[redacted:`,
    String.raw`:\/\/[^\s/:@]{1,64}:[^\s@]{1,128}@`,
    String.raw`-(?:u|-user)[ =]?["']?[^\s:]{1,64}:\S`,
    String.raw`\b(?:[a-z]{3,8}[ ,"'\r\n]{1,4}){11}[a-z]{3,8}`,
  ].join('|'),
  'gi',
)
const isTelling = new RegExp(telling, 'i')
/** True for a long run that is a word, a number or a line. */
const isPlain = (run: string): boolean =>
  /^[\w+=~-]{16,}$/.test(run) &&
  !(/[A-Za-z]/.test(run) && /\d/.test(run)) &&
  !(run.length >= 32 && /[a-z]/.test(run) && /[A-Z]/.test(run)) &&
  !isTelling.test(run)

/** So much of the text around it may tell what it is. */
const around = 300
/** A longer run is no secret. */
const maxRun = 4096
/** So much of one call is searched. */
const maxUnits = 128 * 1024

/**
 * The places of a value where a secret may stand, since the whole search of a month would take minutes.
 * Undefined: they are too many.
 */
export const suspectsIn = (value: Json): readonly string[] | undefined => {
  const places: string[] = []
  let left = maxUnits
  const look = (inner: Json): void => {
    if (typeof inner === 'string') {
      let [from, to] = [0, -1]
      const keep = (): void => {
        if (to < 0) return
        left -= to - from
        if (left >= 0) places.push(inner.slice(from, to))
      }
      for (const { 0: run, index } of inner.matchAll(suspect)) {
        if (left < 0) return
        if (isPlain(run)) continue
        const start = Math.max(0, index - around)
        if (start > to) {
          keep()
          from = start
        }
        to = index + Math.min(run.length, maxRun) + around
      }
      keep()
    } else if (typeof inner === 'object' && inner !== null)
      for (const one of Array.isArray(inner) ? inner : Object.values(inner)) look(one)
  }
  look(value)
  return left < 0 ? undefined : places
}
