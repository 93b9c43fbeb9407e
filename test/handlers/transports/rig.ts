import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { HookHost } from '../../../src/handlers/host/host.ts'
import { createHookEnv } from '../../../src/handlers/world/hook-env.ts'
import { createCommandTransport, type CommandTransport } from '../../../src/handlers/transports/command.ts'
import { createProcessTransport, type ProcessTransport } from '../../../src/handlers/transports/process.ts'
import type { AskOptions, Speech } from '../../../src/handlers/transports/transport.ts'
import type { ArmedHook, Entry } from '../../../src/core/model/hooks/entry.ts'
import type { Payload } from '../../../src/core/model/events/payload.ts'
import { syntheticPayload } from '../../../src/shared/events/synthetic.ts'
import { leaveHost, takeHost } from '../../hook-host.ts'
import { armed as armedAs } from '../armed.ts'

/** A hook host with both ways to ask a program, real, in a folder of their own. */
export interface Rig {
  readonly host: HookHost
  readonly folder: string
  readonly command: CommandTransport
  readonly process: ProcessTransport
  /** What the process transport told. */
  readonly told: string[]
  /** The fingerprints that count as in force; empty: all. */
  readonly live: Set<string>
  stop(): Promise<void>
}

export const startRig = async (speech: Partial<Speech> = {}): Promise<Rig> => {
  const host = await takeHost()
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-'))
  const told: string[] = []
  const live = new Set<string>()
  const ports = {
    host,
    speech: {
      stdin: (_hook: ArmedHook, payload: Payload) => JSON.stringify(payload),
      env: () => ({}),
      ...speech,
    },
    envOf: createHookEnv({
      path: `/usr/local/bin:/usr/bin:/bin:${dirname(process.execPath)}`,
      lang: 'C.UTF-8',
      user: 'hooks',
      tmpdir: tmpdir(),
      home: '/nonexistent',
    }),
    isLive: (fingerprint: string) => live.size === 0 || live.has(fingerprint),
  }
  const processes = createProcessTransport({
    ...ports,
    folder: join(folder, 'run'),
    log: (_level, what, { why }) => void told.push(`${what}: ${why}`),
  })
  return {
    host,
    folder,
    told,
    live,
    process: processes,
    command: createCommandTransport(ports),
    stop: async () => {
      await processes.stop()
      await leaveHost(host)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A hook that is a program with these words, which are its fingerprint too. */
export const armed = (
  argv: readonly string[],
  entry: Partial<Entry> = {},
  rest: Partial<ArmedHook> = {},
): ArmedHook =>
  armedAs(argv.join(' '), { event: 'pre_tool_call', ...entry }, { argv, cwd: tmpdir(), ...rest })

export const payloadWith = (input: Readonly<Record<string, string>> = {}): Payload => ({
  ...syntheticPayload('pre_tool_call', '/work', new Date(0)),
  tool_input: input,
})

export const within = (timeoutMs = 10_000, rest: Partial<AskOptions> = {}): AskOptions => ({
  timeoutMs,
  chain: [],
  ...rest,
})
