/**
 * This module is the body of the thread for files. The files are hostile, so the thread can be killed. It is
 * a thread of its own, so that texts do not wait for it.
 */
import { parentPort } from 'node:worker_threads'
import { judge, type JudgedFile } from './judge.ts'

const port = parentPort
if (port === null)
  throw new Error('Expected to run as a worker thread, got the main thread. Start it through createScanner.')

port.on(
  'message',
  ({
    files,
    withinMs,
    place,
  }: {
    readonly files: readonly JudgedFile[]
    readonly withinMs: number
    readonly place: Int32Array
  }) => {
    void judge(files, withinMs, (index) => Atomics.store(place, 0, index)).then((judgement) =>
      port.postMessage(judgement),
    )
  },
)
port.postMessage('ready')
