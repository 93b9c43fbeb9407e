import { statfs } from 'node:fs/promises'
import type { HookWorld } from '../../shared/hooks/hook-world.ts'
import { fixed, prose, type Prose } from '../../core/model/chat/prose.ts'
import type { HookHost } from '../host/host.ts'
import { setAside, type RemovedFiles } from '../host/spawn/hooks-bound.ts'

export interface HomeWatchPorts {
  readonly host: Pick<HookHost, 'measure' | 'empty'>
  readonly world: Pick<HookWorld, 'home' | 'tmp'>
  tell(text: Prose): void
  now(): number
  readonly maxBytes?: number
  /** The free bytes on the disk where hooks write; undefined when unknown. */
  freeBytes?(): Promise<number | undefined>
}

/** The most that hooks may store, in bytes. A cache of uv or npx fits, and it does not fill a disk. */
export const maxHomeBytes = 1024 ** 3
/** When the free space shrank by this much since the last look, the hooks' folders are measured. */
const stepBytes = 64 * 1024 * 1024
const lookEveryMs = 5 * 60_000
/** When the bound is passed again within this time after the caches were emptied, everything is removed. */
const sameCauseMs = 60_000
const tellEveryMs = 60 * 60_000

const stopped =
  'The files of hooks in their home and in /tmp passed the size limit, so all hooks were stopped; look for a hook that writes too much.'

/**
 * Bounds the size of the files that hooks write. The gate never walks these files. It asks the system for the
 * free space, and the hook host, which runs as the hooks' user, for the size. Call `look` about once per
 * second.
 */
export const createHomeWatch = ({
  host,
  world,
  tell,
  now,
  maxBytes = maxHomeBytes,
  ...ports
}: HomeWatchPorts): { look(): Promise<void> } => {
  const free =
    ports.freeBytes ??
    (() =>
      statfs(world.home).then(
        ({ bavail, bsize }) => bavail * bsize,
        () => undefined,
      ))
  let isLooking = false
  let lastLookMs = Number.NEGATIVE_INFINITY
  let lastFree: number | undefined
  let lastEmptiedMs = Number.NEGATIVE_INFINITY
  const toldMs = new Map<RemovedFiles, number>()

  const isTime = async (): Promise<boolean> => {
    const left = await free()
    if (lastFree === undefined || (left !== undefined && left > lastFree)) lastFree = left
    const isLess = left !== undefined && lastFree !== undefined && lastFree - left >= stepBytes
    if (!isLess && now() - lastLookMs < lookEveryMs) return false
    lastFree = left
    return true
  }

  const empty = (): void => {
    const what = now() - lastEmptiedMs < sameCauseMs ? 'all' : 'caches'
    lastEmptiedMs = now()
    // The next look comes in the next second and shows whether that was enough.
    lastLookMs = Number.NEGATIVE_INFINITY
    host.empty(what, stopped)
    if (now() - (toldMs.get(what) ?? Number.NEGATIVE_INFINITY) < tellEveryMs) return
    toldMs.set(what, now())
    const did =
      what === 'caches'
        ? fixed(
            'Their caches were emptied. If that is not enough, their other files will be moved away as well.',
          )
        : prose`All files were moved to ${setAside} in ${world.home} and in ${world.tmp}, where they stay for at least a day.`
    tell(
      prose`⚠ The files of hooks passed ${Math.round(maxBytes / 1024 ** 2)} MB, so all hooks were stopped. ${did} Look for a hook that writes too much.`,
    )
  }

  return {
    look: async () => {
      if (isLooking) return
      isLooking = true
      try {
        if (!(await isTime())) return
        lastLookMs = now()
        const bytes = await host.measure()
        if (bytes === undefined) lastLookMs = Number.NEGATIVE_INFINITY
        else if (bytes > maxBytes) empty()
      } finally {
        isLooking = false
      }
    },
  }
}
