/**
 * This module is the body of the scanner's thread. Its rules are third-party regular expressions and the text
 * is hostile, so the thread can be killed.
 */
import { parentPort } from 'node:worker_threads'
import { find } from './find.ts'
import { findPersonal } from './personal/find.ts'
import type { Span, Subject } from './span.ts'

const port = parentPort
if (port === null)
  throw new Error('Expected to run as a worker thread, got the main thread. Start it through createScanner.')

const finders: Readonly<Record<Subject, (text: string) => Promise<readonly Span[]>>> = {
  secrets: find,
  personal: async (text) => findPersonal(text),
}

const serve = async (subject: Subject, texts: readonly string[]): Promise<void> => {
  port.postMessage(await Promise.all(texts.map((text) => finders[subject](text))))
}

port.on('message', ({ subject, texts }: { readonly subject: Subject; readonly texts: readonly string[] }) => {
  void serve(subject, texts)
})
port.postMessage('ready')
