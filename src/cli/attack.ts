import { parseArgs } from 'node:util'
import { fail, print, type Verb } from './verb.ts'

export const attack: Verb = {
  usage: 'hookgate attack [none|sandbox|users]',
  does: ['tries more than a hundred ways around a gate of its own making, and says what held'],
  help: `  none, sandbox, users   how far that gate keeps its agent away; absent: as a gate on this machine would
  --only TEXT            tries only what has this text in its name, such as ledger or page.brute; may be repeated
  --all                  lists what held, too

It starts a gate in a temporary folder, attacks it with the agent's rights, and takes it away again. No other gate is touched.
It takes about two minutes, and about twelve where nothing keeps the agent away. Exit codes: 0 all held that should, 3 something got through.`,
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
      if (ending.signal.aborted) fail('The attack was stopped early. What it made is taken away.', 130)
      throw error
    })
    print(text)
    process.exitCode = hasHole ? 3 : 0
  },
}
