import type { IncomingMessage } from './http.ts'

/**
 * Yields the lines of a response. Throws when the stream breaks off, or when a line has more than `maxUnits`
 * UTF-16 units.
 */
export const linesOf = async function* (response: IncomingMessage, maxUnits: number): AsyncGenerator<string> {
  response.setEncoding('utf8')
  let rest = ''
  for await (const chunk of response) {
    const lines = `${rest}${String(chunk)}`.split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maxUnits) throw new Error('the line is too long')
    yield* lines
  }
}
