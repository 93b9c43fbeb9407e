import { createHash } from 'node:crypto'
import type { StartAs } from '../shared/gate/separation.ts'
import { startScript } from './run-script.ts'

/** By this variable the next gate finds the processes that a dead gate left behind. */
export const markName = 'HOOKGATE_RUN'

/** Returns the mark of a gate's folder. It is the same for every run. */
export const markOf = (home: string): string =>
  `${createHash('sha256').update(home).digest('hex').slice(0, 16)}.`

/** The script looks twice, to find processes that were started during the first look. */
const script =
  'me=$$; for look in 1 2; do for f in $(grep -lsF "$1" /proc/[0-9]*/environ); do p=${f#/proc/}; p=${p%/environ}; [ "$p" = "$me" ] || kill -9 "$p"; done; done 2>/dev/null; exit 0'

/**
 * Kills the processes that a dead gate of this folder left behind. It has only the rights of the users who
 * run them, so a program that sets the mark harms only itself. It works on Linux only; elsewhere it finds
 * nothing.
 */
export const reapOrphans = async (home: string, who: readonly StartAs[]): Promise<void> => {
  await Promise.all(who.map((startAs) => startScript(startAs, script, [`${markName}=${markOf(home)}`])))
}
