import { parseArgs } from 'node:util'
import { fail, print, type Verb } from './verb.ts'

export const fire: Verb = {
  usage: 'hookgate fire <event> [--payload FILE|-] [--agent ID]',
  does: ['asks the running gate what its hooks decide about an event'],
  help: `  <event>          its name, such as pre_tool_call
  --payload FILE   a file with one JSON object of the event's fields; - reads it from stdin
  --agent ID       the agent in whose name it is asked (main)

The answer is one JSON object on stdout, with the verdict and the settled payload.`,
  run: async (args) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { payload: { type: 'string' }, agent: { type: 'string', default: 'main' } },
    })
    const [event] = positionals
    if (event === undefined) return fail('Expected "hookgate fire <event>", got no event.')
    // The user of an agent may not read gate.yaml.
    const { chainOf, homeOf } = await import('../config/home.ts')
    const { askGate } = await import('../server/ask.ts')
    const { env } = process
    const to = { home: homeOf(env), agent: values.agent, chain: chainOf(env) }
    const asked = await askGate({ ...to, event, payload: values.payload })
    if ('answer' in asked) print(asked.answer)
    else fail(asked.why, asked.code)
  },
}
