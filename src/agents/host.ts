import { join } from 'node:path'
import type { AgentMake } from '../shared/gate/agent.ts'
import { startClean } from '../shared/base/process-group.ts'
import { killAllTools } from './tools/bash.ts'
import { createBuiltins } from './builtins/builtins.ts'
import { sendReply } from './builtins/reply.ts'
import { type ChatLine, createChats } from './chats.ts'
import { createGateClient } from './client.ts'
import { compactNow } from './session/compact-now.ts'
import { demoDecider } from './demo.ts'
import type { Decider } from './loop/decider.ts'
import { createSessionFiles } from './session/session-file.ts'
import { inboxLines } from './stream.ts'
import { toolSpecs } from './tools/tools.ts'
import { runTurn } from './loop/turn.ts'

/**
 * Reads a required environment variable. This program is the agent host: the process that the agent and its
 * tools live in. It reaches the gate only through the socket that every foreign agent uses. It ends when its
 * standard input ends, because the gate is then gone.
 */
const needed = (name: string): string => {
  const value = process.env[name]
  if (value !== undefined && value !== '') return value
  process.stderr.write(
    `Expected the environment variable ${name}, got nothing. The gate starts this program; do not start it by hand.\n`,
  )
  return process.exit(1)
}

const end = (): never => {
  killAllTools()
  return process.exit(0)
}

startClean()
const socketPath = needed('HOOKGATE_SOCKET')
const workspace = needed('HOOKGATE_WORKSPACE')
const make = JSON.parse(needed('HOOKGATE_AGENT_MAKE')) as AgentMake

process.stdin.on('end', end).on('close', end).on('error', end).resume()
process.on('SIGTERM', end).on('SIGINT', end)

const env = {
  PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
  HOME: process.env['HOME'] ?? workspace,
  LANG: process.env['LANG'] ?? 'C.UTF-8',
  TERM: 'dumb',
  // The next gate finds the tools that a dead gate left by this variable.
  ...(process.env['HOOKGATE_RUN'] === undefined ? {} : { HOOKGATE_RUN: process.env['HOOKGATE_RUN'] }),
}
const agentId = needed('HOOKGATE_AGENT')
const parts = {
  client: createGateClient(socketPath, process.env['HOOKGATE_HOST_KEY']),
  workspace,
  env,
  agentId,
}

const withDecider = (decider: Decider): ((line: ChatLine) => void) => {
  const agentParts = {
    decider,
    sessions: createSessionFiles(join(workspace, '.hookgate', 'sessions', agentId)),
    ...parts,
  }
  return createChats(
    agentParts,
    (chat, prompt, signal) => runTurn(chat, prompt, agentParts, signal),
    (chat, address, signal) => compactNow(chat, address, agentParts, signal),
  )
}
/** Loads a kind of agent only when it is used, so that the demo's host stays small. */
const agentOf = async (): Promise<(line: ChatLine) => void> => {
  switch (make.kind) {
    case 'demo':
      return withDecider(demoDecider)
    case 'openai':
      return withDecider(
        (await import('./openai/openai.ts')).createOpenaiDecider({
          make,
          socketPath,
          workspace,
          tools: toolSpecs,
        }),
      )
    case 'acp':
      return (await import('./acp/acp.ts')).createAcp({ ...parts, make })
  }
}
const handleLine = await agentOf()
const stateFolder = process.env['HOOKGATE_KEPT']
const runBuiltin = createBuiltins({
  agentId,
  home: env.HOME,
  path: process.env['PATH'],
  stateFolder,
})
for await (const line of inboxLines(socketPath)) {
  if (line.type === 'builtin') void runBuiltin(line).then((answer) => sendReply(socketPath, line.id, answer))
  else handleLine(line)
}
