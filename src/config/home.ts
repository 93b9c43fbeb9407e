import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

export type Env = Readonly<Record<string, string | undefined>>

/**
 * The bridge and `loadConfig` read these values of the environment. This file imports nothing else of
 * hookgate: a foreign agent starts the bridge for each of its steps and waits for it, so the bridge must
 * start fast.
 */

/**
 * Returns the gate's folder. An empty variable counts as not set. Otherwise hookgate would use its working
 * directory as the gate's folder.
 */
export const homeOf = (env: Env): string => resolve(env['HOOKGATE_HOME'] || join(homedir(), '.hookgate'))

/**
 * Returns the events that led to this process, when a hook started it: `event:event_id`, the oldest first.
 */
export const chainOf = (env: Env): readonly string[] =>
  (env['HOOKGATE_CHAIN'] ?? '').split(',').filter((link) => link !== '')
