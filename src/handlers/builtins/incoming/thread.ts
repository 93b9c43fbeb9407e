/** The body of the thread that looks at texts. They are hostile, so the thread can be killed. */
import { parentPort } from 'node:worker_threads'
import { lookAt } from './look.ts'

const port = parentPort
if (port === null)
  throw new Error('Expected to run as a worker thread, got the main thread. Start it through createScanner.')

port.on('message', (text: string) => {
  port.postMessage(lookAt(text))
})
port.postMessage('ready')
