import { join } from 'node:path'
import { isUnder, realOf } from './paths.ts'

/** The folders of a person's home in which hook systems keep hooks: read, and sealed when an owner approves. */
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
/** The files in which they keep which hooks there are: read for proposals, and never sealed, since tokens can stand in them. */
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
 * What of the person's home the gate reads although the agent does not see that home. The list is short and fixed, and no
 * file of the workspace can make it longer. It is safe, because what is read goes to owners alone: a proposal shows them
 * the hook's own lines of such a file, nothing else of it, and no hook runs before one of them approved it. What is sealed
 * of the folders is what its owner put there to be run.
 */
export const personPlaces = (homes: readonly string[]) => {
  const under =
    (names: readonly string[]) =>
    (real: string): boolean =>
      homes.some((home) => names.some((name) => isUnder(realOf(join(home, name)), real)))
  return { mayBeSealed: under(hookFolders), mayBeRead: under([...hookFolders, ...hookFiles]) }
}
