import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'

/** About half a second in total: a busy machine may stop that child for so long. */
const waitsMs = [5, 10, 20, 40, 80, 120, 200]
const never = new Int32Array(new SharedArrayBuffer(4))

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ETXTBSY'

/**
 * Starts a program. A file that was just written may still be open in a child that another thread forked at
 * that moment, until that child has executed its own program. The system refuses to start such a file
 * (ETXTBSY), so the start is tried again.
 */
export const spawnPatiently = (
  program: string,
  args: readonly string[],
  options: SpawnOptions,
): ChildProcess => {
  for (const waitMs of waitsMs) {
    try {
      return spawn(program, args, options)
    } catch (error) {
      if (!isBusy(error)) throw error
      Atomics.wait(never, 0, 0, waitMs)
    }
  }
  return spawn(program, args, options)
}
