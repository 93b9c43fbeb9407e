import { spawn } from 'node:child_process'
import type { AsAgent } from './attacker.ts'

/** A plain child, as the agent host is one: in a session of its own, with nothing of the gate's environment that could be a token. */
export const plainChild = (workspace: string): AsAgent => ([program = '', ...words]) => {
  const { PATH, HOME, LANG } = process.env
  return spawn(program, words, { cwd: workspace, detached: true, stdio: 'pipe', env: { ...(PATH !== undefined && { PATH }), ...(HOME !== undefined && { HOME }), ...(LANG !== undefined && { LANG }) } })
}
