import { startPlane, type Plane } from '../../plane.ts'

const guard = `#!/bin/sh
payload=$(cat)
case $payload in
  *never*) echo '{"decision": "block", "reason": "never that"}' ;;
  *forbidden*) echo '{"decision": "block", "reason": "the guard said no"}' ;;
esac
`

/** A plane whose guards block tool calls, model calls and messages by what they say. */
export const startGuarded = async (): Promise<Plane> => {
  const plane = await startPlane(
    `hooks:
  - {event: pre_tool_call, command: ./hooks/guard.sh, name: guard}
  - {event: pre_llm_call, command: ./hooks/guard.sh, name: model guard, matcher: asleep}
  - {event: on_user_message, command: ./hooks/guard.sh, name: post guard, matcher: letter}
`,
    { 'hooks/guard.sh': guard },
  )
  for (const event of ['pre_tool_call', 'pre_llm_call', 'on_user_message'])
    await plane.ask(`/hooks approve ${event} ./hooks/guard.sh`, (answer) => answer.includes('Approved'))
  await plane.ask('/hooks on', (answer) => answer.includes('Hooks are ON'))
  // Until then the chat is told that the agent is starting.
  await plane.ask('!echo ready', (answer) => answer.startsWith('ready'))
  return plane
}
