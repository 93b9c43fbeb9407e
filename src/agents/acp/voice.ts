import { fromMarkdown } from '../tools/messages.ts'
import type { Reporter } from '../reporter.ts'

const maxUnits = 1_000_000
/** Beyond so many in one turn, what the agent says comes in one message at its end. */
const maxMessages = 100
const left = '\n[… the rest is left out …]'

/** Says what the agent wrote, as agents write. Resolves with what the message can be named by, or undefined when it did not go out. */
export const tellWritten = async (
  text: string,
  { reporter, signal }: { readonly reporter: Reporter; readonly signal: AbortSignal },
): Promise<string | undefined> => reporter.tell({ type: 'text', ...(await fromMarkdown(text)) }, signal)

/** What the agent says in a turn, piece by piece, as whole messages for the person. */
export interface Voice {
  /** A piece; a new message of the agent begins a new paragraph. */
  hear(piece: string, message?: string): void
  /** Tells what was gathered, after everything before it. */
  speak(): void
  /** Says something beside it, in its place. */
  add(text: string): void
  /** What is gathered and not told; it is told by whoever takes it. Everything before it is told by then. */
  take(): Promise<string>
}

export const createVoice = (reporter: Reporter, signal: AbortSignal): Voice => {
  let text = ''
  let last: string | undefined
  let messages = 0
  let told: Promise<unknown> = Promise.resolve()

  const tell = (work: () => Promise<unknown>): void => {
    // On abort nothing more is told.
    told = told.then(work).catch(() => undefined)
  }
  const speak: Voice['speak'] = () => {
    const said = text.trim()
    if (said === '' || messages >= maxMessages) return
    text = ''
    messages++
    tell(() => tellWritten(said, { reporter, signal }))
  }
  return {
    speak,
    add: (said) => {
      // Beyond that the gate's records have it.
      if (++messages <= maxMessages) tell(() => reporter.tell(said, signal))
    },
    hear: (piece, message) => {
      if (message !== last && text !== '') text += '\n\n'
      last = message
      if (text.length < maxUnits)
        text =
          text.length + piece.length > maxUnits ? `${text}${piece}`.slice(0, maxUnits) + left : text + piece
    },
    take: async () => {
      await told
      const said = text.trim()
      text = ''
      return said
    },
  }
}
