import type { CataloguePorts, Command } from './ports.ts'

/** What owners say about a hook counts in the order in which they said it. The switch never waits for any of it. */
const inOrder: ReadonlySet<string> = new Set(['hooks approve', 'hooks revoke', 'y', 'n'])

/** Runs a command when the files that it shows or seals have been looked at, and what was said before it is done. */
export type InTurn = <T>(
  command: Pick<Command, 'path' | 'looks'>,
  about: string | undefined,
  run: () => T | Promise<T>,
) => Promise<T>

export const createTurns = (look: CataloguePorts['look']): InTurn => {
  let turn: Promise<unknown> = Promise.resolve()
  return (command, about, run) => {
    const whole = async (): Promise<Awaited<ReturnType<typeof run>>> => {
      if (command.looks === true) await look(about)
      return await run()
    }
    if (!inOrder.has(command.path)) return whole()
    const done = turn.then(whole)
    turn = done.catch(() => undefined)
    return done
  }
}
