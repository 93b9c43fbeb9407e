import { createRequire } from 'node:module'
import type * as Unbash from 'unbash'

/** The parser is loaded for the first text: it takes 14 ms and a megabyte. */
const load = createRequire(import.meta.url) as (name: 'unbash') => typeof Unbash

/** Parses a shell text. Undefined for one that is nested more deeply than can be read here. */
export const parseShell = (text: string): Unbash.ParsedScript | undefined => {
  try {
    return load('unbash').parse(text)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Longer texts are not judged, in UTF-16 units. */
const maxUnits = 64 * 1024

const judged = new Set(['sh', 'bash', 'dash'])

/** The first thing that a shell cannot read in a text, with its line. The text is parsed and never run. */
export const shellFault = (text: string, shell: string): string | undefined => {
  if (!judged.has(shell) || text.length > maxUnits) return undefined
  const [first] = parseShell(text)?.errors ?? []
  // The parser itself has a limit, which is no fault of the text.
  if (first === undefined || first.message.startsWith('maximum ')) return undefined
  return `${first.message} in line ${text.slice(0, first.pos).split('\n').length}`
}
