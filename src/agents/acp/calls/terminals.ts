import { randomUUID } from 'node:crypto'
import { type CreateTerminalRequest, RequestError, type TerminalExitStatus } from '@agentclientprotocol/sdk'
import type { Live } from '../live.ts'
import { refusal } from './refusal.ts'
import { terminalCallOf } from './terminal-call.ts'
import { runTerminal, type Terminal } from './terminal.ts'

const maxOutputBytes = 1024 * 1024
const maxTerminals = 32
const maxIssued = 1_000

/** How the agent names one. */
interface TerminalName {
  readonly sessionId: string
  readonly terminalId: string
}

/** The commands that the agent runs through us, each of one of its sessions. */
export const createTerminals = (workspace: string, env: Readonly<Record<string, string>>) => {
  const terminals = new Map<string, Terminal & { readonly session: string }>()
  /** The sessions of terminals, also of those that were released. */
  const issued = new Map<string, string>()

  const create = async (request: CreateTerminalRequest, live: Live) => {
    if (terminals.size >= maxTerminals)
      throw new RequestError(
        -32603,
        `Expected at most ${maxTerminals} terminals at once, got more. Release some of them.`,
      )
    live.voice.speak()
    const { call, looks } = terminalCallOf(request, workspace)
    const leave = await live.guard.judge(call)
    if (leave.kind === 'block') throw refusal(live, call, leave)
    live.signal.throwIfAborted()
    live.guard.ran(call)
    const terminalId = randomUUID()
    const { sessionId: session, outputByteLimit } = request
    issued.set(terminalId, session)
    for (const oldest of issued.keys().take(Math.max(0, issued.size - maxIssued))) issued.delete(oldest)
    const maxBytes = Math.max(1, Math.min(outputByteLimit ?? maxOutputBytes, maxOutputBytes))
    const terminal = runTerminal(leave, { workspace, env: { ...env, ...looks }, maxBytes }, live)
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
    /** True for a terminal that was made here for this session, also when it was released. */
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
    /** Ends all of them. */
    end: (): void => {
      for (const terminal of terminals.values()) terminal.kill()
      terminals.clear()
    },
    /** Stops those of one session; their output stays to be read. */
    stop: (session: string): void => {
      for (const terminal of terminals.values()) if (terminal.session === session) terminal.kill()
    },
  }
}

export type Terminals = ReturnType<typeof createTerminals>
