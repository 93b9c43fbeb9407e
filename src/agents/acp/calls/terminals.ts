import { randomUUID } from 'node:crypto'
import { type CreateTerminalRequest, RequestError, type TerminalExitStatus } from '@agentclientprotocol/sdk'
import type { Live } from '../live.ts'
import { refusal } from './results.ts'
import { terminalCallOf } from './terminal-call.ts'
import { runTerminal, type Terminal } from './terminal.ts'

const maxOutputBytes = 1024 * 1024
const maxTerminals = 32
const maxIssued = 1_000

/** The agent's name for a terminal. */
interface TerminalName {
  readonly sessionId: string
  readonly terminalId: string
}

/** Runs the agent's commands. Each terminal belongs to one of the agent's sessions. */
export const createTerminals = (workspace: string, env: Readonly<Record<string, string>>) => {
  const terminals = new Map<string, Terminal & { readonly session: string }>()
  /** The session of each terminal, including released ones. */
  const issued = new Map<string, string>()

  const create = async (request: CreateTerminalRequest, live: Live) => {
    if (terminals.size >= maxTerminals)
      throw new RequestError(
        -32603,
        `Expected at most ${maxTerminals} terminals at once, got more. Release some of them.`,
      )
    live.voice.speak()
    const { call, looks } = terminalCallOf(request, workspace)
    const verdict = await live.guard.judge(call)
    if (verdict.kind === 'block') throw refusal(live, call, verdict)
    live.signal.throwIfAborted()
    live.guard.markRun(call)
    const terminalId = randomUUID()
    const { sessionId: session, outputByteLimit } = request
    issued.set(terminalId, session)
    for (const oldest of issued.keys().take(Math.max(0, issued.size - maxIssued))) issued.delete(oldest)
    const maxBytes = Math.max(1, Math.min(outputByteLimit ?? maxOutputBytes, maxOutputBytes))
    const terminal = runTerminal(verdict, { workspace, env: { ...env, ...looks }, maxBytes }, live)
    terminals.set(terminalId, { ...terminal, session })
    return { terminalId }
  }

  const of = ({ sessionId, terminalId }: TerminalName): Terminal => {
    const terminal = terminals.get(terminalId)
    if (terminal === undefined || terminal.session !== sessionId)
      throw RequestError.resourceNotFound(terminalId)
    return terminal
  }

  return {
    create,
    /** True for a terminal that was created here for this session, including released ones. */
    isOurs: (session: string, id: string): boolean => issued.get(id) === session,
    output: async (name: TerminalName) => {
      const terminal = of(name)
      const exit = terminal.exit()
      return { output: await terminal.shown(), truncated: terminal.isCut(), exitStatus: exit ?? null }
    },
    wait: async (name: TerminalName): Promise<TerminalExitStatus> => of(name).ended,
    kill: async (name: TerminalName) => {
      of(name).kill()
      return {}
    },
    release: async (name: TerminalName) => {
      of(name).kill()
      terminals.delete(name.terminalId)
      return {}
    },
    /** Ends all terminals. */
    end: (): void => {
      for (const terminal of terminals.values()) terminal.kill()
      terminals.clear()
    },
    /** Stops the terminals of one session. Their output can still be read. */
    stop: (session: string): void => {
      for (const terminal of terminals.values()) if (terminal.session === session) terminal.kill()
    },
  }
}

export type Terminals = ReturnType<typeof createTerminals>
