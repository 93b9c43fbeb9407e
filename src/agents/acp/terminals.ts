import { randomUUID } from 'node:crypto'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type CreateTerminalRequest, RequestError, type TerminalExitStatus } from '@agentclientprotocol/sdk'
import { isObject, type Json } from '../../model/json.ts'
import { killGroup, spawnGroup } from '../bash.ts'
import { text } from '../tool.ts'
import { type Call, commandLine } from './calls.ts'
import type { Live } from './live.ts'
import { refusal } from './refusal.ts'
import { reportResult, screened, type Ran } from './results.ts'
import { createTail, type Tail } from './tail.ts'

const maxOutputBytes = 1024 * 1024
const maxTerminals = 32
/** How long the output may stay open after the group is dead: a process that left the group can hold it. */
const outputGraceMs = 500

interface Terminal {
  /** The agent's session. */
  readonly session: string
  readonly tail: Tail
  kill(): void
  exit?: TerminalExitStatus
  /** When it ended and hooks were told. */
  readonly ended: Promise<TerminalExitStatus>
  /** What the agent may see of the output as it stands. */
  shown(): Promise<string>
}

const envOf = (value: Json | undefined): Record<string, string> =>
  isObject(value ?? null) ? Object.fromEntries(Object.entries(value as Record<string, Json>).flatMap(([name, item]) => (typeof item === 'string' ? [[name, item]] : []))) : {}

/** The commands that the agent runs through us. */
export const createTerminals = (workspace: string, env: Readonly<Record<string, string>>) => {
  const terminals = new Map<string, Terminal>()

  const start = (session: string, leave: Ran & { readonly context: string }, limitBytes: number, live: Live): Terminal => {
    const { input } = leave
    const cwd = typeof input['cwd'] === 'string' ? resolve(workspace, input['cwd']) : workspace
    const child = spawnGroup(['bash', '-c', text(input, 'command')], { cwd, env: { ...env, ...envOf(input['env']) } })
    const tail = createTail(limitBytes)
    child.stdout?.on('data', tail.add)
    const closed = new Promise<void>((done) => child.stdout?.once('close', done))
    let context = leave.context
    let seen: { readonly raw: string; readonly isOver: boolean; readonly shown: Promise<string> } | undefined

    const shown: Terminal['shown'] = () => {
      const [raw, isOver] = [tail.text(), terminal.exit !== undefined]
      if (seen?.raw !== raw || seen.isOver !== isOver) {
        const isError = (terminal.exit?.exitCode ?? 0) !== 0
        seen = { raw, isOver, shown: screened(live, leave, raw, isError).then((fit) => (isOver && context !== '' ? `${fit}\n${context}` : fit)) }
      }
      return seen.shown
    }
    const end = async (): Promise<TerminalExitStatus> => {
      const exit = await new Promise<TerminalExitStatus>((done) => {
        child.once('error', ({ message }) => {
          tail.add(Buffer.from(`${message}\n`))
          done({ exitCode: 127, signal: null })
        })
        child.once('exit', (exitCode, signal) => done({ exitCode, signal }))
      })
      await Promise.race([closed, delay(outputGraceMs)])
      child.stdout?.destroy()
      const exitCode = exit.exitCode ?? 128 + (constants.signals[(exit.signal ?? 'SIGKILL') as NodeJS.Signals] ?? 0)
      const more = await reportResult(live, leave, { text: tail.text(), isError: exitCode !== 0, exitCode })
      context = [context, more].filter((part) => part !== '').join('\n')
      terminal.exit = exit
      return exit
    }
    const terminal: Terminal = {
      session, tail, shown,
      kill: () => {
        if (child.pid !== undefined && terminal.exit === undefined && child.exitCode === null && child.signalCode === null) killGroup(child.pid)
      },
      ended: Promise.resolve().then(end),
    }
    return terminal
  }

  const create = async ({ sessionId, command, args, cwd, env: wanted, outputByteLimit }: CreateTerminalRequest, live: Live) => {
    if (terminals.size >= maxTerminals) throw new RequestError(-32603, `Expected at most ${maxTerminals} terminals at once, got more. Release some of them.`)
    live.voice.speak()
    const variables = Object.fromEntries((wanted ?? []).map(({ name, value }) => [name, value]))
    const call: Call = {
      name: 'bash',
      input: { command: commandLine(command, args), ...((cwd ?? undefined) === undefined || resolve(cwd ?? '') === resolve(workspace) ? {} : { cwd: cwd ?? '' }), ...(Object.keys(variables).length === 0 ? {} : { env: variables }) },
    }
    const leave = await live.guard.judge(call)
    if (leave.kind === 'block') throw refusal(live, call, leave)
    live.signal.throwIfAborted()
    live.guard.ran(call)
    const terminalId = randomUUID()
    terminals.set(terminalId, start(sessionId, leave, Math.max(1, Math.min(outputByteLimit ?? maxOutputBytes, maxOutputBytes)), live))
    return { terminalId }
  }

  const of = (session: string, id: string): Terminal => {
    const terminal = terminals.get(id)
    if (terminal === undefined || terminal.session !== session) throw RequestError.resourceNotFound(id)
    return terminal
  }

  return {
    create,
    output: async ({ sessionId, terminalId }: { sessionId: string; terminalId: string }) => {
      const terminal = of(sessionId, terminalId)
      const { exit } = terminal
      return { output: await terminal.shown(), truncated: terminal.tail.isCut(), exitStatus: exit ?? null }
    },
    wait: async ({ sessionId, terminalId }: { sessionId: string; terminalId: string }) => of(sessionId, terminalId).ended,
    kill: async ({ sessionId, terminalId }: { sessionId: string; terminalId: string }) => {
      of(sessionId, terminalId).kill()
      return {}
    },
    release: async ({ sessionId, terminalId }: { sessionId: string; terminalId: string }) => {
      of(sessionId, terminalId).kill()
      terminals.delete(terminalId)
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
