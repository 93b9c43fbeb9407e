/** The body of the scanner's thread: the rules are regular expressions of others and the text is hostile, so it can be killed. */
import { parentPort } from 'node:worker_threads'
import { findKept } from './kept-rules.ts'
import { findKeys } from './keys.ts'
import { findOwn } from './own-rules.ts'
import { findSeedPhrases } from './seed-phrase.ts'
import type { Span } from './span.ts'

const port = parentPort
if (port === null) throw new Error('Expected to run as a worker thread, got the main thread. Start it through createScanner.')

/** Each rule set is a function from a text to spans; a further one is a further line. */
const find = async (text: string): Promise<readonly Span[]> => [...await findKept(text), ...findOwn(text), ...findKeys(text), ...findSeedPhrases(text)]

const serve = async (texts: readonly string[]): Promise<void> => {
  port.postMessage(await Promise.all(texts.map(find)))
}

port.on('message', (texts: readonly string[]) => {
  void serve(texts)
})
port.postMessage('ready')
