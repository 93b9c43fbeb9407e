import { startHookHost, type HookHost } from '../src/handlers/host/host.ts'

/** How long one waits for the next test, in milliseconds. */
const idleMs = 1000

let idle: HookHost | undefined
let ending: NodeJS.Timeout | undefined
/** What each process was when a test took it: one that a test stopped or killed serves nobody else. */
const taken = new WeakMap<HookHost, number | undefined>()

/**
 * A hook host for one test. A process starts slower than most tests run, so the one before may have left it.
 */
export const takeHost = async (): Promise<HookHost> => {
  clearTimeout(ending)
  const host = idle ?? (await startHookHost({ log: () => undefined }))
  if (host === idle) idle = undefined
  taken.set(host, host.pid())
  return host
}

/** What `takeHost` gave serves the next test, or ends soon. */
export const leaveHost = async (host: HookHost): Promise<void> => {
  const pid = host.pid()
  if (idle !== undefined || pid === undefined || pid !== taken.get(host)) return host.stop()
  idle = host
  ending = setTimeout(() => {
    idle = undefined
    void host.stop()
  }, idleMs)
}
