/**
 * This module is the body of the scanner's thread. Its rules are third-party regular expressions and the text
 * is hostile, so the thread can be killed.
 */
import { parentPort } from 'node:worker_threads'
import { find } from './find.ts'

const port = parentPort
if (port === null)
  throw new Error('Expected to run as a worker thread, got the main thread. Start it through createScanner.')

const serve = async (texts: readonly string[]): Promise<void> => {
  port.postMessage(await Promise.all(texts.map((text) => find(text))))
}

port.on('message', (texts: readonly string[]) => {
  void serve(texts)
})
port.postMessage('ready')
