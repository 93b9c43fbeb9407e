import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type AgentHost, type HostExit, startAgentHost } from '../../src/agents/agents.ts'
import type { AgentMake } from '../../src/shared/gate/agent.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import type { InboxLine } from '../../src/shared/events/inbox-line.ts'
import type { HttpReply, PushRequest } from '../../src/server/ports.ts'
import { isAlive } from '../process-list.ts'
import { createModelProxy, type ModelEndpoint } from '../../src/server/model-proxy/model-proxy.ts'
import { type AgentServer, startAgentServer } from '../../src/server/server.ts'
import { until } from '../until.ts'

export interface Fired {
  readonly event: string
  readonly body: JsonObject
}

/** What the gate says to an event; nothing means allow. */
export type Script = (
  event: string,
  body: JsonObject,
) => JsonObject | undefined | Promise<JsonObject | undefined>

export interface ScriptedGate {
  readonly folder: string
  readonly workspace: string
  readonly socketPath: string
  readonly fired: Fired[]
  readonly pushed: string[]
  /** The same, in whole. */
  readonly requests: PushRequest[]
  readonly exits: HostExit[]
  script: Script
  replyToPush: (text: string) => HttpReply
  startHost(): AgentHost
  /** The gate goes away and comes back; the host lives on. */
  restartServer(): Promise<void>
  send(line: InboxLine): void
  /** True while an agent follows the inbox. */
  isFollowed(): boolean
  /** Sends a prompt and returns its id. */
  prompt(text: string, chat?: string): string
  /** Sends a prompt and waits for the end of its turn; returns what was fired and said since. */
  turn(text: string): Promise<{ events: string[]; fired: Fired[]; pushed: string[] }>
  ended(promptId: string): Promise<void>
  close(): Promise<void>
}

export const delivered: HttpReply = { status: 200, body: { outcome: 'delivered', event_id: 'p' } }

/** A gate of one real socket and a script in place of hooks, and an agent host as a real process. */
export const createScriptedGate = async (
  make: AgentMake = { kind: 'demo' },
  endpoint?: ModelEndpoint,
): Promise<ScriptedGate> => {
  const folder = await mkdtemp(join(tmpdir(), 'hookgate-agents-'))
  const socketPath = join(folder, 'main.sock')
  const hosts: AgentHost[] = []
  let server: AgentServer | undefined
  let send: ((line: InboxLine) => void) | undefined
  let count = 0

  const gate: ScriptedGate = {
    folder,
    workspace: folder,
    socketPath,
    fired: [],
    pushed: [],
    requests: [],
    exits: [],
    script: () => undefined,
    replyToPush: () => delivered,
    startHost: () => {
      const host = startAgentHost({
        agentId: 'main',
        make,
        socketPath,
        workspace: folder,
        log: () => undefined,
        onExit: (exit) => gate.exits.push(exit),
      })
      hosts.push(host)
      return host
    },
    restartServer: async () => {
      await server?.stop()
      server = await startAgentServer({
        agentId: 'main',
        socketPath,
        log: () => undefined,
        model:
          endpoint === undefined ? undefined : createModelProxy({ endpoint, tellSpent: () => undefined }),
        ports: {
          fire: async (_agentId, event, body) => {
            gate.fired.push({ event, body })
            const said = await gate.script(event, body)
            return {
              status: 200,
              body: {
                verdict: 'allow',
                hooks: [],
                event_id: `e${gate.fired.length}`,
                ...said,
                payload: { ...body, ...(said?.['payload'] as JsonObject | undefined) },
              },
            }
          },
          push: async (_agentId, request) => {
            gate.pushed.push(request.text)
            gate.requests.push(request)
            return gate.replyToPush(request.text)
          },
          subscribe: (_agentId, sender) => {
            send = sender
            return () => {
              if (send === sender) send = undefined
            }
          },
        },
      })
    },
    send: (line) => send?.(line),
    isFollowed: () => send !== undefined,
    prompt: (text, chat_id = 'main') => {
      const prompt_id = `prompt-${++count}`
      gate.send({
        type: 'prompt',
        prompt_id,
        channel: 'web',
        chat_id,
        sender_id: 'owner',
        sender_name: 'Owner',
        text,
      })
      return prompt_id
    },
    turn: async (text) => {
      await untilFollowed(gate)
      const [from, said] = [gate.fired.length, gate.pushed.length]
      await gate.ended(gate.prompt(text))
      const fired = gate.fired.slice(from)
      return { fired, events: fired.map(({ event }) => event), pushed: gate.pushed.slice(said) }
    },
    ended: async (promptId) => {
      await expect
        .poll(() =>
          gate.fired.some(({ event, body }) => event === 'on_turn_end' && body['prompt_id'] === promptId),
        )
        .toBe(true)
    },
    close: async () => {
      await Promise.all(hosts.map((host) => host.stop()))
      await server?.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
  await gate.restartServer()
  return gate
}

export const waitUntilGone = async (pid: number): Promise<void> => {
  await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false)
}

/** The number that a tool wrote into a file, once it is there. */
export const numberIn = async (path: string): Promise<number> =>
  until(`a number in ${path}`, async () => {
    const number = Number(await readFile(path, 'utf8').catch(() => ''))
    return number > 0 && number
  })

export const untilFollowed = (gate: ScriptedGate) =>
  expect.poll(() => gate.isFollowed(), { interval: 10 }).toBe(true)

const ownGroup = process.platform === 'linux' ? 'set -m; ' : ''
/**
 * A command that tells its own process id and that of a child, and then takes a minute. On Linux the child
 * has a process group of its own.
 */
export const slow = `!${ownGroup}sleep 60 & echo $! > child.pid; echo $$ > tool.pid; wait`

/** The process ids of a slow command and of its child. */
export const toolPidsOf = async ({ workspace }: ScriptedGate): Promise<readonly number[]> => [
  await numberIn(join(workspace, 'tool.pid')),
  await numberIn(join(workspace, 'child.pid')),
]
