import { Worker } from 'node:worker_threads'

const worker = `
const { parentPort } = require('node:worker_threads')
const compiled = new Map()
parentPort.on('message', ({ id, source, text }) => {
  if (!compiled.has(source)) compiled.set(source, new RegExp(source, 'm'))
  parentPort.postMessage({ id, hit: compiled.get(source).test(text) })
})`

/**
 * Runs patterns that only a backtracking engine can express, in a thread that is killed after `limitMs`.
 * A pattern that does not finish counts as a match: the matcher only saves a question, it never answers one.
 */
export interface Backtracking {
  test(source: string, text: string): Promise<boolean>
  stop(): Promise<void>
}

export const createBacktracking = (limitMs = 100): Backtracking => {
  let thread: Worker | undefined
  let last = 0
  const waiting = new Map<number, (hit: boolean) => void>()

  const end = async (): Promise<void> => {
    const ended = thread
    thread = undefined
    for (const resolve of waiting.values()) resolve(true)
    waiting.clear()
    await ended?.terminate()
  }

  const start = (): Worker => {
    const started = new Worker(worker, { eval: true })
    started.unref()
    started.on('message', ({ id, hit }: { id: number; hit: boolean }) => {
      waiting.get(id)?.(hit)
      waiting.delete(id)
    })
    started.on('error', () => void end())
    return started
  }

  return {
    test: async (source, text) => {
      thread ??= start()
      const id = ++last
      const { promise, resolve } = Promise.withResolvers<boolean>()
      waiting.set(id, resolve)
      const timer = setTimeout(() => void end(), limitMs)
      thread.postMessage({ id, source, text })
      const hit = await promise
      clearTimeout(timer)
      return hit
    },
    stop: end,
  }
}
