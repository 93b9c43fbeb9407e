import { bounded, marks } from './shell-values.ts'

/** The folders that variables of a script name. */
export interface ScriptFolders {
  readonly project: string
  readonly origin: string
}

/** The variables of shell text whose values come from the text or the gate. */
export interface ShellVariables {
  /**
   * The possible values of a variable, read in one of these working folders. Undefined when nothing sets it.
   */
  valuesOf(name: string, folders: readonly string[]): readonly string[] | undefined
  /**
   * Adds values that the text assigns. All values stay, because only a run knows which one a variable has at
   * a given point.
   */
  assign(name: string, values: readonly string[]): void
  isAssigned(name: string): boolean
}

/** Variables that name the hooks' own folders. */
const ownFolder = /^(?:HOME|TMPDIR|TMP|TEMP|XDG_(?:CACHE|CONFIG|DATA|STATE)_HOME|XDG_RUNTIME_DIR)$/
const projectFolder = /^(?:CLAUDE|COPILOT|GEMINI|CURSOR|FACTORY|KIMI)_PROJECT_DIR$/
const pluginFolder = /^(?:(?:CLAUDE|FACTORY|DROID|CURSOR)_)?PLUGIN_ROOT$/

export const createShellVariables = ({ project, origin }: ScriptFolders): ShellVariables => {
  const assigned = new Map<string, readonly string[]>()
  return {
    valuesOf: (name, folders) => {
      if (name === '0' || name === 'BASH_SOURCE') return [marks.beside]
      if (projectFolder.test(name)) return [project]
      // When that folder was too large for a seal, its files are watched and lie in the script's folder.
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
