import { fromMarkdown } from '../tools/messages.ts'
import type { Offered, Reporter } from '../reporter.ts'

const maxUnits = 1_000_000
/** The most messages in one turn. After that the rest of the agent's text comes in one message at the end. */
const maxMessages = 100
const left = '\n[… the rest was omitted …]'

/**
 * Sends the Markdown that the agent wrote. Resolves with the id of the message, or with undefined when it was
 * not sent.
 */
export const tellMarkdown = async (
  text: string,
  { reporter, signal }: { readonly reporter: Reporter; readonly signal: AbortSignal },
): Promise<string | undefined> => reporter.tell({ type: 'text', ...(await fromMarkdown(text)) }, signal)

/** The same for an answer that the agent can write again when a hook withholds it. */
export const offerMarkdown = async (
  text: string,
  { reporter, signal }: { readonly reporter: Reporter; readonly signal: AbortSignal },
): Promise<Offered> => reporter.offer({ type: 'text', ...(await fromMarkdown(text)) }, signal)

/** Collects the agent's text in pieces and sends it to the person as whole messages. */
export interface OutputText {
  /** Adds a piece of text. A new message of the agent begins a new paragraph. */
  hear(piece: string, message?: string): void
  /** Sends the collected text, after all earlier messages. */
  speak(): void
  /** Sends a separate message, after all earlier messages. */
  add(text: string): void
  /**
   * Returns the collected text that was not sent, for the caller to send. Resolves after all earlier messages
   * were sent.
   */
  take(): Promise<string>
}

export const createOutputText = (reporter: Reporter, signal: AbortSignal): OutputText => {
  let text = ''
  let last: string | undefined
  let messages = 0
  let sent: Promise<unknown> = Promise.resolve()

  const tell = (work: () => Promise<unknown>): void => {
    // After an abort nothing more is sent.
    sent = sent.then(work).catch(() => undefined)
  }
  const speak: OutputText['speak'] = () => {
    const collected = text.trim()
    if (collected === '' || messages >= maxMessages) return
    text = ''
    messages++
    tell(() => tellMarkdown(collected, { reporter, signal }))
  }
  return {
    speak,
    add: (message) => {
      // Further messages are only in the gate's records.
      if (++messages <= maxMessages) tell(() => reporter.tell(message, signal))
    },
    hear: (piece, messageId) => {
      if (messageId !== last && text !== '') text += '\n\n'
      last = messageId
      if (text.length < maxUnits)
        text =
          text.length + piece.length > maxUnits ? `${text}${piece}`.slice(0, maxUnits) + left : text + piece
    },
    take: async () => {
      await sent
      const collected = text.trim()
      text = ''
      return collected
    },
  }
}
