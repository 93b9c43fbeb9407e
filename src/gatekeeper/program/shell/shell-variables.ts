import { bounded, marks } from './shell-values.ts'

/** The folders that a script finds in variables. */
export interface ScriptFolders {
  readonly project: string
  readonly origin: string
}

/** The variables of shell text, as far as the text or the gate gives them a value. */
export interface ShellVariables {
  /** What a variable may stand for, read in one of these working folders; undefined where nothing says it. */
  valuesOf(name: string, folders: readonly string[]): readonly string[] | undefined
  /** The text gives it a value itself. Which of several values it has at one place only a run knows: all stay. */
  assign(name: string, values: readonly string[]): void
  isAssigned(name: string): boolean
}

/** Folders that are the hooks' own. */
const ownFolder = /^(?:HOME|TMPDIR|TMP|TEMP|XDG_(?:CACHE|CONFIG|DATA|STATE)_HOME|XDG_RUNTIME_DIR)$/
const projectFolder = /^(?:CLAUDE|COPILOT|GEMINI|CURSOR|FACTORY|KIMI)_PROJECT_DIR$/
const pluginFolder = /^(?:(?:CLAUDE|FACTORY|DROID|CURSOR)_)?PLUGIN_ROOT$/

export const createShellVariables = ({ project, origin }: ScriptFolders): ShellVariables => {
  const assigned = new Map<string, readonly string[]>()
  return {
    valuesOf: (name, folders) => {
      if (name === '0' || name === 'BASH_SOURCE') return [marks.beside]
      if (projectFolder.test(name)) return [project]
      // Where that was too large for a seal, its files are watched, and lie beside the script.
      if (pluginFolder.test(name)) return [marks.beside]
      if (name === 'COPILOT_HOOK_DIR' || name === 'HOOKGATE_HOOK_DIR') return [origin]
      if (name === 'PWD') return folders
      return ownFolder.test(name) ? [marks.own] : assigned.get(name)
    },
    assign: (name, values) => {
      const some = values.filter((value) => value !== '')
      assigned.set(name, bounded([...some, ...(assigned.get(name) ?? [])]))
    },
    isAssigned: (name) => assigned.has(name),
  }
}
