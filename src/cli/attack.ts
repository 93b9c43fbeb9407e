import { parseArgs } from 'node:util'
import { fail, print, type Verb } from './verb.ts'

export const attack: Verb = {
  usage: 'hookgate attack [none|sandbox|users]',
  does: ['attacks a separate gate in more than a hundred ways, and reports what was blocked'],
  help: `  none, sandbox, users   how that gate separates its agent; absent: as a gate on this machine would
  --only TEXT            tries only what has this text in its name, such as ledger or page.brute; may be repeated
  --all                  also lists the attacks that were blocked

It starts a gate in a temporary folder, attacks it with the agent's rights, and removes it. No other gate is touched.
It takes about two minutes, and about twelve without separation. Exit codes: 0 all was blocked that should be, 3 something got through.`,
  run: async (args) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        only: { type: 'string', multiple: true, default: [] },
        all: { type: 'boolean', default: false },
      },
    })
    const [kind, ...more] = positionals
    const { attackAndTell, kinds } = await import('../compose/verbs/attack.ts')
    const { loadConfig } = await import('../config/load.ts')
    const isKind = (word: string | undefined): word is (typeof kinds)[number] =>
      kinds.some((one) => one === word)
    if (more.length > 0 || (kind !== undefined && !isKind(kind)))
      return fail(`Expected "hookgate attack ${kinds.join('|')}", got "${positionals.join(' ')}".`)
    const ending = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ending.abort())
    const { text, hasHole } = await attackAndTell(
      {
        kind,
        isAll: values.all,
        only: values.only,
        signal: ending.signal,
        say: (line) => void process.stderr.write(`${line}\n`),
      },
      loadConfig(process.env),
    ).catch((error: unknown) => {
      if (ending.signal.aborted) fail('The attack was interrupted. Its temporary files were removed.', 130)
      throw error
    })
    print(text)
    process.exitCode = hasHole ? 3 : 0
  },
}
