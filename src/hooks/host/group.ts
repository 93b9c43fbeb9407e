import { spawn } from 'node:child_process'

export interface User {
  readonly uid: number
  readonly gid: number
}

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
 * Kills groups as the hooks' user. The numbers come from that user's process, which a hook may have taken over:
 * with the gate's own rights they could name anything on the machine.
 */
export const killGroupsAs = (user: User | undefined, pids: readonly number[]): void => {
  const groups = pids.filter((pid) => Number.isSafeInteger(pid) && pid > 1)
  if (user === undefined) {
    for (const pid of groups) killGroup(pid)
    return
  }
  if (groups.length === 0) return
  try {
    spawn('/bin/sh', ['-c', killScript, 'sh', ...groups.map(String)], { ...user, env: {}, cwd: '/', stdio: 'ignore' })
      // A machine that cannot start a shell has worse troubles; the hooks still lose their pipes.
      .on('error', () => undefined)
  } catch {
    // The right to change users is gone; then no host can be started either, and that is told.
  }
}
