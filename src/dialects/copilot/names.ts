import type { NativeEvent } from '../../shared/hooks/dialect.ts'

/** Copilot's events have a name in camelCase, one in PascalCase, and in files of VS Code a third form. */
type Named = Pick<NativeEvent, 'name'>

/** The names of today where they are not only written otherwise. */
const others: Readonly<Record<string, string>> = {
  UserPromptSubmit: 'userPromptSubmitted',
  Stop: 'agentStop',
}

/** The prefix of events of VS Code files. Without it their names would not show the form of the payload. */
export const vsCodePrefix = 'vscode:'
export const isVsCode = ({ name }: Named): boolean => name.startsWith(vsCodePrefix)

/** Returns the camelCase name of an event, for each of its names. */
export const plainName = ({ name }: Named): string => {
  const own = isVsCode({ name }) ? name.slice(vsCodePrefix.length) : name
  return Object.hasOwn(others, own) ? (others[own] ?? own) : own.charAt(0).toLowerCase() + own.slice(1)
}

/**
 * Returns whether an event has its PascalCase name. Its payload then uses snake_case and Claude Code's tool
 * names.
 */
export const isPascal = ({ name }: Named): boolean => /^[A-Z]/.test(name)

/** Returns whose names of tools the payload of an event uses. */
export const speakerAt = (native: Named): 'copilot' | 'claude-code' | 'vs-code' =>
  isVsCode(native) ? 'vs-code' : isPascal(native) ? 'claude-code' : 'copilot'
