import { lstatSync, opendirSync, realpathSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { unreadable, type Problems } from './problems.ts'
import { SESSION_FORMATS, type SessionClient, type SessionRoot } from './table.ts'

export interface FoundFile {
  readonly client: SessionClient
  /** The folder of the client, without links. Nothing outside of it is read. */
  readonly root: string
  readonly path: string
  readonly mtimeMs: number
  readonly size: number
}

/** So many names are looked at for each client, in folders of at most this depth. */
const maxNames = 200_000
const maxDepth = 8

/** Finds the sessions below a folder that changed since then. It follows no link, and opens no file. */
const filesIn = (
  { client, folder }: SessionRoot,
  sinceMs: number,
  budget: { left: number },
  problems: Problems,
): readonly FoundFile[] => {
  const found: FoundFile[] = []
  const take = (root: string, path: string): void => {
    const status = lstatSync(path)
    if (!status.isFile()) problems.add(client, 'is no file', path)
    else {
      // What is not yet in a database is in a file beside it.
      const log = path.endsWith('.db') ? statSync(`${path}-wal`, { throwIfNoEntry: false }) : undefined
      const mtimeMs = Math.max(status.mtimeMs, log?.mtimeMs ?? 0)
      if (mtimeMs >= sinceMs) found.push({ client, root, path, mtimeMs, size: status.size })
    }
  }
  const walk = (root: string, path: string, depth: number): void => {
    const opened = opendirSync(path)
    try {
      for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
        if (budget.left <= 0) return
        budget.left -= 1
        const inner = join(path, entry.name)
        if (entry.isSymbolicLink()) problems.add(client, 'is a link, which is not followed', inner)
        else if (entry.isDirectory() && depth < maxDepth) visit(() => walk(root, inner, depth + 1), inner)
        else if (!entry.isDirectory() && SESSION_FORMATS[client].isSession(relative(root, inner)))
          visit(() => take(root, inner), inner)
      }
    } finally {
      opened.closeSync()
    }
  }
  const visit = (look: () => void, path: string): void => {
    try {
      look()
    } catch (error) {
      const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
      if (!isGone) problems.add(client, unreadable(error), path)
    }
  }
  visit(() => {
    const root = realpathSync(folder)
    if (statSync(root).isDirectory()) walk(root, root, 0)
    else take(root, root)
  }, folder)
  return found
}

/** Finds the sessions that changed since then, the newest first. */
export const findFiles = (
  roots: readonly SessionRoot[],
  sinceMs: number,
  problems: Problems,
): readonly FoundFile[] => {
  const budgets = new Map<SessionClient, { left: number }>()
  const found = roots.flatMap((root) => {
    const budget = budgets.get(root.client) ?? { left: maxNames }
    budgets.set(root.client, budget)
    return filesIn(root, sinceMs, budget, problems)
  })
  for (const [client, { left }] of budgets)
    if (left <= 0)
      problems.add(client, `has more than ${maxNames} files, and the others were not looked at`, '')
  return found.toSorted((a, b) => b.mtimeMs - a.mtimeMs)
}
