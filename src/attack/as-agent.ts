import { spawn, type ChildProcess } from 'node:child_process'
import { startAsGate, type StartAs } from '../shared/gate/separation.ts'

/**
 * Starts a child process in the same way as the agent host: with the rights of the agent, in a session of its
 * own, and without variables of the gate's environment that could be a token.
 */
export const childAs =
  (workspace: string, { prefix, user, home }: StartAs = startAsGate) =>
  (argv: readonly string[]): ChildProcess => {
    const { PATH, LANG, HOME = home } = process.env
    const [program = '', ...words] = [...prefix, ...argv]
    return spawn(program, words, {
      ...user,
      cwd: workspace,
      detached: true,
      stdio: 'pipe',
      env: {
        ...(PATH !== undefined && { PATH }),
        ...(HOME !== undefined && { HOME: home ?? HOME }),
        ...(LANG !== undefined && { LANG }),
      },
    })
  }
