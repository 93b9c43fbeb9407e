import type { RunResult } from '../../core/model/hooks/run-result.ts'
import { lstatSync, opendirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { HookProcess } from './program.ts'
import type { Probe, RunRequest } from './protocol.ts'
import { startRun } from './run.ts'
import { startWaiting } from './prespawned.ts'

const watchMs = 700
const maxFiles = 500

/**
 * The files directly in a folder, each with its change time in epoch milliseconds. Only the first `maxFiles`
 * are read.
 */
const look = (folder: string): ReadonlyMap<string, number> => {
  const seen = new Map<string, number>()
  try {
    const open = opendirSync(folder)
    try {
      for (let file = open.readSync(); file !== null && seen.size < maxFiles; file = open.readSync()) {
        seen.set(file.name, lstatSync(join(folder, file.name), { throwIfNoEntry: false })?.ctimeMs ?? 0)
      }
    } finally {
      open.closeSync()
    }
  } catch {
    // A folder that cannot be read here cannot be read by the program either.
  }
  return seen
}

const changed = (
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): string | undefined =>
  [...after].find(([name, atMs]) => before.get(name) !== atMs)?.[0] ??
  [...before.keys()].find((name) => !after.has(name))

/** True when the process itself has an internet socket open. Linux only. */
const hasConnection = (pid: number | undefined): boolean => {
  try {
    const sockets = readdirSync(`/proc/${pid}/fd`).flatMap(
      (fd) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [],
    )
    if (sockets.length === 0) return false
    const tables = ['tcp', 'tcp6', 'udp', 'udp6'].map((name) =>
      readFileSync(`/proc/${pid}/net/${name}`, 'latin1').split(/\s+/),
    )
    return tables.some((words) => sockets.some((inode) => words.includes(inode)))
  } catch {
    return false
  }
}

const unsafe = (why: string): Probe => ({ isSafe: false, why })

/**
 * Finds out whether a program may be started before it is asked. One instance waits with its stdin open. It
 * must not exit, write output, change its working folder or open a connection. Then this instance and a fresh
 * one each answer the request.
 */
export const startProbe = (
  request: RunRequest,
): { readonly probe: Promise<Probe>; readonly kill: () => void } => {
  const spoiled = Promise.withResolvers<string>()
  const before = look(request.cwd)
  const waiting = startWaiting(request, spoiled.resolve)
  let kill = waiting.kill
  let isStopped = false

  const answer = (program?: HookProcess): Promise<RunResult> => {
    const run = startRun(request, { waiting: program })
    kill = run.kill
    if (isStopped) kill()
    return run.result
  }

  const watch = async (): Promise<Probe> => {
    const timer = setTimeout(spoiled.resolve, watchMs, '')
    const what = await spoiled.promise
    clearTimeout(timer)
    if (what !== '') return unsafe(`It does not wait for its payload: ${what}.`)
    const file = changed(before, look(request.cwd))
    if (file !== undefined) return unsafe(`It changes "${file}" in ${request.cwd} while it waits.`)
    if (hasConnection(waiting.pid)) return unsafe('It has a socket open while it waits.')
    const program = await waiting.take(request)
    if (program === undefined) return unsafe('It does not wait for its payload: it ended.')
    const warm = await answer(program)
    const cold = await answer()
    const failure = warm.failure ?? cold.failure
    if (failure !== undefined) return unsafe(failure.detail)
    if (warm.exitCode !== cold.exitCode)
      return unsafe(
        `After waiting it ends with exit code ${warm.exitCode}, and otherwise with ${cold.exitCode}.`,
      )
    return { isSafe: true, coldMs: cold.durationMs, warmMs: warm.durationMs }
  }
  return {
    probe: watch().finally(waiting.kill),
    kill: () => {
      isStopped = true
      kill()
      spoiled.resolve('it was stopped')
    },
  }
}
