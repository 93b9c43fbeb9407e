import { prose, type Prose } from '../core/model/chat/prose.ts'
import type { Fault, FaultKind } from '../core/model/hooks/answer.ts'
import { answerWords, faultWords } from '../shared/hooks/answer-words.ts'
import { reasonProse } from '../shared/hooks/guard-words.ts'
import { ourWords } from '../shared/said/our-words.ts'
import { bad, warn, ok, type Check } from './check.ts'

/** The words of interpreters about a text that they do not understand, whatever the payload is. */
const misread = /syntax ?error|IndentationError|TabError|parse error/i

const byHand = prose`Run it by hand with a sample: hookgate test.`

/**
 * What to do about a fault, where its own words only say what happened. The words of every other fault say
 * what to do.
 */
const cures: { readonly [Kind in FaultKind]?: (detail: string) => Prose } = {
  exit: (detail) => (misread.test(detail) ? prose`Correct its text, and approve it again.` : byHand),
  crash: (detail) =>
    misread.test(detail)
      ? prose`Correct its text, and approve it again.`
      : prose`${byHand} It must exit with 0, or with 2 to block.`,
  rewrite: () => prose`See config/context/references/agent-hooks.md for what may be rewritten.`,
}

const faultText = ({ kind, detail }: Fault): Prose => {
  const cure = cures[kind]?.(detail)
  const said = prose`${faultWords[kind]}: ${ourWords(detail)}`
  return cure === undefined ? said : prose`${said} ${cure}`
}

/** Checks that the hook answered a synthetic payload as the protocol says, and reports how long it took. */
export const answerCheck: Check = ({ answer, durationMs, hook }) => {
  if (answer.fault !== undefined) return [bad(faultText(answer.fault))]
  const reason = answer.reason === undefined ? [] : prose`: ${reasonProse(answer.reason)}`
  const notes = answer.notes.map((note) => warn(reasonProse(note)))
  const slow =
    durationMs > hook.entry.timeoutMs / 2
      ? [
          warn(
            prose`It took ${Math.round(durationMs)} ms of its ${hook.entry.timeoutMs / 1000} s. Raise its timeout, or it may fail later.`,
          ),
        ]
      : []
  return [
    ok(prose`answers ${answerWords[answer.kind]} in ${Math.round(durationMs)} ms${reason}`),
    ...slow,
    ...notes,
  ]
}
