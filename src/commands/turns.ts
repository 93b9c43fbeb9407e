import type { CataloguePorts, Command } from './ports.ts'

/** Commands about hooks run in the order in which owners typed them. The switch never waits for them. */
const inOrder: ReadonlySet<string> = new Set(['hooks approve', 'hooks revoke', 'y', 'n'])

/** Runs a command after its files have been read again, and after earlier commands about hooks are done. */
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
