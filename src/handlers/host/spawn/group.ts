import { spawnSync } from 'node:child_process'
import { killGroup, ownSession } from '../../../shared/base/process-group.ts'
import { listPids, readRow, readVariable } from './process-table.ts'

export interface User {
  readonly uid: number
  readonly gid: number
  /** The command before a program's own that removes the rights which that user must not keep. */
  readonly prefix?: readonly string[]
}

/**
 * The environment variable that marks every process of one hook host, so that they are found after that host
 * died.
 */
export const markName = 'HOOKGATE_RUN'

const killScript = 'for pid; do kill -s KILL -- "-$pid"; done 2>/dev/null'

/**
 * Kills groups as the hooks' user. The numbers come from that user's processes, which a hook may have taken
 * over: with the gate's own rights they could name any process on the machine.
 */
const killGroupsAs = (user: User | undefined, pids: readonly number[]): void => {
  const groups = pids.filter((pid) => Number.isSafeInteger(pid) && pid > 1)
  if (user === undefined) for (const pid of groups) killGroup(pid)
  else if (groups.length > 0) {
    try {
      spawnSync('/bin/sh', ['-c', killScript, 'sh', ...groups.map(String)], {
        ...user,
        ...ownSession,
        env: {},
        cwd: '/',
        stdio: 'ignore',
        timeout: 1000,
      })
    } catch {
      // The right to change users is missing. Then no host can start either, and that is reported.
    }
  }
}

/** The process groups of all processes whose mark is this one or begins with it. Linux only. */
const groupsMarked = (mark: string): readonly number[] => {
  const isOf = (value: string | undefined): boolean =>
    value === mark || value?.startsWith(`${mark}.`) === true
  const marked = listPids().filter((pid) => pid !== process.pid && isOf(readVariable(pid, markName)))
  return [...new Set(marked.flatMap((pid) => readRow(pid)?.group ?? []))]
}

/**
 * Kills the processes that a hook host left behind: the groups that it reported and every process with its
 * mark. The mark finds a hook that started before its report was sent, and one that changed its group.
 */
export const killRemains = (user: User | undefined, pids: readonly number[], mark: string): void => {
  killGroupsAs(user, pids)
  // The second pass finds processes that were started during the first. When the third still finds some,
  // killing does not work.
  for (let look = 0; look < 3; look++) {
    const groups = groupsMarked(mark)
    if (groups.length === 0) return
    killGroupsAs(user, groups)
  }
}
