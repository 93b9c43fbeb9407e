import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer as createHttp, type RequestListener } from 'node:http'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { SwitchFacts } from '../../src/shared/gate/client.ts'
import { createSwitchWriter } from '../../src/bridge/switch-writer.ts'
import { answerOf, call, runBridge, type Calling } from './run-bridge.ts'

export const claude = ['claude-code', 'PreToolUse']
export const words = (text: string): unknown => expect.stringContaining(text)

/** What a gate leaves in a home for the time when it is away. */
export const leave = (home: string, facts: Partial<SwitchFacts> = {}): void =>
  createSwitchWriter(join(home, '.hookgate'))({ isArmed: true, unreachable: 'owner', ...facts })

/** A home whose gate is away, or is what the test says. */
export const createAway = async () => {
  const home = await mkdtemp(join(tmpdir(), 'hookgate-bridge-'))
  for (const name of ['run', 'secrets']) mkdirSync(join(home, '.hookgate', name), { recursive: true })
  const servers: Server[] = []
  const listen = async (server: Server): Promise<void> => {
    servers.push(server)
    server.listen(join(home, '.hookgate', 'run', 'bridge.sock'))
    await once(server, 'listening')
  }
  return {
    home,
    listen,
    /** A gate that answers as it is told to. */
    gateThat: (answers: RequestListener): Promise<void> => listen(createHttp(answers)),
    ask: async (args: readonly string[], calling: Partial<Calling> = {}) =>
      answerOf(await runBridge(args, { home, stdin: call('ls'), ...calling })),
    remove: async (): Promise<void> => {
      for (const server of servers) server.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}
export type Away = Awaited<ReturnType<typeof createAway>>
