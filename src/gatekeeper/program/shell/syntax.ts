import { parse } from 'unbash'

/** Longer texts are not judged, in UTF-16 units. */
const maxUnits = 64 * 1024

const judged = new Set(['sh', 'bash', 'dash'])

/** The first thing that a shell cannot read in a text, with its line. The text is parsed and never run. */
export const shellFault = (text: string, shell: string): string | undefined => {
  if (!judged.has(shell) || text.length > maxUnits) return undefined
  try {
    const [first] = parse(text).errors ?? []
    // The parser itself has a limit, which is no fault of the text.
    if (first === undefined || first.message.startsWith('maximum ')) return undefined
    return `${first.message} in line ${text.slice(0, first.pos).split('\n').length}`
  } catch (error) {
    // It is nested more deeply than can be read here.
    if (error instanceof RangeError) return undefined
    throw error
  }
}
