import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createBuiltins } from '../../src/agents/builtins/builtins.ts'

/** A folder to work in, with all that the agent's own hooks may say of it. */
export const createPlace = () => {
  const folder = mkdtempSync(join(tmpdir(), 'hookgate-builtins-'))
  const cwd = join(folder, 'work')
  mkdirSync(cwd)
  const home = join(folder, 'home')
  const builtins = (path = process.env['PATH']) => createBuiltins({ agentId: 'main', home, path })
  return {
    folder,
    cwd,
    builtins,
    ask: (name: string, args: readonly string[] = [], at = cwd) => builtins()({ name, args, cwd: at }),
    write: (path: string, text: string): void => {
      mkdirSync(dirname(join(cwd, path)), { recursive: true })
      writeFileSync(join(cwd, path), text)
    },
    remove: (): void => rmSync(folder, { recursive: true, force: true }),
  }
}
export type Place = ReturnType<typeof createPlace>
