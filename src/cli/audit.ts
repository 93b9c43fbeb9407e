import { fail, print, type Verb } from './verb.ts'

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
    const { home, telegram } = loadConfig(process.env)
    const { text, code } = await auditLedger(home, telegram !== undefined)
    print(text)
    process.exitCode = code
  },
}
