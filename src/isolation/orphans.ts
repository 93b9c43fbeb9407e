import { createHash } from 'node:crypto'
import type { StartAs } from '../model/gate/separation.ts'
import { runScript } from './run-script.ts'

/** The variable by which everything that hookgate starts is found when its gate is gone. */
export const markName = 'HOOKGATE_RUN'

/** The same for every run of the gate on one folder. */
export const markOf = (home: string): string =>
  `${createHash('sha256').update(home).digest('hex').slice(0, 16)}.`

/** Twice: what was born while the first look went on. */
const script =
  'me=$$; for look in 1 2; do for f in $(grep -lsF "$1" /proc/[0-9]*/environ); do p=${f#/proc/}; p=${p%/environ}; [ "$p" = "$me" ] || kill -9 "$p"; done; done 2>/dev/null; exit 0'

/**
 * Kills what a dead gate of this folder left behind, with the rights of those who run it: whoever else wears the mark
 * harms only itself. Linux only: elsewhere nothing is found.
 */
export const reapOrphans = (home: string, who: readonly StartAs[]): void => {
  for (const startAs of who) runScript(startAs, script, [`${markName}=${markOf(home)}`])
}
