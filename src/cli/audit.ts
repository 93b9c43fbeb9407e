import { readFileSync, statSync } from 'node:fs'
import { messageOf, ProblemError } from '../core/model/gate/problem.ts'
import { formatProblem } from '../shared/base/problem.ts'
import { fail, print, type Verb } from './verb.ts'

const readerOf = async (database: string) => {
  // The driver takes memory, so an audit of a file does not load it.
  const { readLedgerOf } = await import('../store/postgres/ledger-lines.ts')
  return () => readLedgerOf(database)
}

const readExport = (file: string, maxBytes: number): string => {
  try {
    const { size } = statSync(file)
    if (size > maxBytes) return fail(`Expected an export of at most ${maxBytes} bytes, got ${size}.`, 2)
    return readFileSync(file, 'utf8')
  } catch (error) {
    return fail(`Expected an export that can be read in ${file}, but ${messageOf(error)}.`, 2)
  }
}

export const audit: Verb = {
  usage: 'hookgate audit verify [FILE] | hookgate audit export',
  does: [
    'verifies the ledger, also while the gate runs: 0 well, 2 unreadable, 3 damaged',
    'or writes every decision as JSON lines, which "audit verify FILE" verifies later',
  ],
  help: `  verify         every line of the ledger: its signature, its chain, and that none is missing
  verify FILE    an export: the same, what it says beside each line, and that this ledger begins with it
  export         who decided what, when, and over which bytes (SHA-256), one JSON object a line:
                 hookgate audit export > decisions.jsonl

The key of the ledger stays in the gate's folder, so an export is verified where it was made.`,
  run: async ([what, file, more]) => {
    if (
      (what !== 'verify' && what !== 'export') ||
      more !== undefined ||
      (what === 'export' && file !== undefined)
    )
      return fail(
        `Expected "hookgate audit verify" or "hookgate audit export", got ${what === undefined ? 'nothing to audit' : `"${[what, file, more].filter((word) => word !== undefined).join(' ')}"`}.`,
      )
    const { loadConfig } = await import('../config/load.ts')
    const { auditLedger } = await import('../compose/verbs/audit/audit.ts')
    const { exportLedger, maxExportBytes, verifyExport } = await import('../compose/verbs/audit/export.ts')
    const { home, telegram, database } = loadConfig(process.env)
    const read = database === undefined ? undefined : await readerOf(database)
    try {
      const { text, code } =
        what === 'export'
          ? await exportLedger(home, read)
          : file === undefined
            ? await auditLedger(home, telegram !== undefined, read)
            : await verifyExport(readExport(file, maxExportBytes), home, read)
      if (what === 'export' && code !== 0) return fail(text, code)
      print(text)
      process.exitCode = code
    } catch (error) {
      if (error instanceof ProblemError) fail(error.problems.map(formatProblem).join('\n'), 2)
      throw error
    }
  },
}
