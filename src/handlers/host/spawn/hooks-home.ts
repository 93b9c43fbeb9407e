import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Folders that real hooks write to without creating them, because at home the agent or the person has created
 * them. Source: a search for `>> ~/…` in public repositories.
 */
const folders = [
  ...['.claude', '.codex', '.copilot', '.cursor', '.factory', '.gemini', '.kimi'].flatMap((system) => [
    system,
    `${system}/hooks`,
    `${system}/logs`,
  ]),
  '.claude/state',
  '.cache',
  '.config',
  '.local/bin',
  '.local/share',
  '.local/state',
  'logs',
]

/**
 * Creates the folder that a plugin is promised for its own data, before its hook runs. `env` is the hook's
 * whole environment.
 */
export const makePluginData = ({
  HOME: home,
  CLAUDE_PLUGIN_DATA: folder,
}: Readonly<Record<string, string>>): void => {
  if (home === undefined || folder === undefined || !folder.startsWith(`${home}/`)) return
  try {
    mkdirSync(folder, { recursive: true })
  } catch {
    // The hook gets the system's error when it writes there.
  }
}

/**
 * Creates the folders that hooks expect in their HOME, with the hooks' own rights, because a hook may have
 * put links there.
 */
export const makeHome = (home: string | undefined): void => {
  if (home === undefined) return
  for (const folder of folders) {
    try {
      mkdirSync(join(home, folder), { recursive: true })
    } catch {
      // A hook put something else there, or the disk is full. A hook that writes there gets the system's
      // error.
    }
  }
}
