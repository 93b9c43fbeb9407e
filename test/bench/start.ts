import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../src/attack/gate/free-port.ts'
import { buildProgram } from '../build-program.ts'
import { awaited, measure, type Measured } from './measure.ts'

/** A start that took so long has failed. */
const withinMs = 30_000
/** The time between two requests to a page that does not answer yet. It bounds the error of a sample. */
const everyMs = 3

const bareNode = async (): Promise<void> => {
  await once(spawn(process.execPath, ['--eval', '0'], { stdio: 'ignore' }), 'exit')
}

/** The status of a file of the page; undefined while nobody listens. */
const statusOf = (port: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const asked = get(
      { host: '127.0.0.1', port, path: '/page/styles/style.css', agent: false, timeout: withinMs },
      (answer) => answer.resume().on('end', () => resolve(answer.statusCode)),
    )
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(undefined))
  })

/** One start in this home, until the page answers, in microseconds. The end of the program is not timed. */
const startOnce = async (cli: string, home: string): Promise<number> => {
  const port = await freePort()
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, HOOKGATE_PORT: String(port) }
  const fromMs = performance.now()
  const child = spawn(process.execPath, ['--disable-sigusr1', cli, 'start'], {
    cwd: home,
    env,
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  try {
    while ((await statusOf(port)) !== 200) {
      if (child.exitCode !== null) throw new Error(`Expected a start, got the exit code ${child.exitCode}.`)
      if (performance.now() - fromMs > withinMs) throw new Error(`Waited ${withinMs} ms for the page.`)
      await delay(everyMs)
    }
    return (performance.now() - fromMs) * 1000
  } finally {
    child.kill('SIGINT')
    await ended
  }
}

const newHome = (): Promise<string> => mkdtemp(join(tmpdir(), 'hookgate-bench-'))
const remove = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })

/** From `hookgate start`, as it is published, to an answer of the page. */
export const measureStart = async (): Promise<Measured> => {
  const [folder, home] = [await newHome(), await newHome()]
  try {
    const cli = await buildProgram(folder)
    const times = await measure(
      [awaited('node --eval 0', bareNode), { name: 'start to page', sample: () => startOnce(cli, home) }],
      { rounds: 10, burst: 1, warmUps: 1 },
    )
    return { times }
  } finally {
    await remove(folder)
    await remove(home)
  }
}
