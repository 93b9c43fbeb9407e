/**
 * This process stands between the gate and a hook host whose hooks nobody approved. Such a hook runs as the
 * host's user and could take the host over. So nothing of the host reaches the gate as it is: this process
 * reads it, and writes a message of its own for each that was expected. What a host sends without an order is
 * dropped. If reading ends this process, or what it reads is no message, the gate is told that the host is
 * lost.
 */
import { spawn } from 'node:child_process'
import { readFromHost } from '../host/from-host.ts'
import type { FromHost, ToHost } from '../host/protocol.ts'

const [program = '', ...words] = process.argv.slice(2)
const host = spawn(program, words, { cwd: '/', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })

/** The runs that were ordered and have not ended. */
const open = new Map<number, { isStarted: boolean; hasAnswered: boolean }>()
let isReady = false

const tell = (message: FromHost): void => void process.send?.(message, undefined, undefined, () => undefined)

const end = (): never => {
  host.kill('SIGKILL')
  process.exit(1)
}

const hear = (said: unknown): void => {
  const message = readFromHost(said)
  if (message === undefined) return end()
  if (message.type === 'ready') {
    if (!isReady) tell(message)
    isReady = true
    return
  }
  const run = 'id' in message ? open.get(message.id) : undefined
  if (run === undefined) return
  if (message.type === 'started' && !run.isStarted) {
    run.isStarted = true
    tell(message)
  } else if (message.type === 'done' && !run.hasAnswered) {
    const { id, result, goesOn } = message
    run.hasAnswered = true
    if (!goesOn) open.delete(id)
    // An answer that was too long is never read.
    tell(result.isTruncated ? { ...message, result: { ...result, stdout: '' } } : message)
  } else if (message.type === 'ended' && run.hasAnswered) {
    open.delete(message.id)
    tell(message)
  }
}

process.on('message', (message: ToHost) => {
  if (message.type === 'run') open.set(message.id, { isStarted: false, hasAnswered: false })
  if (host.connected) host.send(message, () => undefined)
})
host.on('message', hear)
host.on('error', end)
host.on('exit', end)
host.on('disconnect', end)
process.on('disconnect', end)
