import type { Socket } from 'node:net'
import { isObject, parseUnambiguous, type Json } from '../../../model/base/json.ts'
import { createSink } from '../spawn/sink.ts'

/** A line longer than this ends the conversation, and is not sent either. In bytes. */
export const maxLineBytes = 1024 * 1024
/** What may wait for a program that does not read. */
const maxUnsentBytes = 8 * 1024 * 1024
const lineFeed = 10
const maxGarbageInARow = 3
/** Replies to nothing cost the gate time as well. */
const maxStrayInARow = 100
/** Whoever exits closes its output too: why it did is told by then. */
const farewellMs = 100

export interface Conversation {
  /** False when the program has not read what it was sent before. */
  send(line: string): boolean
  close(): void
}

export interface ConversationEars {
  /** False: nobody waits for a reply of that id. */
  reply(id: string, answer: Json | undefined): boolean
  /** A line was dropped: garbage, or a reply to nothing. */
  dropped(): void
  /** The program broke the rules, with words: this conversation is over. */
  broken(why: string): void
}

const parsed = (line: string): { readonly id: string; readonly answer: Json | undefined } | undefined => {
  try {
    const said: unknown = JSON.parse(line)
    return isObject(said) && typeof said['id'] === 'string'
      ? { id: said['id'], answer: parseUnambiguous(line)?.['answer'] }
      : undefined
  } catch {
    return undefined
  }
}

/** One JSON object a line in both directions, the program's side bounded in length and in nonsense. */
export const converse = (socket: Socket, ears: ConversationEars): Conversation => {
  let begun = createSink(maxLineBytes)
  let garbage = 0
  let stray = 0
  let isOver = false

  const close = (): void => {
    isOver = true
    socket.destroy()
  }
  const breakOff = (why: string): void => {
    if (isOver) return
    close()
    ears.broken(why)
  }

  /** False when that was the last one. */
  const take = (line: string): boolean => {
    const said = parsed(line)
    if (said !== undefined && ears.reply(said.id, said.answer)) {
      garbage = 0
      stray = 0
      return true
    }
    ears.dropped()
    garbage = said === undefined ? garbage + 1 : 0
    stray += 1
    if (garbage >= maxGarbageInARow)
      breakOff(
        `Expected one JSON object with an "id" on each line of stdout, got something else ${garbage} times in a row, at last ${JSON.stringify(line.slice(0, 100))}; write logs to stderr.`,
      )
    else if (stray >= maxStrayInARow)
      breakOff(
        `Expected replies with the ids of requests that wait, got ${stray} others in a row; give each request one reply with its "id".`,
      )
    return !isOver
  }

  socket.on('data', (chunk: Buffer) => {
    let from = 0
    while (from < chunk.length) {
      const end = chunk.indexOf(lineFeed, from)
      const piece = chunk.subarray(from, end < 0 ? undefined : end)
      if (!begun.add(piece))
        return breakOff(
          `Expected lines of at most ${maxLineBytes} bytes on stdout, got a longer one; answer in fewer words.`,
        )
      if (end < 0) return
      from = end + 1
      const line = begun.text()
      begun = createSink(maxLineBytes)
      if (!take(line)) return
    }
  })
  socket.on('error', () => undefined)
  socket.on(
    'close',
    () =>
      void setTimeout(
        breakOff,
        farewellMs,
        'Expected the resident hook to keep its stdin and stdout open, got one closed; it has to stay and answer line by line.',
      ).unref(),
  )
  socket.resume()
  return {
    send: (line) => {
      if (isOver || socket.writableLength > maxUnsentBytes) return false
      socket.write(line)
      return true
    },
    close,
  }
}
