import { stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { JsonObject } from '../../core/model/base/json.ts'
import { createMutex } from '../../core/model/base/mutex.ts'
import type { InboxLine } from '../../shared/events/inbox-line.ts'
import { BuiltinError, createGit, type Git } from './git.ts'
import { gitDiff, gitStatus, recentCommits } from './git-context.ts'
import { promptFiles } from './prompt-files.ts'
import { fitting } from './reply.ts'
import { openSnapshotRepository } from './snapshot-repository.ts'
import { takeSnapshot } from './snapshot.ts'
import { aboutUser, environmentInfo, listing } from './surroundings.ts'
import { undo } from './undo.ts'

export type BuiltinLine = Extract<InboxLine, { type: 'builtin' }>

export interface BuiltinParts {
  readonly agentId: string
  readonly home: string
  readonly path: string | undefined
  /** The folder for snapshots. Absent: the user's state folder. */
  readonly stateFolder?: string
}

const maxAtOnce = 16

interface BuiltinCall extends BuiltinParts {
  readonly git: Git
  readonly args: readonly string[]
  readonly cwd: string
  readonly stateFolder: string
}

/** The builtins by name. Each returns context for the model, and an empty text when there is none. */
const builtins: Readonly<Record<string, (asked: BuiltinCall) => Promise<string> | string>> = {
  add_environment_info: ({ git, cwd }) => environmentInfo(git, cwd),
  add_prompt_files: ({ args, cwd, home }) => promptFiles(args, cwd, home),
  add_git_status: ({ git, cwd }) => gitStatus(git, cwd),
  add_git_diff: ({ git, cwd, args }) => gitDiff(git, cwd, args[0] === 'full'),
  add_directory_listing: ({ cwd }) => listing(cwd),
  add_user_info: () => aboutUser(),
  add_recent_commits: ({ git, cwd, args }) => recentCommits(git, cwd, Number(args[0] ?? 10)),
  snapshot: async ({ git, stateFolder, agentId, cwd }) => {
    await takeSnapshot(await openSnapshotRepository(git, stateFolder, agentId, cwd))
    return ''
  },
  undo: async ({ git, stateFolder, agentId, cwd }) =>
    undo(await openSnapshotRepository(git, stateFolder, agentId, cwd)),
}

/** Builtins that write files. They run one after another. */
const writing = new Set(['snapshot', 'undo'])

/**
 * Runs the gate's requests about files and git, independently of turns, because a turn may wait for a verdict
 * that waits for this answer. Never rejects.
 */
export const createBuiltins = (
  parts: BuiltinParts,
): ((line: Pick<BuiltinLine, 'name' | 'args' | 'cwd'>) => Promise<JsonObject>) => {
  const git = createGit(parts.path)
  const stateFolder = parts.stateFolder ?? join(parts.home, '.local', 'state', 'hookgate')
  const inTurn = createMutex()
  let running = 0

  const run = async ({ name, args, cwd }: Pick<BuiltinLine, 'name' | 'args' | 'cwd'>): Promise<string> => {
    const builtin = Object.hasOwn(builtins, name) ? builtins[name] : undefined
    if (builtin === undefined)
      throw new BuiltinError(
        `Expected one of ${Object.keys(builtins).join(', ')}, got "${name.slice(0, 60)}".`,
      )
    const isFolder =
      isAbsolute(cwd) &&
      (await stat(cwd).then(
        (found) => found.isDirectory(),
        () => false,
      ))
    if (!isFolder) throw new BuiltinError(`The folder of the session is missing: ${cwd.slice(0, 200)}.`)
    return builtin({ ...parts, git, args, cwd, stateFolder })
  }

  return async (line): Promise<JsonObject> => {
    if (running >= maxAtOnce) return { error: `${maxAtOnce} builtins run already. Try again.` }
    running++
    try {
      const context = await (writing.has(line.name) ? inTurn(() => run(line)) : run(line))
      return context === '' ? {} : { context: fitting(context) }
    } catch (error) {
      return { error: error instanceof Error ? error.message : 'unknown' }
    } finally {
      running--
    }
  }
}
