import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { cli } from '../e2e/program.ts'

export interface Bridged {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Calling {
  readonly home: string
  readonly env?: Readonly<Record<string, string>>
  /** What the client writes; absent: it never writes, and never ends. */
  readonly stdin?: string | Buffer
  /** What is done to the bridge while it runs. */
  readonly meanwhile?: (pid: number) => void | Promise<void>
}

/** `hookgate bridge <args>` as a client starts it. */
export const runBridge = async (
  args: readonly string[],
  { home, env = {}, stdin, meanwhile }: Calling,
): Promise<Bridged> => {
  const child = spawn(process.execPath, [cli, 'bridge', ...args], {
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '', HOME: home, HOOKGATE_HOME: join(home, '.hookgate'), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => undefined)
  if (stdin !== undefined) child.stdin.end(stdin)
  const ended = once(child, 'close')
  const texts = Promise.all([readText(child.stdout), readText(child.stderr)])
  if (meanwhile !== undefined && child.pid !== undefined) await meanwhile(child.pid)
  const [code] = (await ended) as [number | null]
  const [stdout, stderr] = await texts
  child.stdin.destroy()
  return { code, stdout, stderr }
}

/** What a client reads: nothing, or one JSON object. Throws for anything else, as for any other exit code. */
export const answerOf = ({ code, stdout, stderr }: Bridged): Record<string, unknown> | undefined => {
  if (code !== 0) throw new Error(`Expected exit code 0, got ${code}: ${stderr}`)
  if (stdout === '') return undefined
  const answer: unknown = JSON.parse(stdout)
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new Error(`Expected one JSON object, got ${stdout}`)
  return answer as Record<string, unknown>
}

/** Claude Code's own words for a call of its shell. */
export const call = (command: string, more: object = {}): string =>
  JSON.stringify({
    session_id: 's1',
    transcript_path: '',
    cwd: '/',
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command },
    tool_use_id: 't1',
    ...more,
  })

export const refusal = (words: unknown, event = 'PreToolUse') => ({
  hookSpecificOutput: { hookEventName: event, permissionDecision: 'deny', permissionDecisionReason: words },
})
