import { startThreadedPlane } from '../plane.ts'
import { hookScript } from './hook.ts'

const events = 1000
const withinMs = 300_000

/** How long `/hooks try` takes over 1000 events that all match, until its card has the end, in seconds. */
export const measureTrial = async (): Promise<number> => {
  const plane = await startThreadedPlane('hooks: []\n', { 'hook.sh': hookScript }, {}, 'auto')
  try {
    const { dispatcher } = plane.gate
    for (let at = 0; at < events; at += 1)
      await dispatcher.fire({
        agentId: 'main',
        event: 'pre_tool_call',
        sessionId: 'bench',
        cwd: plane.workspace,
        fields: { tool_name: 'bash', tool_input: { command: `echo ${at}` }, tool_use_id: `call-${at}` },
      })
    await plane.propose('hooks:\n  - {event: pre_tool_call, command: ./hook.sh}\n')
    const list = await plane.ask('/hooks', (text) => text.includes('NOT approved'))
    const [, handle = ''] = /^(\w{5}) ✗/m.exec(list) ?? []
    const fromMs = performance.now()
    const end = await plane.ask(
      `/hooks try ${handle} ${events}`,
      (text) => text.includes('Nothing was decided'),
      withinMs,
    )
    if (!end.includes(`Of ${events} past events ${events} matched`))
      throw new Error(`Expected a trial of ${events} events, got ${JSON.stringify(end.slice(0, 300))}.`)
    return (performance.now() - fromMs) / 1000
  } finally {
    await plane.stop()
  }
}
