import { parseArgs } from 'node:util'
import { fail, helpOf, print, type Verb } from './verb.ts'

/** A number of seconds within what any hook system allows. */
const secondsOf = (text: string): number => {
  const seconds = Number(text)
  return seconds > 0 && seconds <= 600
    ? seconds
    : fail(`Expected --timeout to be a number from 0 to 600 (seconds), got "${text}".`)
}

export const test: Verb = {
  usage: 'hookgate test <event> --command CMD [--dialect D] [--payload FILE|-] [--timeout S]',
  does: [
    'runs one command as a hook, sealed and ungated, and shows what it was',
    'sent and how its answer is understood',
  ],
  help: `  <event>          its name in the hook's own system, such as pre_tool_call or PreToolUse
  --command CMD    the command as it would stand in a configuration
  --dialect D      the system that the hook was written for: native (this one), claude-code, copilot, ...
  --payload FILE   a file with one JSON object that the hook is sent; - reads it from stdin
  --timeout S      seconds, from 0 to 600 (20)
  --agent ID       the agent whose running gate is asked where its hooks run (main)

"hookgate test gallery" runs the self-test of each hook that /hooks gallery lists.

It prints one JSON object on stdout. In it, "sent" is what the command got on stdin. Exit codes: 0 the hook answered, 1 it
failed ("decision" is "fault") or something was typed wrongly.`,
  run: async (args) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        command: { type: 'string' },
        dialect: { type: 'string' },
        payload: { type: 'string' },
        timeout: { type: 'string', default: '20' },
        agent: { type: 'string', default: 'main' },
      },
    })
    const [event] = positionals
    const { command, timeout, ...more } = values
    if (event === 'gallery' && command === undefined) {
      const { testGallery } = await import('../compose/verbs/gallery.ts')
      const results = await testGallery()
      for (const { name, flaw } of results) print(flaw === undefined ? `✓ ${name}` : `✗ ${name}: ${flaw}`)
      if (results.some(({ flaw }) => flaw !== undefined)) process.exitCode = 1
      return
    }
    if (event === undefined || command === undefined)
      return fail(`Expected "hookgate test <event> --command <cmd>".\n\n${helpOf(test)}`)
    const timeoutMs = secondsOf(timeout) * 1000
    const { loadConfig } = await import('../config/load.ts')
    const { runTrial } = await import('../compose/verbs/trial.ts')
    const request = { event, command, timeoutMs, cwd: process.cwd(), ...more }
    const result = await runTrial(request, loadConfig(process.env))
    print(JSON.stringify(result))
    // A script that tests a hook must see that the hook is broken.
    if (result['decision'] === 'fault') process.exitCode = 1
  },
}
