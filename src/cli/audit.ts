import { formatProblem, ProblemError } from '../model/gate/problem.ts'
import { fail, print, type Verb } from './verb.ts'

const readerOf = async (database: string) => {
  // The driver takes memory, so an audit of a file does not load it.
  const { readLedgerOf } = await import('../store/postgres/ledger-lines.ts')
  return () => readLedgerOf(database)
}

export const audit: Verb = {
  usage: 'hookgate audit verify',
  does: ['verifies the ledger, also while the gate runs: 0 well, 2 unreadable, 3 damaged'],
  run: async ([what]) => {
    if (what !== 'verify')
      return fail(
        `Expected "hookgate audit verify", got ${what === undefined ? 'nothing to audit' : `"${what}"`}.`,
      )
    const { loadConfig } = await import('../config/load.ts')
    const { auditLedger } = await import('../gatekeeper/ledger/audit.ts')
    const { home, telegram, database } = loadConfig(process.env)
    const read = database === undefined ? undefined : await readerOf(database)
    try {
      const { text, code } = await auditLedger(home, telegram !== undefined, read)
      print(text)
      process.exitCode = code
    } catch (error) {
      if (error instanceof ProblemError) fail(error.problems.map(formatProblem).join('\n'), 2)
      throw error
    }
  },
}
