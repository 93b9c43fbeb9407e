import { parseArgs } from 'node:util'
import { fail, helpOf, print, type Verb } from './verb.ts'

export const config: Verb = {
  usage: 'hookgate config check',
  does: ['says what is wrong with the settings, or what would start with them'],
  help: `It reads gate.yaml, the environment and the files of the workspace. It starts nothing and changes nothing.
Exit codes: 0 nothing is wrong, 1 something is wrong. Everything that is wrong is listed at once, each with its file and line.`,
  run: async (args) => {
    const { positionals } = parseArgs({ args: [...args], allowPositionals: true })
    const [what, ...more] = positionals
    if (what !== 'check' || more.length > 0)
      return fail(
        `Expected "hookgate config check", got ${what === undefined ? 'nothing to do' : `"${positionals.join(' ')}"`}.\n\n${helpOf(config)}`,
      )
    const { checkConfig } = await import('../compose/verbs/check.ts')
    const { text, isGood } = await checkConfig(process.env)
    print(text)
    process.exitCode = isGood ? 0 : 1
  },
}
