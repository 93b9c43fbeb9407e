import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { buildProgram } from '../build-program.ts'
import { startBotApi } from '../fixtures/bot-api/server.ts'
import { alive } from '../process-list.ts'
import { single, type Measured } from './measure.ts'

/** How long nothing may have grown before the program counts as started up. */
const quietMs = 2000

/** What a process and each below it hold, the process first. In 10⁶ bytes; shared pages count in each. */
const heldMb = (pid: number | undefined): readonly number[] => {
  const all = alive()
  const from = (who: (typeof all)[number]): readonly number[] => [
    who.rssMb * 1.048576,
    ...all.filter(({ parent }) => parent === who.pid).flatMap(from),
  ]
  return all.filter((one) => one.pid === pid).flatMap(from)
}

const sum = (all: readonly number[]): number => all.reduce((total, mb) => total + mb, 0)

const settled = async (pid: number | undefined): Promise<readonly number[]> => {
  let last = heldMb(pid)
  for (let look = 0; look < 5; look++) {
    await delay(quietMs)
    const now = heldMb(pid)
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
      if (own === undefined || held.length < 3)
        throw new Error(`Expected the gate, a hook host and an agent host, got ${held.length} processes.`)
      return {
        times: [
          single('bare Node', await bareNode()),
          single('gate', own),
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
