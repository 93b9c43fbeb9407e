/** A number that a person types. Its bound is above every number that is asked for. */
const NUMBER = /^\d{1,12}$/

export interface ConsoleQuestions {
  /** Asks at the console for a number. Undefined: no answer in time, or a newer question replaced it. */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>
  /** Takes a typed line. True: it answered a question. */
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
