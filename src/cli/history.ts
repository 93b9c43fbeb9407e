import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { fail, type Verb } from './verb.ts'

const units = { h: 3_600_000, d: 86_400_000 } as const
/** So many events are read at once. */
const page = 500

const sinceOf = (typed: string, nowMs: number): number => {
  const [, count, unit] = /^([1-9]\d{0,4})([dh])$/.exec(typed) ?? []
  if (count === undefined || (unit !== 'd' && unit !== 'h'))
    return fail(
      `Expected --since as a number of days or hours, such as 7d or 12h, got "${typed.slice(0, 40)}".`,
    )
  return nowMs - Number(count) * units[unit]
}

const verdicts = ['allow', 'ask', 'block'] as const
const verdictOf = (typed: string): (typeof verdicts)[number] =>
  verdicts.find((name) => name === typed) ??
  fail(`Expected --verdict as allow, ask or block, got "${typed.slice(0, 40)}".`)

const mostOf = (typed: string): number =>
  /^[1-9]\d{0,8}$/.test(typed)
    ? Number(typed)
    : fail(`Expected --limit as a number of events, got "${typed.slice(0, 40)}".`)

export const history: Verb = {
  usage: 'hookgate history [--since 7d] [--agent A] [--event E] [--verdict V] [--text T]',
  does: ['writes the kept events as JSON lines, the newest first, also while the gate runs'],
  help: `  --since 7d      only events of the last days (7d) or hours (12h)
  --agent A       only events of this agent, such as main or claude-code@desk
  --event E       only events of this name, such as pre_tool_call
  --verdict V     only events with this verdict: allow, ask or block
  --text T        only events with this text in their payload, their tool or their reason
  --limit N       at most so many events

Each line has the event as it came, what hooks changed in it, and what each hook did. gate.yaml says how long
events are kept: history: {days: 7, megabytes: 200, payloads: true}.`,
  run: async (args) => {
    const text = { type: 'string' } as const
    const { values } = parseArgs({
      args: [...args],
      options: { since: text, agent: text, event: text, verdict: text, text, limit: text },
    })
    const { loadConfig } = await import('../config/load.ts')
    const { readHistory } = await import('../history/read.ts')
    const { exported } = await import('../shared/events/exported.ts')
    const { home } = loadConfig(process.env)
    const { agent, event, text: words } = values
    const query = {
      sinceMs: values.since === undefined ? 0 : sinceOf(values.since, Date.now()),
      agent,
      event,
      verdict: values.verdict === undefined ? undefined : verdictOf(values.verdict),
      text: words,
    }
    let left = values.limit === undefined ? Number.POSITIVE_INFINITY : mostOf(values.limit)
    const reading = readHistory(home)
    if (reading === undefined)
      return fail(`There is no history in ${home} yet. The gate keeps events while it runs.`, 2)
    // Somebody who reads only the beginning, such as "head", closes the pipe.
    process.stdout.on('error', () => process.exit(0))
    let before: number | undefined
    do {
      const { events, next } = reading.events({
        ...query,
        limit: Math.min(page, left),
        before,
      })
      left -= events.length
      for (const one of events)
        if (!process.stdout.write(`${exported(one)}\n`)) await once(process.stdout, 'drain')
      before = next
    } while (before !== undefined && left > 0)
    reading.close()
  },
}
