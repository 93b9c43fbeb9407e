import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { execa } from 'execa'
import { buildProgram } from '../build-program.ts'
import { startBotApi } from '../fixtures/bot-api/server.ts'
import { single, type Measured } from './measure.ts'

interface Resident {
  readonly pid: number
  readonly parent: number
  readonly mb: number
}

/** How long nothing may have grown before the program counts as started up. */
const quietMs = 2000

const fromProc = (): readonly Resident[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8')
        const number = (key: string): number =>
          Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
        return [{ pid: Number(pid), parent: number('PPid'), mb: (number('VmRSS') * 1024) / 1e6 }]
      } catch {
        // It ended meanwhile.
        return []
      }
    })

const fromPs = async (): Promise<readonly Resident[]> => {
  const { stdout } = await execa('ps', ['-A', '-o', 'pid=,ppid=,rss='])
  return stdout.split('\n').map((line) => {
    const [pid = 0, parent = 0, kb = 0] = line.trim().split(/\s+/).map(Number)
    return { pid, parent, mb: (kb * 1024) / 1e6 }
  })
}

/**
 * A process and its descendants, the process first. In megabytes of 10⁶ bytes; shared pages count in each.
 */
const residents = async (pid: number | undefined): Promise<readonly Resident[]> => {
  const all = process.platform === 'linux' ? fromProc() : await fromPs()
  const below = (parent: number | undefined): readonly Resident[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...below(one.pid)])
  return [...all.filter((one) => one.pid === pid), ...below(pid)]
}

const sum = (all: readonly Resident[]): number => all.reduce((mb, one) => mb + one.mb, 0)

const settled = async (pid: number | undefined): Promise<readonly Resident[]> => {
  let last = await residents(pid)
  for (let look = 0; look < 5; look++) {
    await delay(quietMs)
    const now = await residents(pid)
    if (Math.abs(sum(now) - sum(last)) < 0.5) return now
    last = now
  }
  return last
}

const bareNode = async (): Promise<number> => {
  const child = spawn(process.execPath, ['--eval', 'console.log(1); setInterval(() => undefined, 1e9)'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  const mb = sum(await settled(child.pid))
  child.kill()
  await once(child, 'exit')
  return mb
}

/**
 * What the gate and all three processes hold after a start with a bare home, the web page and Telegram,
 * without WeChat.
 */
export const measureMemory = async (): Promise<Measured> => {
  const folder = await mkdtemp(join(tmpdir(), 'hookgate-bench-'))
  const api = await startBotApi({ token: '1:bench' })
  try {
    process.env['HOOKGATE_CLI'] ??= await buildProgram(folder)
    // Imported late: it reads the variable once.
    const { startProgram } = await import('../e2e/program.ts')
    const program = await startProgram({ TELEGRAM_BOT_TOKEN: '1:bench', TELEGRAM_API_ROOT: api.root })
    try {
      const held = await settled(program.child.pid)
      const [own] = held
      if (own === undefined) throw new Error('Expected the gate among the processes, got none.')
      if (held.length < 3)
        throw new Error(`Expected the gate, a hook host and an agent host, got ${held.length} processes.`)
      return {
        times: [
          single('bare Node', await bareNode()),
          single('gate', own.mb),
          single('all processes', sum(held)),
        ],
        note: `A gate has ${held.length} processes.`,
      }
    } finally {
      await program.stop()
      await program.remove()
    }
  } finally {
    await api.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
