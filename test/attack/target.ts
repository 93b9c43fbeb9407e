import type { Target } from '../../src/attack/forgery.ts'

/** What the attacking process is told of folders that stand for a gate's. `over` says the rest. */
export const targetIn = (
  { root, home, workspace }: { readonly root: string; readonly home: string; readonly workspace: string },
  over: Partial<Target> = {},
): Target => ({
  hasPython: true,
  mark: 'mark',
  home,
  workspace,
  tree: root,
  cli: [],
  userHome: root,
  hookPath: [],
  gatePid: process.pid,
  sockets: [],
  ...over,
})
