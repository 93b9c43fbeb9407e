/**
 * `npm run bench`: what the gate costs, each figure beside a floor that was taken in the same rounds on the
 * same machine. `options.ts` says what it can be asked for, and `rows.ts` what it measures.
 * It starts real processes on loopback in a temporary folder, and removes it. It exits with 0 when it could
 * measure, with 1 when it could measure no row or a figure is worse than at the other revision, and with 2
 * when it was asked for what is not there.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { cpus, constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '../../src/core/model/gate/problem.ts'
import { lastRelease, readAsked, type Asked } from './options.ts'
import { compareRows, reportRows } from './report.ts'
import { runRow } from './run-row.ts'
import { findRelease, hasSamePackages, here, layOut } from './tree.ts'

const tell = (words: string): void => void process.stdout.write(`${words}\n`)
/** No row takes a third of it on an idle machine. */
const withinMs = 300_000

/** Resolves with the exit code. */
const measureRows = async (
  { rows, against }: Extract<Asked, { readonly kind: 'rows' }>,
  temporary: string,
  signal: AbortSignal,
): Promise<number> => {
  const runIn = (tree: string) => (name: string) => runRow(name, { tree, temporary, signal, withinMs })
  if (against === undefined) return (await reportRows(rows, runIn(here), tell)) > 0 ? 0 : 1
  const other = join(temporary, 'tree')
  const revision = await layOut(against === lastRelease ? await findRelease() : against, other)
  if (!(await hasSamePackages(other)))
    tell(`package-lock.json is another one at ${revision}. Both are measured with the packages of this tree.`)
  const runs = { here: runIn(here), there: runIn(other) }
  const { measured, worsened } = await compareRows(rows, runs, revision, tell)
  return measured > 0 && worsened === 0 ? 0 : 1
}

const stopped = new AbortController()
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const measureAsked = async (asked: Extract<Asked, { readonly kind: 'rows' }>): Promise<number> => {
  for (const name of signals) process.once(name, () => stopped.abort(name))
  // A short name, because the path of a socket is bounded, and it is below this folder.
  const temporary = await mkdtemp(join(tmpdir(), 'hg'))
  try {
    // Hooks that run as another user have to reach what is below it.
    await chmod(temporary, 0o711)
    return await measureRows(asked, temporary, stopped.signal)
  } catch (error) {
    const by = signals.find((name) => name === stopped.signal.reason)
    if (by !== undefined) return 128 + constants.signals[by]
    tell(messageOf(error))
    return 2
  } finally {
    await rm(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

const startedAtMs = performance.now()
const asked = readAsked(process.argv.slice(2))
if (asked.kind === 'wrong') {
  tell(asked.words)
  process.exit(2)
}
const [cpu] = cpus()
tell(`Node ${process.version}, ${process.platform}, ${cpus().length} × ${cpu?.model.trim() ?? 'unknown'}\n`)
process.exitCode = await measureAsked(asked)
tell(`\n${((performance.now() - startedAtMs) / 1000).toFixed(0)} s`)
process.exit()
