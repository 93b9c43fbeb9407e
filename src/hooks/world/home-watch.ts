import { statfs } from 'node:fs/promises'
import type { HookWorld } from '../../model/hooks/hook-world.ts'
import { fixed, prose, type Prose } from '../../model/chat/prose.ts'
import type { HookHost } from '../host/host.ts'
import { setAside, type Emptying } from '../host/spawn/hooks-bound.ts'

export interface HomeWatchPorts {
  readonly host: Pick<HookHost, 'measure' | 'empty'>
  readonly world: Pick<HookWorld, 'home' | 'tmp'>
  tell(text: Prose): void
  now(): number
  readonly maxBytes?: number
  /** How many bytes are free where hooks write; undefined: nobody knows. */
  freeBytes?(): Promise<number | undefined>
}

/** What hooks may keep. A cache of uv or npx has room in it, and a disk is not full of it. */
export const maxHomeBytes = 1024 ** 3
/** The disk has so much less than at the last look: somebody writes, and it is looked who. */
const stepBytes = 64 * 1024 * 1024
const lookEveryMs = 5 * 60_000
/** Emptied caches that were not enough, or are full again within this time: all of it goes. */
const sameCauseMs = 60_000
const tellEveryMs = 60 * 60_000

const stopped =
  'What hooks keep in their home and in /tmp had passed its bound, so all hooks were stopped; look for one that writes too much.'

/**
 * Bounds what hooks write. The gate itself never walks what they made: it asks the system how much is free, and the hook
 * host how much they have, as the hooks' user and beside its work. `look` is to be called about each second.
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
  const toldMs = new Map<Emptying, number>()

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
    // The next look is the next second: it says whether that was enough.
    lastLookMs = Number.NEGATIVE_INFINITY
    host.empty(what, stopped)
    if (now() - (toldMs.get(what) ?? Number.NEGATIVE_INFINITY) < tellEveryMs) return
    toldMs.set(what, now())
    const did =
      what === 'caches'
        ? fixed('Their caches were emptied. What else is there goes as well if that is not enough.')
        : prose`All of it was moved to ${setAside} in ${world.home} and in ${world.tmp}, where it stays for a day at least.`
    tell(
      prose`⚠ What hooks keep passed ${Math.round(maxBytes / 1024 ** 2)} MB, so all hooks were stopped. ${did} Look for a hook that writes too much.`,
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
