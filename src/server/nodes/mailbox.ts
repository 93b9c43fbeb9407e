import { lineEveryMs, type NodeLine } from '../../shared/nodes/protocol.ts'

/** An answer takes further lines up to so many letters. What is left is in the next one. */
const maxAnswerUnits = 8 * 1024 * 1024

/** Answers a request for lines. The text is empty when the node is not connected any more. */
export type Reply = (text: string) => void

/**
 * The lines that a node has not taken yet, and its request for them. Questions and prompts are bounded where
 * they come from, and a node that takes nothing for some seconds is not connected any more.
 */
export interface Mailbox {
  send(line: NodeLine): void
  /** Tells the state now: by the request that waits, or by the next one. */
  flush(): void
  /** Answers as soon as there is a line. An earlier request gets an empty answer. */
  wait(reply: Reply): void
  waitsFor(reply: Reply): boolean
  close(): void
}

/** `stateLine` makes the last line of each answer. */
export const createMailbox = (stateLine: () => NodeLine): Mailbox => {
  let lines: NodeLine[] = []
  let isDue = false
  let waiting: Reply | undefined
  let late: NodeJS.Timeout | undefined

  const answer = (text: string): void => {
    clearTimeout(late)
    const reply = waiting
    waiting = undefined
    reply?.(text)
  }
  const flush = (): void => {
    isDue = waiting === undefined
    if (isDue) return
    let text = ''
    let count = 0
    while (count < lines.length && text.length < maxAnswerUnits) text += `${JSON.stringify(lines[count++])}\n`
    lines = lines.slice(count)
    answer(`${text}${JSON.stringify(stateLine())}\n`)
  }
  /** True for a line that the new one makes needless. */
  const isOver = (line: NodeLine, by: NodeLine): boolean =>
    by.type === 'end'
      ? line.type === 'question' && line.id === by.id
      : by.type === 'hooks' && line.type === 'hooks'

  return {
    send: (line) => {
      const left = lines.filter((one) => !isOver(one, line))
      const isTakenBack = line.type === 'end' && left.length < lines.length
      lines = isTakenBack ? left : [...left, line]
      flush()
    },
    flush,
    wait: (reply) => {
      answer('')
      waiting = reply
      // A change answers all nodes at once. They ask again together, and should not do so ever after.
      late = setTimeout(flush, lineEveryMs * (1 - Math.random() / 4))
      if (isDue || lines.length > 0) flush()
    },
    waitsFor: (reply) => waiting === reply,
    close: () => answer(''),
  }
}
