/**
 * This process stands between the gate and a hook host whose hooks nobody approved. Such a hook runs as the
 * host's user and could take the host over. So nothing of the host reaches the gate as it is: this process
 * reads it, and writes a message of its own for each that was expected. What a host sends without an order is
 * dropped. If reading ends this process, the gate is told that the host is lost.
 */
import type { RunFailure, RunResult } from '../../core/model/hooks/run-result.ts'
import { spawn } from 'node:child_process'
import { isObject } from '../../core/model/base/json.ts'
import { isFaultKind } from '../../core/model/hooks/fault.ts'
import type { FromHost, ToHost } from '../host/protocol.ts'

/** A hook host bounds both outputs far below this, in UTF-16 units. */
const maxOutputUnits = 2 * 1024 * 1024
const maxDetailUnits = 2000

const [program = '', ...words] = process.argv.slice(2)
const host = spawn(program, words, { cwd: '/', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })

/** The runs that were ordered and have not ended. */
const open = new Map<number, { isStarted: boolean; hasAnswered: boolean }>()
let isReady = false

const tell = (message: FromHost): void => void process.send?.(message, undefined, undefined, () => undefined)

const textOf = (value: unknown, maxUnits: number): string =>
  typeof value === 'string' ? value.slice(0, maxUnits) : ''

const failureOf = (said: unknown): RunFailure | undefined => {
  if (!isObject(said)) return undefined
  const { kind, detail } = said
  return {
    kind: isFaultKind(kind) ? (kind as RunFailure['kind']) : 'host',
    detail: textOf(detail, maxDetailUnits),
  }
}

const resultOf = (said: unknown): RunResult => {
  const { exitCode, stdout, stderr, isTruncated, failure, inOwnFolder, durationMs } = isObject(said)
    ? said
    : ({} as Readonly<Record<string, unknown>>)
  return {
    exitCode: Number.isInteger(exitCode) ? Number(exitCode) : null,
    // An answer that was too long is never read.
    stdout: isTruncated === true ? '' : textOf(stdout, maxOutputUnits),
    stderr: textOf(stderr, maxOutputUnits),
    isTruncated: isTruncated === true,
    failure: failureOf(failure),
    ...(inOwnFolder === true ? { inOwnFolder } : {}),
    durationMs: typeof durationMs === 'number' && durationMs >= 0 ? durationMs : 0,
  }
}

const hear = (message: unknown): void => {
  if (!isObject(message)) return
  const { type, id, pid, result, goesOn } = message
  if (type === 'ready' && !isReady) {
    isReady = true
    return tell({ type })
  }
  const run = typeof id === 'number' ? open.get(id) : undefined
  if (run === undefined || typeof id !== 'number') return
  if (type === 'started' && !run.isStarted && Number.isInteger(pid)) {
    run.isStarted = true
    return tell({ type, id, pid: Number(pid) })
  }
  if (type === 'done' && !run.hasAnswered) {
    run.hasAnswered = true
    if (goesOn !== true) open.delete(id)
    return tell({ type, id, result: resultOf(result), goesOn: goesOn === true })
  }
  if (type === 'ended' && run.hasAnswered) {
    open.delete(id)
    tell({ type, id })
  }
}

const end = (): never => {
  host.kill('SIGKILL')
  process.exit(1)
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
