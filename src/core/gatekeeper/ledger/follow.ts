import type { KnownLedger, LedgerEnd, SharedLines } from '../../model/gate/shared.ts'
import { writeHead } from './head.ts'
import { readKept } from './read.ts'
import { checkKey, surveyShared, verifyAfter } from './shared.ts'

/**
 * Follows the ledger for a gate that waits. Each look verifies what is new and keeps the end in the gate's
 * folder, so that a takeover compares the ledger with it. Rejects when the lines cannot be reached, and with
 * a ProblemError when this folder has not their key.
 */
export const followLedger = (home: string, { read }: Pick<SharedLines, 'read'>) => {
  let known: { readonly end: LedgerEnd; readonly key: Buffer } | undefined
  const keep = (end: LedgerEnd, key: Buffer): KnownLedger => {
    if (end.head !== known?.end.head) writeHead(home, end, key)
    known = { end, key }
    return { end }
  }
  return async (): Promise<KnownLedger> => {
    if (known !== undefined) {
      const news = verifyAfter(known.end, await read(known.end.revision), known.key)
      if (typeof news !== 'string') return keep(news.end, known.key)
      // An owner may have begun another one.
      known = undefined
    }
    const [kept, lines] = [readKept(home), await read()]
    const found = surveyShared(kept, lines)
    if (lines !== undefined) checkKey(home, kept, found)
    if (found.kind === 'unreadable') return { why: found.why }
    if (found.kind === 'empty' || lines === undefined) return {}
    return found.problem === undefined ? keep(lines.end, found.key) : { why: found.problem }
  }
}
