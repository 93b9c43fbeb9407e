import type { Socket } from 'node:net'
import { isObject, type Json } from '../../../core/model/base/json.ts'
import { parseUnambiguous } from '../../../shared/base/unambiguous.ts'
import { createSink } from '../spawn/sink.ts'

/** A longer line ends the conversation, and longer lines are not sent. In bytes. */
export const maxLineBytes = 1024 * 1024
/** The most that may be queued for a program that does not read. In bytes. */
const maxUnsentBytes = 8 * 1024 * 1024
const lineFeed = 10
const maxGarbageInARow = 3
/** Replies without a request also cost the gate time, so they are bounded. */
const maxStrayInARow = 100
/** An exit also closes the output. After this time the reason for the exit has been reported. */
const farewellMs = 100

/** False when the program has not read earlier lines. */
export type Send = (line: string) => boolean

export interface ConversationListener {
  /** False: no request waits for a reply with that id. No id: the line was no reply. */
  reply(id: string | undefined, answer: Json | undefined): boolean
  /** The program broke the protocol: the caller ends the conversation. `why` is one sentence. */
  broken(why: string): void
}

/** A line that is not read for what it holds still tells the id of the request that it answers. */
const parsed = (line: string): { readonly id: string; readonly answer: Json | undefined } | undefined => {
  const read = parseUnambiguous(line)
  try {
    const said: unknown = read ?? JSON.parse(line)
    return isObject(said) && typeof said['id'] === 'string'
      ? { id: said['id'], answer: read?.['answer'] }
      : undefined
  } catch {
    return undefined
  }
}

/**
 * Exchanges one JSON object per line in both directions, until `signal` aborts. The length and the number of
 * invalid lines from the program are bounded.
 */
export const converse = (
  socket: Socket,
  { reply, broken }: ConversationListener,
  signal: AbortSignal,
): Send => {
  const begun = createSink(maxLineBytes)
  let garbage = 0
  let stray = 0
  signal.addEventListener('abort', () => socket.destroy())

  /** False when the conversation ended with this line. */
  const take = (line: string): boolean => {
    const said = parsed(line)
    if (reply(said?.id, said?.answer)) {
      garbage = 0
      stray = 0
      return true
    }
    garbage = said === undefined ? garbage + 1 : 0
    stray += 1
    if (garbage >= maxGarbageInARow)
      broken(
        `It printed ${garbage} lines in a row that are no JSON object with an "id", at last ${JSON.stringify(line.slice(0, 100))}. Write logs to stderr.`,
      )
    else if (stray >= maxStrayInARow)
      broken(
        `It answered ${stray} times in a row what nobody asks. Give each request one reply with its "id".`,
      )
    return !signal.aborted
  }

  socket.on('data', (chunk: Buffer) => {
    let from = 0
    while (from < chunk.length) {
      const end = chunk.indexOf(lineFeed, from)
      const piece = chunk.subarray(from, end < 0 ? undefined : end)
      if (!begun.add(piece))
        return broken(`It printed a line of more than ${maxLineBytes} bytes. Answer in fewer words.`)
      if (end < 0) return
      from = end + 1
      const line = begun.text()
      begun.clear()
      if (!take(line)) return
    }
  })
  socket.on('error', () => undefined)
  socket.on(
    'close',
    () =>
      void setTimeout(
        broken,
        farewellMs,
        'It closed its stdin or stdout. A resident hook has to stay and answer line by line.',
      ).unref(),
  )
  socket.resume()
  return (line) => {
    if (socket.writableLength > maxUnsentBytes) return false
    socket.write(line)
    return true
  }
}
