import { fixed, prose, verbatim } from '../core/model/chat/prose.ts'
import type { Check } from './check.ts'

const remedies = {
  timeout: fixed('Make it faster, or raise its timeout and approve it again.'),
  start: fixed('Correct the file and approve it again.'),
  folder: fixed('Give the hooks’ user access to the folder, or correct "cwd".'),
  limit: fixed('Check the memory, processes and disk of the machine, or match fewer events.'),
  exit: fixed('Run it by hand with a sample on stdin.'),
  crash: fixed('Run it by hand with a sample on stdin. It must exit with 0, or with 2 to block.'),
  garbled: fixed(
    'Write its answer with a JSON tool such as jq. Text that is put together by hand breaks at a quotation mark.',
  ),
  output: fixed('Print one JSON object or nothing to stdout, and print logs to stderr.'),
  broken: fixed(
    'Make the file that it names reachable for hooks, or change the hook so that it does not need it.',
  ),
  rewrite: fixed('See config/context/references/agent-hooks.md for what may be rewritten.'),
  changed: fixed('A file that was approved has changed. Look at it before you approve the hook again.'),
  killed: fixed('Another program ended it. Try again.'),
  refused: fixed('hookgate did not ask it. Correct the entry or gate.yaml.'),
  network: fixed('Check that its server runs and answers.'),
  host: fixed('Try again. If the fault stays, restart hookgate.'),
} as const

/** Checks that the hook answered a synthetic payload as the protocol says, and reports how long it took. */
export const answerCheck: Check = ({ answer, durationMs, hook }) => {
  if (answer.fault !== undefined) {
    return [
      {
        level: 'bad',
        text: prose`${verbatim(answer.fault.kind)}: ${answer.fault.detail} ${remedies[answer.fault.kind]}`,
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
            text: prose`It took ${Math.round(durationMs)} ms of its ${hook.entry.timeoutMs / 1000} s. Raise its timeout, or it may fail later.`,
          },
        ]
      : []
  return [
    {
      level: 'ok',
      text: prose`answers ${verbatim(answer.kind)} in ${Math.round(durationMs)} ms${reason}`,
    },
    ...slow,
    ...notes,
  ]
}
