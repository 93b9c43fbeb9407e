import { fixed, prose } from '../model/chat/prose.ts'
import type { Check } from './check.ts'

const remedies = {
  timeout: 'Make it faster, or raise its timeout and approve it again.',
  start: 'Mend the file and approve it again.',
  folder: 'Open the folder to the hooks’ user, or correct "cwd".',
  limit: 'Look what the machine is short of, or match fewer events.',
  exit: 'Run it by hand with a sample on stdin.',
  crash: 'Run it by hand with a sample on stdin, and let it end with 0, or with 2 to block.',
  garbled:
    'Let it write its answer with a tool that knows JSON, such as jq; text put together breaks at a quotation mark.',
  output: 'Print one JSON object or nothing; logs go to stderr.',
  broken: 'Make what it names reachable for hooks, or write it without that.',
  rewrite: 'See config/context/references/agent-hooks.md for what may be rewritten.',
  changed: 'Something that was approved is not as it was: look at it before you approve it again.',
  killed: 'It was ended from outside; try again.',
  refused: 'hookgate did not ask it: mend the entry or gate.yaml.',
  network: 'Look whether its server runs and answers.',
  host: 'Try again; if it stays, restart hookgate.',
} as const

/** Whether the hook answered a synthetic payload as the protocol says, and how long it took. */
export const answerCheck: Check = ({ answer, durationMs, hook }) => {
  const took = `${Math.round(durationMs)} ms`
  if (answer.fault !== undefined) {
    return [
      {
        level: 'bad',
        text: prose`${fixed(answer.fault.kind)}: ${answer.fault.detail} ${fixed(remedies[answer.fault.kind])}`,
      },
    ]
  }
  const reason = answer.reason === undefined ? [] : prose`: ${answer.reason}`
  const notes = answer.notes.map((note) => ({ level: 'warn' as const, text: prose`${note}` }))
  const slow =
    durationMs > hook.entry.timeoutMs / 2
      ? [
          {
            level: 'warn' as const,
            text: fixed(
              `It took ${took} of its ${hook.entry.timeoutMs / 1000} s. Raise its timeout before it fails.`,
            ),
          },
        ]
      : []
  return [
    { level: 'ok', text: prose`${fixed(`answers ${answer.kind} in ${took}`)}${reason}` },
    ...slow,
    ...notes,
  ]
}
