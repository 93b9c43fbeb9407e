import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A program of this folder that runs beside the gate and answers each message with one of its own. */
export interface Beside {
  /** Rejects when the program ends before it answers. */
  ask(message: object | string): Promise<unknown>
  stop(): Promise<void>
}

export interface BesideOptions {
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
  /** It says in a message of its own that it is ready. */
  readonly isAwaited?: true
}

export const startBeside = async (
  file: string,
  args: readonly string[],
  { cwd, env, isAwaited }: BesideOptions,
): Promise<Beside> => {
  const child = fork(join(import.meta.dirname, file), args, {
    cwd,
    ...(env === undefined ? {} : { env }),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  const gone = exited.then(([code, signal]) => {
    throw new Error(`Expected an answer of ${file}, but it ended with ${code ?? signal}.`)
  })
  // It also ends when it is stopped, which is no failure.
  gone.catch(() => undefined)
  const message = async (): Promise<unknown> => {
    const [answer] = await Promise.race([once(child, 'message'), gone])
    return answer
  }
  if (isAwaited === true) await message()
  return {
    ask: (asked) => {
      const answer = message()
      // What goes wrong here ends the program, too.
      child.send(asked, () => undefined)
      return answer
    },
    stop: async () => {
      // Without its channel it ends, and takes along what it started.
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

/** Asks a floor, which has to get this answer of its program. Resolves with the microseconds that it took. */
export const askFloor = async (floor: Beside, message: string, expected: string): Promise<number> => {
  const { us, answer } = (await floor.ask(message)) as { readonly us: number; readonly answer: string }
  if (!answer.includes(expected))
    throw new Error(`Expected ${expected} of the floor, got ${JSON.stringify(answer)}.`)
  return us
}
