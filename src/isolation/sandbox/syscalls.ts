/** The numbers of Linux's system calls on one kind of processor, from its `unistd.h`. */
interface Calls {
  /** AUDIT_ARCH of linux/audit.h. */
  readonly arch: number
  /** Calls of another interface of the same processor begin here, and are refused. Absent: there is none. */
  readonly otherFrom?: number
  readonly clone: number
  readonly socket: number
  /**
   * Calls that hide memory where nobody counts it: memfd_create, shmget, msgget, semget, mq_open, keyctl,
   * add_key, request_key.
   */
  readonly hiding: readonly number[]
  /** Calls that make namespaces and mounts: unshare, setns, mount, umount2, pivot_root, chroot. */
  readonly mounting: readonly number[]
  /**
   * Calls that a hook does not need and in which faults of the kernel were often found: ptrace,
   * process_vm_readv, process_vm_writev, bpf, perf_event_open, userfaultfd, kexec_load.
   */
  readonly dangerous: readonly number[]
}

const clone3 = 435
/**
 * These calls have the same number on every processor: io_uring_setup, the newer calls for mounts,
 * pidfd_getfd, which takes files from other processes, and memfd_secret.
 */
const refusedEverywhere = [425, 428, 429, 430, 431, 432, 433, 438, 442, 447]

const processors: Readonly<Record<string, Calls>> = {
  x64: {
    arch: 0xc000_003e,
    otherFrom: 0x4000_0000,
    clone: 56,
    socket: 41,
    hiding: [319, 29, 68, 64, 240, 250, 248, 249],
    mounting: [272, 308, 165, 166, 155, 161],
    dangerous: [101, 310, 311, 321, 298, 323, 246],
  },
  arm64: {
    arch: 0xc000_00b7,
    clone: 220,
    socket: 198,
    hiding: [279, 194, 186, 190, 180, 219, 217, 218],
    mounting: [97, 268, 40, 39, 41, 51],
    dangerous: [117, 270, 271, 280, 241, 282, 104],
  },
}

/**
 * Instructions of linux/bpf_common.h: load a word; jump if it is equal, if it is at least, or if a bit is
 * set; return.
 */
const [load, equal, atLeast, hasBit, end] = [0x20, 0x15, 0x35, 0x45, 0x06]
/** Places in `struct seccomp_data`: the number of the call, the processor, and the first argument. */
const [ofNumber, ofArch, ofFirst] = [0, 4, 16]
const allow = 0x7fff_0000
const kill = 0x8000_0000
/** The call fails with this error. */
const failWith = (errno: number): number => 0x0005_0000 + errno
const [notPermitted, noSuchCall, noSuchFamily] = [1, 38, 97]
const newUserNamespace = 0x1000_0000
/** The families of sockets that stay inside a network namespace: IPv4, IPv6 and netlink. */
const ownFamilies = [2, 10, 16]

/**
 * A filter of system calls for the strictest sandbox, as `bwrap --seccomp` reads it. Undefined: the numbers
 * of this processor are not known here.
 */
export const callFilter = (processor: string): Buffer | undefined => {
  const calls = processors[processor]
  if (calls === undefined) return undefined
  const program: (readonly [code: number, ifTrue: number, ifFalse: number, value: number])[] = []
  const add = (code: number, value: number, ifTrue = 0, ifFalse = 0): void =>
    void program.push([code, ifTrue, ifFalse, value])
  /** Ends the call with this result where the test holds. */
  const where = (code: number, value: number, result: number): void => {
    add(code, value, 0, 1)
    add(end, result)
  }
  add(load, ofArch)
  add(equal, calls.arch, 1, 0)
  add(end, kill)
  add(load, ofNumber)
  if (calls.otherFrom !== undefined) where(atLeast, calls.otherFrom, failWith(noSuchCall))
  for (const number of [...refusedEverywhere, ...calls.hiding, ...calls.mounting, ...calls.dangerous])
    where(equal, number, failWith(notPermitted))
  // A filter cannot read what clone3 is given. Libraries use clone where clone3 is missing.
  where(equal, clone3, failWith(noSuchCall))
  add(equal, calls.clone, 0, 3)
  add(load, ofFirst)
  where(hasBit, newUserNamespace, failWith(notPermitted))
  add(load, ofNumber)
  add(equal, calls.socket, 1, 0)
  add(end, allow)
  add(load, ofFirst)
  for (const family of ownFamilies) where(equal, family, allow)
  add(end, failWith(noSuchFamily))

  const bytes = Buffer.alloc(program.length * 8)
  for (const [at, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8)
    bytes.writeUInt8(ifTrue, at * 8 + 2)
    bytes.writeUInt8(ifFalse, at * 8 + 3)
    bytes.writeUInt32LE(value, at * 8 + 4)
  }
  return bytes
}
