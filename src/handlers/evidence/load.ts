import { readdir, readFile } from 'node:fs/promises'

/** The memory that all processes of a sandbox may use together, in kibibytes. */
export const maxMemoryKib = 1024 * 1024
/** A sandbox may leave the machine with so little memory, in kibibytes. */
const leastFreeKib = 256 * 1024
/** A sandbox cannot have more processes than this. More are not counted. */
const maxCounted = 512

const text = (path: string): Promise<string> => readFile(path, 'latin1').catch(() => '')

const kibOf = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0)

const childrenOf = async (pid: number): Promise<readonly number[]> => {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(threads.map((thread) => text(`/proc/${pid}/task/${thread}/children`)))
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
}

/** The memory of a process and of all below it, in kibibytes. Those that ended meanwhile count nothing. */
export const memoryBelow = async (pid: number): Promise<number> => {
  let sum = 0
  let counted = 0
  const next = [pid]
  for (let one = next.pop(); one !== undefined && counted < maxCounted; one = next.pop()) {
    counted += 1
    sum += kibOf(await text(`/proc/${one}/status`), 'VmRSS')
    next.push(...(await childrenOf(one)))
  }
  return sum
}

/** Why what runs below this process has to end now. Undefined: it need not. */
export const overload = async (pid: number): Promise<'memory' | 'machine' | undefined> => {
  if ((await memoryBelow(pid)) > maxMemoryKib) return 'memory'
  const free = kibOf(await text('/proc/meminfo'), 'MemAvailable')
  return free > 0 && free < leastFreeKib ? 'machine' : undefined
}
