import { getCompileCacheDir } from 'node:module'
import { dirname, extname } from 'node:path'
import { Worker } from 'node:worker_threads'

const body = new URL(`./thread${extname(import.meta.url)}`, import.meta.url)
const maxMb = 256
/**
 * The young generation stays small: what the thread takes before it collects garbage counts as the gate's
 * memory.
 */
const youngMb = 2

const load = (): Worker => {
  const compiled = getCompileCacheDir()
  const thread = new Worker(body, {
    resourceLimits: { maxOldGenerationSizeMb: maxMb, maxYoungGenerationSizeMb: youngMb },
    execArgv: [],
    // By this variable Node takes the code here, too, as the gate compiled it in an earlier run.
    env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) },
  })
  thread.unref()
  return thread
}

let spare: Worker | undefined

/**
 * Starts a thread of the proposal reader before anybody knows what it will read. It loads its code while the
 * gate loads its own. This file imports as little as possible, because it is loaded before the others.
 */
export const loadThread = (): void => {
  spare ??= load()
}

/** Returns the thread that was loaded early, or a new one. It waits for its first message. */
export const takeThread = (): Worker => {
  const taken = spare ?? load()
  spare = undefined
  return taken
}
