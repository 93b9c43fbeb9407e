import { join } from 'node:path'
import { isUnder, realOf } from './paths.ts'

/**
 * The folders of a person's home in which hook systems keep hooks. They are read, and sealed when an owner
 * approves.
 */
const hookFolders = [
  '.claude/hooks',
  '.claude/plugins',
  '.codex/hooks',
  '.copilot/hooks',
  '.cursor/hooks',
  '.factory/hooks',
  '.factory/plugins',
  '.gemini/hooks',
  '.gemini/extensions',
  '.kimi/hooks',
  '.kimi-code/hooks',
]
/**
 * The files in which hook systems list their hooks. They are read for proposals, and never sealed, because
 * they can hold tokens.
 */
const hookFiles = [
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.codex/hooks.json',
  '.cursor/hooks.json',
  '.factory/hooks.json',
  '.factory/settings.json',
  '.gemini/settings.json',
  '.kimi/config.toml',
  '.kimi-code/config.toml',
]

/**
 * Returns which paths of the person's home the gate reads although the agent does not see that home. The list
 * is short and fixed, and no file of the workspace can extend it. This is safe, because only owners see what
 * is read: a proposal shows them the hook's own lines of such a file and nothing else, and no hook runs
 * before an owner approved it. Only files that their owner put there to be run are sealed.
 */
export const personPlaces = (homes: readonly string[]) => {
  const under =
    (names: readonly string[]) =>
    (real: string): boolean =>
      homes.some((home) => names.some((name) => isUnder(realOf(join(home, name)), real)))
  return { mayBeSealed: under(hookFolders), mayBeRead: under([...hookFolders, ...hookFiles]) }
}
