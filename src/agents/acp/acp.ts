import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureFolder } from '../tools/folders.ts'
import type { AgentMake } from '../../shared/gate/agent.ts'
import { chatKey } from '../../core/model/chat/push.ts'
import { type ChatLine, createChats } from '../chats.ts'
import type { GateClient } from '../client.ts'
import { createReporter } from '../reporter.ts'
import { createDocuments } from './calls/documents.ts'
import { type Limits, usualLimits } from './limits.ts'
import type { Live } from './live.ts'
import { createMemory } from './memory.ts'
import { createProgram } from './program.ts'
import { createService } from './service.ts'
import { createSessions } from './sessions.ts'
import { createTerminals } from './calls/terminals.ts'
import { createTurns } from './turn.ts'

const maxHeard = 1_000

export interface AcpParts {
  readonly client: GateClient
  readonly workspace: string
  /** The environment of the agent's tools. The agent also gets the variables that gate.yaml names. */
  readonly env: Readonly<Record<string, string>>
  readonly agentId: string
  readonly make: Extract<AgentMake, { kind: 'acp' }>
  readonly limits?: Limits
}

/** Runs an agent that speaks the Agent Client Protocol. One process serves all its conversations. */
export const createAcp = ({
  client,
  workspace,
  env,
  agentId,
  make,
  limits = usualLimits,
}: AcpParts): ((line: ChatLine) => void) => {
  const stateFolder = join(workspace, '.hookgate')
  // The person's home is empty and temporary in the sandbox. This folder exists wherever the agent runs.
  const home = join(stateFolder, 'home')
  ensureFolder(home)
  // The folder does not belong to the work in the workspace, so git ignores it.
  writeFileSync(join(stateFolder, '.gitignore'), '*\n')

  const turns = new Map<string, Live>()
  const heard = new Map<string, number>()
  /** The agent's session of each chat that has had a turn. */
  const sessionOfChat = new Map<string, string>()
  const terminals = createTerminals(workspace, env)
  const service = createService({
    live: (session) => {
      // The agent chooses the session ids, so the map has a limit.
      if (heard.size > maxHeard) heard.clear()
      heard.set(session, performance.now())
      return turns.get(session)
    },
    documents: createDocuments(workspace),
    terminals,
    limits,
  })
  const program = createProgram({
    command: make.command,
    cwd: workspace,
    env: { ...env, HOME: home, ...make.env },
    limits,
    serve: service,
    onEnd: () => terminals.end(),
  })
  const memory = createMemory(join(stateFolder, 'acp', `${agentId}.json`))
  const sessions = createSessions({
    workspace,
    memory,
    limits,
    heardAt: (session) => heard.get(session) ?? 0,
  })

  const handleLine = createChats(
    { client, workspace, sessions: { drop: (address) => memory.end(chatKey(address)) } },
    createTurns({
      client,
      workspace,
      program,
      sessions,
      memory,
      limits,
      begin: (chat, session, live) => {
        turns.set(session, live)
        sessionOfChat.set(chat, session)
        return () => turns.delete(session)
      },
    }),
    async ({ session }, address, signal) => {
      await createReporter(client, { ...address, session_id: session?.id ?? 'none', cwd: workspace })
        .tell(
          'This agent manages its conversation itself, so I compacted nothing. If it has a compact command of its own, //compact calls it.',
          signal,
        )
        .catch(() => undefined)
    },
  )

  return (line) => {
    if (line.type === 'cancel' || line.type === 'new') {
      const session = sessionOfChat.get(chatKey(line))
      if (session !== undefined) terminals.stop(session)
    }
    handleLine(line)
  }
}
