/** Longer than any number that somebody would have to type. */
const NUMBER = /^\d{1,12}$/

export interface ConsoleQuestions {
  /** Asks whoever sits at the console for a number; undefined when the time was up. Asked anew, the question before it is over. */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>
  /** A line was typed. True when it answered a question. */
  take(line: string): boolean
}

/** Questions at the console, where Enter alone has another meaning. */
export const createTyping = (print: (line: string) => void): ConsoleQuestions => {
  let answer: ((number: string | undefined) => void) | undefined
  return {
    ask: (prompt, signal) => {
      answer?.(undefined)
      const { promise, resolve } = Promise.withResolvers<string | undefined>()
      answer = resolve
      signal.addEventListener('abort', () => resolve(undefined), { once: true })
      if (signal.aborted) resolve(undefined)
      print(prompt)
      return promise.finally(() => {
        if (answer === resolve) answer = undefined
      })
    },
    take: (line) => {
      if (answer === undefined || !NUMBER.test(line.trim())) return false
      answer(line.trim())
      return true
    },
  }
}
