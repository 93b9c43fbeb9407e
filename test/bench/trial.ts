import { until } from '../plane.ts'
import type { BenchGate } from './gate.ts'
import { hookScript } from './hook.ts'
import { single, type Measured } from './measure.ts'

const events = 1000
const withinMs = 120_000

/** A card of a trial that still goes on. Each other text is an answer. */
const goesOn = (text: string): boolean =>
  text.includes('Trial of') && !text.includes('Nothing was decided') && !text.includes('\n✗ ')

/** How long `/hooks try` takes over 1000 events that all match, until its card has the end. */
export const measureTrial = async (gate: BenchGate): Promise<Measured> => {
  await gate.script('hook.sh', hookScript)
  for (let at = 0; at < events; at += 1)
    await gate.gate.dispatcher.fire({
      agentId: 'main',
      event: 'pre_tool_call',
      sessionId: 'bench',
      cwd: gate.workspace,
      fields: { tool_name: 'bash', tool_input: { command: `echo ${at}` }, tool_use_id: `call-${at}` },
    })
  await gate.propose('hooks:\n  - {event: pre_tool_call, command: ./hook.sh}\n')
  // Afterwards nothing is said to the owner but answers.
  await until('the card of the proposal', () => gate.texts().some((text) => text.includes('./hook.sh')))
  const fromMs = performance.now()
  const answer = await gate.ask(`/hooks try ./hook.sh ${events}`, (text) => !goesOn(text), withinMs)
  const us = (performance.now() - fromMs) * 1000
  if (!answer.includes(`Of ${events} past events ${events} matched`))
    throw new Error(`/hooks try answered: ${answer}`)
  return { times: [single('trial', us)] }
}
