import { execFileSync } from 'node:child_process'
import path from 'node:path'
import type { StartAs } from '../../src/shared/gate/separation.ts'
import type { World } from './world.ts'

/**
 * The sandbox as that user's gate would find it: for an agent with these sockets, or, without one, for hooks.
 */
export const findAs = (
  { home, workspace, root, userHome }: World,
  user: StartAs['user'],
  kind: string,
  ...sockets: readonly string[]
): { readonly by?: string; readonly startAs?: StartAs; readonly why?: string } => {
  const script = path.join(import.meta.dirname, 'find-sandbox.ts')
  const told = JSON.parse(
    execFileSync(process.execPath, [script, home, workspace, root, userHome, kind, ...sockets], {
      ...user,
      cwd: '/',
      encoding: 'utf8',
    }),
  ) as ReturnType<typeof findAs>
  return user === undefined || told.startAs === undefined
    ? told
    : { ...told, startAs: { ...told.startAs, user } }
}
