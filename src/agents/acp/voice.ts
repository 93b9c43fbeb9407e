import type { Reporter } from '../reporter.ts'

const maxUnits = 1_000_000
/** Beyond so many in one turn, what the agent says comes in one message at its end. */
const maxMessages = 100
const left = '\n[… the rest is left out …]'

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

  const add: Voice['add'] = (said) => {
    // On abort nothing more is told.
    told = told.then(() => reporter.tell(said, signal)).catch(() => undefined)
  }
  const speak: Voice['speak'] = () => {
    const said = text.trim()
    if (said === '' || messages >= maxMessages) return
    text = ''
    messages++
    add(said)
  }
  return {
    add, speak,
    hear: (piece, message) => {
      if (message !== last && text !== '') text += '\n\n'
      last = message
      if (text.length < maxUnits) text = text.length + piece.length > maxUnits ? `${text}${piece}`.slice(0, maxUnits) + left : text + piece
    },
    take: async () => {
      await told
      const said = text.trim()
      text = ''
      return said
    },
  }
}
