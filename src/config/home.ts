import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

/**
 * What the bridge reads of the environment; `loadConfig` reads the same here. It stands by itself, since a foreign agent
 * starts the bridge for each of its steps and waits for it: it cannot afford what reads the rest.
 */

/** The gate's folder. Set to nothing is not set: else an empty variable would make the folder that hookgate was started in its own. */
export const homeOf = (env: Env): string => resolve(env['HOOKGATE_HOME'] || join(homedir(), '.hookgate'))

/** The events that led here, when a hook runs us: `event:event_id`, the oldest first. */
export const chainOf = (env: Env): readonly string[] =>
  (env['HOOKGATE_CHAIN'] ?? '').split(',').filter((link) => link !== '')
