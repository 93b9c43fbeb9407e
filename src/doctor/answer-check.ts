import { prose, verbatim } from '../core/model/chat/prose.ts'
import { bad, warn, ok, type Check } from './check.ts'

const remedies = {
  timeout: prose`Make it faster, or raise its timeout and approve it again.`,
  start: prose`Correct the file and approve it again.`,
  folder: prose`Give the hooks’ user access to the folder, or correct "cwd".`,
  limit: prose`Check the memory, processes and disk of the machine, or match fewer events.`,
  exit: prose`Run it by hand with a sample on stdin.`,
  crash: prose`Run it by hand with a sample on stdin. It must exit with 0, or with 2 to block.`,
  garbled: prose`Write its answer with a JSON tool such as jq. Text that is put together by hand breaks at a quotation mark.`,
  output: prose`Print one JSON object or nothing to stdout, and print logs to stderr.`,
  broken: prose`Make the file that it names reachable for hooks, or change the hook so that it does not need it.`,
  rewrite: prose`See config/context/references/agent-hooks.md for what may be rewritten.`,
  changed: prose`A file that was approved has changed. Look at it before you approve the hook again.`,
  killed: prose`Another program ended it. Try again.`,
  refused: prose`hookgate did not ask it. Correct the entry or gate.yaml.`,
  network: prose`Check that its server runs and answers.`,
  host: prose`Try again. If the fault stays, restart hookgate.`,
} as const

/** Checks that the hook answered a synthetic payload as the protocol says, and reports how long it took. */
export const answerCheck: Check = ({ answer, durationMs, hook }) => {
  if (answer.fault !== undefined) {
    return [bad(prose`${verbatim(answer.fault.kind)}: ${answer.fault.detail} ${remedies[answer.fault.kind]}`)]
  }
  const reason = answer.reason === undefined ? [] : prose`: ${answer.reason}`
  const notes = answer.notes.map((note) => warn(prose`${note}`))
  const slow =
    durationMs > hook.entry.timeoutMs / 2
      ? [
          warn(
            prose`It took ${Math.round(durationMs)} ms of its ${hook.entry.timeoutMs / 1000} s. Raise its timeout, or it may fail later.`,
          ),
        ]
      : []
  return [
    ok(prose`answers ${verbatim(answer.kind)} in ${Math.round(durationMs)} ms${reason}`),
    ...slow,
    ...notes,
  ]
}
