import fs from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { done, forging, open, refused, type Forgery, type ForgeryReport, type Target } from '../forgery.ts'
import { ask, fire, guardOf, harm, harmful, judged, processesLike } from '../means.ts'

const fails = 'Hooks would fail, and only those that fail closed would still block.'
const plain = forging()
const onLinux = forging({ needs: ['linux'] })
const freezingHost = forging({ needs: ['hookHost'], withoutSeparation: fails })
const killingHost = forging({ needs: ['hookHost'], withoutSeparation: fails, varies: true })
const answering = forging({
  needs: ['linux', 'guard'],
  withoutSeparation: 'It could answer instead of a guard.',
  varies: true,
})

const send = async (pid: number, signal: NodeJS.Signals): Promise<ForgeryReport> => {
  if (pid <= 1) return refused('no such process')
  process.kill(pid, signal)
  await pause(400)
  return done('it was sent')
}

const stopping = forging({
  withoutSeparation: 'It could stop the gate: nothing would be judged, and no message would be sent.',
})
const toGate = (signal: NodeJS.Signals, title: string): Forgery =>
  stopping(`signal.${signal.slice(3).toLowerCase()}`, title, ({ gatePid }) => send(gatePid, signal))

/** Checks whether a debugger of the gate answers, whoever opened it. */
const findDebugger = async ({ cli }: Target): Promise<ForgeryReport> => {
  const { text } = await ask({ origin: 'http://127.0.0.1:9229' }, { path: '/json/list', timeoutMs: 1000 })
  return text.includes(cli.at(-1) ?? '')
    ? open('the gate’s debugger answers')
    : done('another program’s debugger answers')
}

const guardsAt = (target: Target): readonly number[] =>
  processesLike(new RegExp(`seal/${guardOf(target).fingerprint}`))

/** Waits a little for a process of the guard. */
const untilSeen = async (target: Target): Promise<readonly number[]> => {
  const endsAtMs = Date.now() + 1200
  let pids: readonly number[] = []
  while (pids.length === 0 && Date.now() < endsAtMs) {
    await pause(20)
    pids = guardsAt(target)
  }
  return pids
}

/** Writes a harmless event to whatever waits for a guard that is asked often, and then does harm. */
const feedWaiting = async (target: Target): Promise<ForgeryReport> => {
  const harmless = { ...harmful(guardOf(target)), tool_input: { command: 'ls' } }
  for (let round = 0; round < 3; round++) await fire(target, harmless)
  let why = 'no guard is seen'
  for (const pid of await untilSeen(target))
    for (const fd of [0, 3]) {
      try {
        const input = fs.openSync(`/proc/${pid}/fd/${fd}`, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK)
        fs.writeSync(input, `\n${JSON.stringify(harmless)}\n`)
        fs.closeSync(input)
        why = ''
      } catch (error) {
        if (why !== '') why = error instanceof Error && 'code' in error ? String(error.code) : 'it failed'
      }
    }
  // A guard that heard it has begun by then.
  await pause(300)
  const report = judged(await harm(target))
  return report.outcome === 'open' || why === '' ? report : refused(why)
}

const guardedOnLinux = forging({ needs: ['linux', 'guard'] })

/** A forgery that acts on the guard while the guard judges a harmful step. */
const duringJudging = (
  name: string,
  title: string,
  act: (pid: number) => void,
  forge = guardedOnLinux,
): Forgery =>
  forge(`guard.${name}`, title, async (target) => {
    const verdict = harm(target, ' SLOWLY')
    const pids = await untilSeen(target)
    // The guard should have read its question by now.
    await pause(300)
    let why = pids.length === 0 ? 'no guard is seen' : ''
    for (const pid of pids) {
      try {
        act(pid)
      } catch (error) {
        why = error instanceof Error && 'code' in error ? String(error.code) : 'it failed'
      }
    }
    const report = judged(await verdict)
    return report.outcome === 'open' || why === '' ? report : refused(why)
  })

/** Overwrites the answer in the memory of the guard. */
const rewriteDecider = (pid: number): void => {
  const regions = fs
    .readFileSync(`/proc/${pid}/maps`, 'latin1')
    .split('\n')
    .filter((line) => /^\S+ rw/.test(line) && !/\[v/.test(line))
  const fd = fs.openSync(`/proc/${pid}/mem`, 'r+')
  try {
    for (const region of regions) {
      const [from = 0, to = 0] = (region.split(' ')[0] ?? '')
        .split('-')
        .map((hex) => Number.parseInt(hex, 16))
      const bytes = Buffer.alloc(Math.min(to - from, 64 * 1024 * 1024))
      try {
        fs.readSync(fd, bytes, 0, bytes.length, from)
      } catch {
        continue
      }
      for (let at = bytes.indexOf('block'); at !== -1; at = bytes.indexOf('block', at + 1))
        fs.writeSync(fd, 'allow', from + at)
    }
  } finally {
    fs.closeSync(fd)
  }
}

export const signalForgeries: readonly Forgery[] = [
  toGate('SIGSTOP', 'freeze the gate (SIGSTOP)'),
  toGate('SIGKILL', 'kill the gate (SIGKILL)'),
  toGate('SIGTERM', 'end the gate (SIGTERM)'),
  plain('signal.winch', 'send the gate a signal that means nothing (SIGWINCH)', ({ gatePid }) =>
    send(gatePid, 'SIGWINCH'),
  ),
  // A debugger controls everything that the gate does.
  onLinux('signal.usr1', 'open the gate’s debugger (SIGUSR1)', ({ gatePid }) => send(gatePid, 'SIGUSR1')),
  plain('signal.debugger', 'find the gate’s debugger open', findDebugger),
  freezingHost('signal.host_stop', 'freeze the hook host', ({ hookHostPid = 0 }) =>
    send(hookHostPid, 'SIGSTOP'),
  ),
  killingHost('signal.host_kill', 'kill the hook host', ({ hookHostPid = 0 }) =>
    send(hookHostPid, 'SIGKILL'),
  ),
  guardedOnLinux('guard.feed', 'give a guard that waits another event than its own', feedWaiting),
  duringJudging('kill', 'kill a guard while it judges', (pid) => process.kill(pid, 'SIGKILL')),
  duringJudging('stop', 'freeze a guard while it judges', (pid) => process.kill(pid, 'SIGSTOP')),
  duringJudging('memory', 'write another answer into a guard’s memory', rewriteDecider, answering),
]
