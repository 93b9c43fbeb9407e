import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { killGroup } from '../../../src/shared/base/process-group.ts'
import { alive } from '../../process-list.ts'
import type { RunRequest } from '../../../src/handlers/host/protocol.ts'
import { outside } from './outside.ts'
import { until } from '../../until.ts'

export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../fixtures/hooks/${name}`, import.meta.url))

export const request = (argv: readonly string[], rest: Partial<RunRequest> = {}): RunRequest => ({
  argv,
  cwd: tmpdir(),
  // HOME: a python3 that a version manager put into PATH needs it.
  env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/' },
  stdin: '',
  timeoutMs: 10_000,
  ...rest,
})

/**
 * Another user for the hooks, `nobody`, when these tests may become that one and that one may read this
 * repository; else their own.
 */
export const hooksUser: { readonly uid: number; readonly gid: number } = (() => {
  const nobody = { uid: 65_534, gid: 65_534 }
  const canRead = () =>
    spawnSync('/usr/bin/env', ['cat', fixture('answer.sh')], { ...nobody, stdio: 'ignore' }).status === 0
  return process.getuid?.() === 0 && canRead()
    ? nobody
    : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
})()

/**
 * A path that a fixture writes its process group to; `read` tells that group's number here. Call `remove` in
 * the end: it also kills what is left of the group.
 */
export const createPidFile = () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-'))
  const path = join(folder, 'pid')
  const read = (): number | undefined => {
    const pid = existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0
    return pid > 1 ? outside(pid) : undefined
  }
  return {
    path,
    folder,
    read: (): Promise<number> => until('a process id in the file', read),
    remove: (): void => {
      const group = read()
      if (group !== undefined) killGroup(group)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What holds a hook host, from the outside in, and last the host's own process. */
export const chainOf = (group: number): readonly number[] => {
  const members = alive().filter((process) => process.group === group)
  const chain: number[] = []
  // The numbers of processes say nothing about their order, because they begin again at the highest one.
  let at = members.find(({ pid }) => pid === group)
  while (at !== undefined) {
    const { pid, command } = at
    chain.push(pid)
    // Behind it may stand shells that make pipes.
    if (command.startsWith(process.execPath)) return chain
    at = members.find(({ parent }) => parent === pid)
  }
  return []
}

/** The host's own process. No number may stand in for it: 0 would be the group of these tests. */
export const pidOf = (host: { pid(): number | undefined }): number => {
  const pid = chainOf(host.pid() ?? Number.NaN).at(-1)
  if (pid === undefined) throw new Error('Expected the hook host to be up, got none.')
  return pid
}

export const survivorsOf = (group: number): readonly string[] =>
  alive()
    .filter((process) => process.group === group)
    .map(({ command }) => command)

/** How many programs run that were started by these words. */
export const countOf = (words: string | RegExp): number =>
  alive().filter(({ command }) => (typeof words === 'string' ? command === words : words.test(command)))
    .length

/** The process group of the one program that was started by these words. */
export const groupOf = (command: string): Promise<number> =>
  until(`"${command}" to run`, () => alive().find((process) => process.command === command)?.group)

/** The bound is less than the time of a run, which ends it as well. */
export const untilGone = (group: number, timeoutMs = 2000): Promise<void> =>
  expect.poll(() => survivorsOf(group), { timeout: timeoutMs, interval: 20 }).toEqual([])
