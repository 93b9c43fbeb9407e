import { fixed, prose } from '../model/chat/prose.ts'
import type { Check } from './check.ts'

const remedies = {
  timeout: 'Make it faster, or raise its timeout and approve it again.',
  start: 'Correct the file and approve it again.',
  folder: 'Give the hooks’ user access to the folder, or correct "cwd".',
  limit: 'Check the memory, processes and disk of the machine, or match fewer events.',
  exit: 'Run it by hand with a sample on stdin.',
  crash: 'Run it by hand with a sample on stdin. It must exit with 0, or with 2 to block.',
  garbled:
    'Write its answer with a JSON tool such as jq. Text that is put together by hand breaks at a quotation mark.',
  output: 'Print one JSON object or nothing to stdout, and print logs to stderr.',
  broken: 'Make the file that it names reachable for hooks, or change the hook so that it does not need it.',
  rewrite: 'See config/context/references/agent-hooks.md for what may be rewritten.',
  changed: 'A file that was approved has changed. Look at it before you approve the hook again.',
  killed: 'Another program ended it. Try again.',
  refused: 'hookgate did not ask it. Correct the entry or gate.yaml.',
  network: 'Check that its server runs and answers.',
  host: 'Try again. If the fault stays, restart hookgate.',
} as const

/** Checks that the hook answered a synthetic payload as the protocol says, and reports how long it took. */
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
              `It took ${took} of its ${hook.entry.timeoutMs / 1000} s. Raise its timeout, or it may fail later.`,
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
