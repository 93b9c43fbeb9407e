/**
 * The hook host: starts hooks for the gate and reports how they ended. Small, because starting a program
 * blocks its starter the longer the bigger it is. It holds nothing that a hook could not know.
 */
import { killRemains, markName } from './group.ts'
import type { FromHost, ToHost } from './protocol.ts'
import { startRun, type Run } from './run.ts'

const mark = process.env[markName] ?? ''
const runs = new Map<number, Run>()

// An error means that the gate is gone; `disconnect` follows.
const tell = (message: FromHost): void => void process.send?.(message, undefined, undefined, () => undefined)

const run = async ({ id, request }: Extract<ToHost, { type: 'run' }>): Promise<void> => {
  const started = startRun({ ...request, env: { ...request.env, [markName]: mark } })
  if (started.pid !== undefined) tell({ type: 'started', id, pid: started.pid })
  runs.set(id, started)
  const result = await started.result
  runs.delete(id)
  tell({ type: 'done', id, result })
}

/** The gate died, even by `kill -9`, or someone ends this process: no hook may outlive it. */
const end = (): never => {
  for (const { kill } of runs.values()) kill()
  killRemains(undefined, [], mark)
  process.exit(0)
}

process.on('message', (message: ToHost) => {
  if (message.type === 'run') void run(message)
  else runs.get(message.id)?.kill()
})
process.on('disconnect', end)
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end)
tell({ type: 'ready' })
