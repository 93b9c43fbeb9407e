// Throws changed inputs at every door for so many seconds in all: `npm run test:fuzz -- 60`, or
// `npm run test:fuzz -- 60 page` for some doors. It looks for an end of the process, an error that is no
// answer, a turn
// of the thread beyond 100 ms, and memory that grows.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { targets } from './targets.ts'
import type { Report } from './work.ts'

const workers = 2
/** Beyond its time a door has so long to end. */
const graceMs = 120_000
const work = fileURLToPath(new URL('work.ts', import.meta.url))

const [typed = '60', ...named] = process.argv.slice(2)
const seconds = Number(typed)
const strange = named.filter((name) => !Object.hasOwn(targets, name))
if (!(seconds > 0) || strange.length > 0) {
  throw new Error(
    `Expected a number of seconds and names of doors (${Object.keys(targets).join(', ')}), got ${JSON.stringify([typed, ...named])}.`,
  )
}
const names = named.length === 0 ? Object.keys(targets) : named
const each = (seconds * workers) / names.length

const fuzz = async (name: string): Promise<Report> => {
  const child = fork(work, [name, String(each)], {
    execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let report: Report | undefined
  child.on('message', (message) => (report = message as Report))
  const isOver = setTimeout(() => child.kill('SIGKILL'), each * 1000 + graceMs)
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  clearTimeout(isOver)
  return (
    report ?? { inputs: 0, longestMs: 0, grownBytes: 0, fault: `The process ended with ${code ?? signal}.` }
  )
}

let isGreen = true
const waiting = [...names]
const serve = async (): Promise<void> => {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const { inputs, longestMs, grownBytes, fault } = await fuzz(name)
    const figures = `${inputs} inputs, longest turn ${longestMs.toFixed(1)} ms, ${(grownBytes / 1e6).toFixed(1)} MB more`
    process.stdout.write(
      `${fault === undefined ? '✓' : '✗'} ${name}: ${figures}\n${fault === undefined ? '' : `${fault}\n`}`,
    )
    if (fault !== undefined) isGreen = false
  }
}
await Promise.all(Array.from({ length: workers }, serve))
process.exitCode = isGreen ? 0 : 1
