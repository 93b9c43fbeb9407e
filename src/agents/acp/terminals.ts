import { randomUUID } from 'node:crypto'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type CreateTerminalRequest, RequestError, type TerminalExitStatus } from '@agentclientprotocol/sdk'
import { isObject, type Json } from '../../model/json.ts'
import { killSession, spawnGroup } from '../bash.ts'
import { text } from '../tool.ts'
import { type ReportedCall, commandLine } from './calls.ts'
import type { Live } from './live.ts'
import { refusal } from './refusal.ts'
import { reportResult, screened, type Ran } from './results.ts'
import { createTail, type Tail } from './tail.ts'

const maxOutputBytes = 1024 * 1024
const maxTerminals = 32
const maxIssued = 1_000
/** Variables that change how a command looks and not what it does, with the values that are only that. Hooks are not asked about them. */
const looks: Readonly<Record<string, RegExp>> = {
  NO_COLOR: /^1?$/,
  TERM: /^[\w-]{1,40}$/,
  GIT_TERMINAL_PROMPT: /^[01]$/,
  SHELL: /^(?:\/usr)?\/bin\/(?:ba)?sh$/,
  PAGER: /^cat$/,
  GIT_PAGER: /^cat$/,
}
/** How long the output may stay open after the session is dead: a process that left it can hold it. */
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
  isObject(value ?? null)
    ? Object.fromEntries(
        Object.entries(value as Record<string, Json>).flatMap(([name, item]) =>
          typeof item === 'string' ? [[name, item]] : [],
        ),
      )
    : {}

/** The commands that the agent runs through us. */
export const createTerminals = (workspace: string, env: Readonly<Record<string, string>>) => {
  const terminals = new Map<string, Terminal>()
  /** The sessions of terminals, also of those that were released. */
  const issued = new Map<string, string>()

  const callOf = (
    { command, args, cwd }: CreateTerminalRequest,
    variables: Readonly<Record<string, string>>,
  ): ReportedCall => {
    const line = commandLine(command, args)
    const at =
      (cwd ?? undefined) === undefined || resolve(cwd ?? '') === resolve(workspace) ? undefined : (cwd ?? '')
    // Kimi goes where it is already.
    const going = `cd '${cwd ?? workspace}' && `
    return {
      name: 'bash',
      input: {
        command: line.startsWith(going) ? line.slice(going.length) : line,
        ...(at === undefined ? {} : { cwd: at }),
        ...(Object.keys(variables).length === 0 ? {} : { env: variables }),
      },
    }
  }

  const start = (
    session: string,
    leave: Ran & { readonly context: string },
    plain: Readonly<Record<string, string>>,
    limitBytes: number,
    live: Live,
  ): Terminal => {
    const { input } = leave
    const cwd = typeof input['cwd'] === 'string' ? resolve(workspace, input['cwd']) : workspace
    const child = spawnGroup(['bash', '-c', text(input, 'command')], {
      cwd,
      env: { ...env, ...plain, ...envOf(input['env']) },
    })
    const tail = createTail(limitBytes)
    child.stdout?.on('data', tail.add)
    const closed = new Promise<void>((done) => child.stdout?.once('close', done))
    let context = leave.context
    let seen: { readonly raw: string; readonly isOver: boolean; readonly shown: Promise<string> } | undefined

    const shown: Terminal['shown'] = () => {
      const [raw, isOver] = [tail.text(), terminal.exit !== undefined]
      if (seen?.raw !== raw || seen.isOver !== isOver) {
        const isError = (terminal.exit?.exitCode ?? 0) !== 0
        seen = {
          raw,
          isOver,
          shown: screened(live, leave, raw, isError).then((fit) =>
            isOver && context !== '' ? `${fit}\n${context}` : fit,
          ),
        }
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
      const exitCode =
        exit.exitCode ?? 128 + (constants.signals[(exit.signal ?? 'SIGKILL') as NodeJS.Signals] ?? 0)
      const more = await reportResult(live, leave, { text: tail.text(), isError: exitCode !== 0, exitCode })
      context = [context, more].filter((part) => part !== '').join('\n')
      terminal.exit = exit
      return exit
    }
    const terminal: Terminal = {
      session,
      tail,
      shown,
      kill: () => {
        if (
          child.pid !== undefined &&
          terminal.exit === undefined &&
          child.exitCode === null &&
          child.signalCode === null
        )
          killSession(child.pid)
      },
      ended: Promise.resolve().then(end),
    }
    return terminal
  }

  const create = async (request: CreateTerminalRequest, live: Live) => {
    const { sessionId, outputByteLimit } = request
    if (terminals.size >= maxTerminals)
      throw new RequestError(
        -32603,
        `Expected at most ${maxTerminals} terminals at once, got more. Release some of them.`,
      )
    live.voice.speak()
    const wanted = (request.env ?? []).map(({ name, value }) => [name, value] as const)
    const isPlain = ([name, value]: readonly [string, string]): boolean =>
      Object.hasOwn(looks, name) && looks[name]?.test(value) === true
    const call = callOf(request, Object.fromEntries(wanted.filter((each) => !isPlain(each))))
    const leave = await live.guard.judge(call)
    if (leave.kind === 'block') throw refusal(live, call, leave)
    live.signal.throwIfAborted()
    live.guard.ran(call)
    const terminalId = randomUUID()
    issued.set(terminalId, sessionId)
    for (const oldest of issued.keys().take(Math.max(0, issued.size - maxIssued))) issued.delete(oldest)
    terminals.set(
      terminalId,
      start(
        sessionId,
        leave,
        Object.fromEntries(wanted.filter(isPlain)),
        Math.max(1, Math.min(outputByteLimit ?? maxOutputBytes, maxOutputBytes)),
        live,
      ),
    )
    return { terminalId }
  }

  const of = (session: string, id: string): Terminal => {
    const terminal = terminals.get(id)
    if (terminal === undefined || terminal.session !== session) throw RequestError.resourceNotFound(id)
    return terminal
  }

  return {
    create,
    /** True for a terminal that was made here for this session, also when it was released. */
    isOurs: (session: string, id: string): boolean => issued.get(id) === session,
    output: async ({ sessionId, terminalId }: { sessionId: string; terminalId: string }) => {
      const terminal = of(sessionId, terminalId)
      const { exit } = terminal
      return { output: await terminal.shown(), truncated: terminal.tail.isCut(), exitStatus: exit ?? null }
    },
    wait: async ({ sessionId, terminalId }: { sessionId: string; terminalId: string }) =>
      of(sessionId, terminalId).ended,
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
