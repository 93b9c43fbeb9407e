/**
 * Kills every process of the group that `pid` leads or led. A group without members is no error, and neither
 * is a program that never started and so has no pid.
 */
export const killGroup = (pid: number | undefined): void => {
  // 0 would mean this process's own group, and 1 every process.
  if (pid === undefined || !Number.isSafeInteger(pid) || pid < 2) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group is empty, or this process may not kill its members.
  }
}
