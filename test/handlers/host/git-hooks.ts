import type { RunResult } from '../../../src/core/model/hooks/run-result.ts'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { HookHost } from '../../../src/handlers/host/host.ts'
import { leaveHost, takeHost } from '../../hook-host.ts'

export const path = process.env['PATH'] ?? '/usr/bin:/bin'

export interface GitHooks {
  host(): HookHost
  /** New for each test. */
  folder(): string
  /** Runs a shell's text as a hook. */
  run(script: string, cwd?: string, timeoutMs?: number): Promise<RunResult>
  /** What it printed. */
  said(script: string, cwd?: string): Promise<string>
  put(name: string, text: string): void
}

/** A hook host for the tests of a file, and a folder for each of them, in which hooks call git. */
export const useGitHooks = (): GitHooks => {
  let host: HookHost
  let folder = ''
  beforeAll(async () => {
    host = await takeHost()
  })
  afterAll(() => leaveHost(host))
  beforeEach(() => {
    folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'hookgate-repository-')))
  })
  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))
  const run: GitHooks['run'] = (text, cwd = folder, timeoutMs = 10_000) =>
    host.run({
      argv: ['/bin/sh', '-c', text],
      cwd,
      env: { PATH: path, HOME: '/nonexistent', LC_ALL: 'C' },
      stdin: '{"tool_name":"Edit"}',
      timeoutMs,
    })
  return {
    host: () => host,
    folder: () => folder,
    run,
    said: async (text, cwd) => (await run(text, cwd)).stdout.trim(),
    put: (name, text) => {
      fs.mkdirSync(join(folder, name, '..'), { recursive: true })
      fs.writeFileSync(join(folder, name), text)
    },
  }
}
