import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import type { TerminalExitStatus } from '@agentclientprotocol/sdk'
import { isObject, type Json } from '../../../core/model/base/json.ts'
import { killSession, spawnGroup, watchOutput } from '../../tools/bash.ts'
import { text } from '../../tools/tool.ts'
import type { Live } from '../live.ts'
import { reportResult, screened, type FinishedCall } from './results.ts'
import { createTail } from '../../tools/capture.ts'

/** One command that the agent runs through hookgate. */
export interface Terminal {
  kill(): void
  /** Undefined while the command runs, and while hooks are told of its end. */
  exit(): TerminalExitStatus | undefined
  /** Resolves when the command has ended and hooks were told. */
  readonly ended: Promise<TerminalExitStatus>
  /** The present output as hooks let the agent see it. */
  shown(): Promise<string>
  /** True when the beginning of the output was dropped. */
  isCut(): boolean
}

export interface TerminalOptions {
  readonly workspace: string
  readonly env: Readonly<Record<string, string>>
  /** How much of the end of the output is kept. */
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

/** Resolves when a program has ended. If it could not start, the error is added to its output. */
const exitOf = (child: ChildProcess, say: (line: Buffer) => void): Promise<TerminalExitStatus> =>
  new Promise((done) => {
    child.once('error', ({ message }) => {
      say(Buffer.from(`${message}\n`))
      done({ exitCode: 127, signal: null })
    })
    child.once('exit', (exitCode, signal) => done({ exitCode, signal }))
  })

/** The exit code by a shell's rules. */
const exitCodeOf = ({ exitCode, signal }: TerminalExitStatus): number =>
  exitCode ?? 128 + (constants.signals[(signal ?? 'SIGKILL') as NodeJS.Signals] ?? 0)

/**
 * Runs a command after all rewrites. `context` is the hooks' text for the agent, which is added to the output
 * at the end.
 */
export const runTerminal = (
  call: FinishedCall & { readonly context: string },
  { workspace, env, maxBytes }: TerminalOptions,
  live: Live,
): Terminal => {
  const { input } = call
  const child = spawnGroup(['bash', '-c', text(input, 'command')], {
    cwd: typeof input['cwd'] === 'string' ? resolve(workspace, input['cwd']) : workspace,
    env: { ...env, ...envOf(input['env']) },
  })
  const tail = createTail(maxBytes)
  child.stdout?.on('data', tail.add)
  const outputEnds = child.stdout && watchOutput(child.stdout)
  let exit: TerminalExitStatus | undefined
  let context = call.context
  /** The last output that hooks judged. Hooks judge an unchanged output only once. */
  let seen: { readonly raw: string; readonly isOver: boolean; readonly shown: Promise<string> } | undefined

  const end = async (): Promise<TerminalExitStatus> => {
    const status = await exitOf(child, tail.add)
    await outputEnds?.()
    const exitCode = exitCodeOf(status)
    const more = await reportResult(live, call, { text: tail.text(), isError: exitCode !== 0, exitCode })
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
          shown: screened(live, call, raw, isError).then((fit) =>
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
