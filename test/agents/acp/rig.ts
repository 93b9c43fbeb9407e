import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach } from 'vitest'
import { createAcp } from '../../../src/agents/acp/acp.ts'
import { type Limits, usualLimits } from '../../../src/agents/acp/limits.ts'
import { killAllTools } from '../../../src/agents/tools/bash.ts'
import { createGateClient } from '../../../src/agents/client.ts'
import { inboxLines } from '../../../src/agents/stream.ts'
import { createScriptedGate, type ScriptedGate } from '../scripted-gate.ts'

const program = fileURLToPath(new URL('../../fixtures/acp/agent.ts', import.meta.url))
export const scripted = (...flags: readonly string[]): readonly string[] => [
  process.execPath,
  program,
  ...flags,
]

/** A scripted gate, and in this process what the agent host does for an agent of kind acp. */
export interface Rig {
  readonly gate: ScriptedGate
  /** Begins to follow the inbox. Call it again for a host that was started again. */
  follow(limits?: Partial<Limits>, command?: readonly string[]): void
  /** Of the events of a turn, those that have a say in a tool. */
  asked(event: string): readonly unknown[]
}

const env = { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', HOME: '/nowhere', TERM: 'dumb' }

export const createRig = (): (() => Rig) => {
  let rig: Rig | undefined
  beforeEach(async () => {
    const gate = await createScriptedGate()
    let take: ReturnType<typeof createAcp> | undefined
    rig = {
      gate,
      follow: (limits = {}, command = scripted()) => {
        const isFirst = take === undefined
        take = createAcp({
          client: createGateClient(gate.socketPath),
          workspace: gate.workspace,
          env,
          agentId: 'main',
          make: { kind: 'acp', command, env: { OWN: 'yes' } },
          limits: { ...usualLimits, ...limits },
        })
        if (!isFirst) return
        void (async () => {
          for await (const line of inboxLines(gate.socketPath)) if (line.type !== 'builtin') take?.(line)
        })()
      },
      asked: (event) =>
        gate.fired.filter((fired) => fired.event === event).map(({ body }) => body['tool_input']),
    }
  })
  afterEach(async () => {
    killAllTools()
    await rig?.gate.close()
  })
  return () => {
    if (rig === undefined) throw new Error('There is no rig before a test.')
    return rig
  }
}
