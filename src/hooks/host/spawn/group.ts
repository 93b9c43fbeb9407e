import { spawnSync } from 'node:child_process'
import { listPids, readRow, readVariable } from './process-table.ts'

export interface User {
  readonly uid: number
  readonly gid: number
  /** The words before a program's own that take from it what that user must not keep. */
  readonly prefix?: readonly string[]
}

/** The environment variable that marks what one hook host started, so that it is found when that host died. */
export const markName = 'HOOKGATE_RUN'

/** Kills every process of the group that `pid` leads or led. A group without members is no error. */
export const killGroup = (pid: number): void => {
  // 0 and 1 would mean this process's own group and every process there is.
  if (!Number.isSafeInteger(pid) || pid < 2) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody is left in it, or nobody that this process may kill.
  }
}

const killScript = 'for pid; do kill -s KILL -- "-$pid"; done 2>/dev/null'

/**
 * Kills groups as the hooks' user. The numbers come from that user's processes, which a hook may have taken over:
 * with the gate's own rights they could name anything on the machine.
 */
const killGroupsAs = (user: User | undefined, pids: readonly number[]): void => {
  const groups = pids.filter((pid) => Number.isSafeInteger(pid) && pid > 1)
  if (user === undefined) for (const pid of groups) killGroup(pid)
  else if (groups.length > 0) {
    try {
      spawnSync('/bin/sh', ['-c', killScript, 'sh', ...groups.map(String)], {
        ...user,
        env: {},
        cwd: '/',
        stdio: 'ignore',
        timeout: 1000,
      })
    } catch {
      // The right to change users is gone; then no host can be started either, and that is told.
    }
  }
}

/** The process groups of all processes that bear the mark, or one that begins with it. Linux only. */
const groupsMarked = (mark: string): readonly number[] => {
  const isOf = (value: string | undefined): boolean =>
    value === mark || value?.startsWith(`${mark}.`) === true
  const marked = listPids().filter((pid) => pid !== process.pid && isOf(readVariable(pid, markName)))
  return [...new Set(marked.flatMap((pid) => readRow(pid)?.group ?? []))]
}

/**
 * Kills what a hook host left behind: the groups it reported, and whatever bears its mark. The mark finds a hook that
 * had begun before its report left, and one that changed its group.
 */
export const killRemains = (user: User | undefined, pids: readonly number[], mark: string): void => {
  killGroupsAs(user, pids)
  // A second look for what was born during the first; a third in vain would mean that the killing does not work.
  for (let look = 0; look < 3; look++) {
    const groups = groupsMarked(mark)
    if (groups.length === 0) return
    killGroupsAs(user, groups)
  }
}
