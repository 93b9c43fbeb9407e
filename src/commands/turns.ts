import type { Command, CommandPorts } from './ports.ts'

/** Commands about hooks run in the order in which owners typed them. The switch never waits for them. */
const inOrder: ReadonlySet<string> = new Set([
  'hooks approve',
  'hooks shadow',
  'hooks promote',
  'hooks revoke',
  'hooks protect',
  'y',
  'n',
])

/**
 * Commands that begin at once all the same. They end what is approved now, and wait only for what earlier
 * commands still approve.
 */
const atOnce: ReadonlySet<string> = new Set(['hooks revoke'])

/**
 * Runs a command after its files have been read again, and after earlier commands about hooks are done.
 * `earlier` resolves when they are done. It is absent when none is under way.
 */
export type InTurn = <T>(
  command: Pick<Command, 'path' | 'needsRefresh'>,
  about: string | undefined,
  run: (earlier?: Promise<unknown>) => T | Promise<T>,
) => Promise<T>

export const createCommandQueue = (refresh: CommandPorts['refresh']): InTurn => {
  let turn: Promise<unknown> | undefined
  return (command, about, run) => {
    const earlier = turn
    const whole = async (): Promise<Awaited<ReturnType<typeof run>>> => {
      if (command.needsRefresh === true) await refresh(about)
      return await run(earlier)
    }
    if (!inOrder.has(command.path)) return whole()
    const done = earlier === undefined || atOnce.has(command.path) ? whole() : earlier.then(whole)
    const over = Promise.allSettled([earlier, done]).then(() => {
      if (turn === over) turn = undefined
    })
    turn = over
    return done
  }
}
