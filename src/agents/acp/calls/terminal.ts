import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { TerminalExitStatus } from '@agentclientprotocol/sdk'
import { isObject, type Json } from '../../../model/base/json.ts'
import { killSession, spawnGroup } from '../../tools/bash.ts'
import { text } from '../../tools/tool.ts'
import type { Live } from '../live.ts'
import { reportResult, screened, type Ran } from './results.ts'
import { createTail } from '../tail.ts'

/** How long the output may stay open after the session is dead: a process that left it can hold it. */
const outputGraceMs = 500

/** One command that the agent runs through us. */
export interface Terminal {
  kill(): void
  /** Undefined while it runs, and while hooks are told that it ended. */
  exit(): TerminalExitStatus | undefined
  /** When it ended and hooks were told. */
  readonly ended: Promise<TerminalExitStatus>
  /** What the agent may see of the output as it stands. */
  shown(): Promise<string>
  /** Whether the beginning of the output was dropped. */
  isCut(): boolean
}

export interface TerminalOptions {
  readonly workspace: string
  readonly env: Readonly<Record<string, string>>
  /** The last of its output are kept. */
  readonly maxBytes: number
}

const envOf = (value: Json | undefined): Record<string, string> =>
  isObject(value ?? null)
    ? Object.fromEntries(
        Object.entries(value as Record<string, Json>).flatMap(([name, item]) =>
          typeof item === 'string' ? [[name, item]] : [],
        ),
      )
    : {}

/** How a program ended; one that could not be started says so in its output. */
const exitOf = (child: ChildProcess, say: (line: Buffer) => void): Promise<TerminalExitStatus> =>
  new Promise((done) => {
    child.once('error', ({ message }) => {
      say(Buffer.from(`${message}\n`))
      done({ exitCode: 127, signal: null })
    })
    child.once('exit', (exitCode, signal) => done({ exitCode, signal }))
  })

/** As a shell counts it. */
const exitCodeOf = ({ exitCode, signal }: TerminalExitStatus): number =>
  exitCode ?? 128 + (constants.signals[(signal ?? 'SIGKILL') as NodeJS.Signals] ?? 0)

/** Runs a command as hooks settled it. `context`: what they had to say to the agent, which stands under the output at the end. */
export const runTerminal = (
  ran: Ran & { readonly context: string },
  { workspace, env, maxBytes }: TerminalOptions,
  live: Live,
): Terminal => {
  const { input } = ran
  const child = spawnGroup(['bash', '-c', text(input, 'command')], {
    cwd: typeof input['cwd'] === 'string' ? resolve(workspace, input['cwd']) : workspace,
    env: { ...env, ...envOf(input['env']) },
  })
  const tail = createTail(maxBytes)
  child.stdout?.on('data', tail.add)
  const closed = new Promise<void>((done) => child.stdout?.once('close', done))
  let exit: TerminalExitStatus | undefined
  let context = ran.context
  /** Hooks are asked once about an output that has not changed. */
  let seen: { readonly raw: string; readonly isOver: boolean; readonly shown: Promise<string> } | undefined

  const end = async (): Promise<TerminalExitStatus> => {
    const status = await exitOf(child, tail.add)
    await Promise.race([closed, delay(outputGraceMs)])
    child.stdout?.destroy()
    const exitCode = exitCodeOf(status)
    const more = await reportResult(live, ran, { text: tail.text(), isError: exitCode !== 0, exitCode })
    context = [context, more].filter((part) => part !== '').join('\n')
    exit = status
    return status
  }

  return {
    isCut: tail.isCut,
    exit: () => exit,
    shown: () => {
      const [raw, isOver] = [tail.text(), exit !== undefined]
      if (seen?.raw !== raw || seen.isOver !== isOver) {
        const isError = (exit?.exitCode ?? 0) !== 0
        seen = {
          raw,
          isOver,
          shown: screened(live, ran, raw, isError).then((fit) =>
            isOver && context !== '' ? `${fit}\n${context}` : fit,
          ),
        }
      }
      return seen.shown
    },
    kill: () => {
      const isRunning = exit === undefined && child.exitCode === null && child.signalCode === null
      if (child.pid !== undefined && isRunning) killSession(child.pid)
    },
    ended: Promise.resolve().then(end),
  }
}
