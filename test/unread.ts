import { spawn } from 'node:child_process'

const never = new Int32Array(new SharedArrayBuffer(4))
/** Holds up this thread, as a busy machine does. */
export const holdUp = (ms: number): void => void Atomics.wait(never, 0, 0, ms)

/** A command that prints a word just before it ends. */
export const saysAnswer = 'sleep 0.6; echo answer'

/**
 * Calls `start`, which starts `saysAnswer`. The end of that command is noticed before its word is read, and
 * then this thread is held up for `ms` milliseconds.
 */
export const startUnread = <T>(start: () => T, ms: number): T => {
  // The word and the end of the first program are noticed together. While its word is heard, the command and
  // the last program end, so all three ends are noticed at once, before the word of the command is read.
  const first = spawn('/bin/sh', ['-c', 'echo word'])
  first.stdout.on('data', () => holdUp(800))
  const started = start()
  const last = spawn('/bin/sh', ['-c', 'sleep 0.6'])
  last.on('exit', () => holdUp(ms))
  holdUp(300)
  return started
}
