const { closeSync, readdirSync, readFileSync } = process.getBuiltinModule('node:fs')

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

/** O_CLOEXEC of Linux: a program that this process starts does not get the descriptor. */
const closesAtStart = 0o2_000_000

const isPassedOn = (fd: number): boolean => {
  try {
    const [, flags] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1')) ?? []
    return flags !== undefined && (Number.parseInt(flags, 8) & closesAtStart) === 0
  } catch {
    // It was closed meanwhile, as the one by which the folder was read.
    return false
  }
}

/**
 * The descriptors beside 0, 1 and 2 that every started program gets. Node marks its own ones, and of those
 * that it inherited the first, up to a gap. It works on Linux; elsewhere none are found.
 */
export const inherited = (): readonly number[] =>
  process.platform === 'linux'
    ? readdirSync('/proc/self/fd')
        .map(Number)
        .filter((fd) => fd > 2 && isPassedOn(fd))
    : []

/**
 * Closes what this process inherited beside 0, 1 and 2, and takes from others the right to write the files
 * that it makes. Otherwise every program would get what its starter had open, whatever user it runs as. A
 * process calls this before it starts any program.
 */
export const startClean = (): void => {
  const mask = process.umask(0o022)
  // A stricter mask of the starter stays, but none that would take a file from its owner.
  process.umask(0o022 | (mask & 0o077))
  if (inherited().length === 0) return
  // A thread of Node may still read the certificates of the system and of NODE_EXTRA_CA_CERTS. It opens their
  // files as if they were inherited, and would lose what is closed here. This waits until it is done.
  process.getBuiltinModule('node:tls').getCACertificates('default')
  for (const fd of inherited()) closeSync(fd)
}

/**
 * The words before a program that crosses a separation. It starts without a file of its memory after a crash,
 * and its other limits are as high as the machine allows, whatever its starter had lowered.
 */
export const withOwnLimits: readonly string[] = [
  '/bin/sh',
  '-c',
  'ulimit -S -c 0; for of in f t v d; do ulimit -S "-$of" "$(ulimit -H "-$of")"; done; exec "$@"',
  'sh',
]

/**
 * The option of a program that shall not share the gate's session, which has the owner's terminal. It works
 * for every way to start a program, whatever the types of Node say.
 */
export const ownSession = { detached: true } as const
