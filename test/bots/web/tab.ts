import type { StreamLine } from '../../../bots/web/stream.ts'
import type { Session } from './scripted-web.ts'

export interface Tab {
  readonly lines: readonly StreamLine[]
  /** The first line that fits, now or when it comes. Rejects when the stream ends before. */
  until(fits: (line: StreamLine) => boolean): Promise<StreamLine>
  readonly ended: Promise<void>
  close(): void
}

/** One open tab, as the page holds it: the stream, read line by line. */
export const openTab = async (base: string, session: Session): Promise<Tab> => {
  const stop = new AbortController()
  const response = await fetch(`${base}/api/stream`, {
    headers: session('GET', '/api/stream'),
    signal: stop.signal,
  })
  if (response.body === null || !response.ok) throw new Error(`Expected a stream, got ${response.status}.`)
  const lines: StreamLine[] = []
  let news = Promise.withResolvers<boolean>()
  const read = async (body: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder()
    let rest = ''
    try {
      for await (const bytes of body) {
        const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n')
        rest = parts.pop() ?? ''
        lines.push(...parts.map((part) => JSON.parse(part) as StreamLine))
        news.resolve(true)
        news = Promise.withResolvers()
      }
    } catch {
      // Closed by one side; `ended` says so.
    }
    news.resolve(false)
  }
  const ended = read(response.body as ReadableStream<Uint8Array>)
  return {
    lines,
    ended,
    close: () => stop.abort(),
    until: async (fits) => {
      for (;;) {
        const next = news.promise
        const found = lines.find(fits)
        if (found !== undefined) return found
        if (!(await next)) throw new Error('The stream ended before the line came.')
      }
    },
  }
}
