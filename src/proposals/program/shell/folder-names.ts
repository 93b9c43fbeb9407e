import fs from 'node:fs'
import path from 'node:path'

/** The folders that a command's text can name without writing their paths. */
export interface NamedFolders {
  /** The project's folder, which is the workspace. */
  readonly project: string
  /** The home of the person who started hookgate. */
  readonly home?: string
  /** The folder that the hook system gave to the hook, such as a plugin's folder. */
  readonly root?: string
  /** The folder of the file that proposes the hook. */
  readonly origin?: string
  /** The top folder of the repository that the hook runs in. */
  readonly top?: string
}

type FolderName = keyof NamedFolders | 'cwd'

/** The placeholder of each folder in a text. No person uses these characters in file names. */
const placeholders = {
  project: '\uE000',
  home: '\uE001',
  root: '\uE002',
  origin: '\uE003',
  top: '\uE004',
  cwd: '\uE005',
} as const satisfies Readonly<Record<FolderName, string>>
const kindOf = new Map<string, FolderName>(
  Object.entries(placeholders).map(([kind, placeholder]) => [placeholder, kind as FolderName]),
)
/** All placeholders, for a character class in a pattern. */
export const placeholderClass = Object.values(placeholders).join('')
const placeholderPattern = new RegExp(`[${placeholderClass}]`)
const placeholder = new RegExp(placeholderPattern, 'g')

/** The folder that a variable of a hook system names. */
const variableKind = (name: string): FolderName | undefined => {
  if (/^(?:CLAUDE|COPILOT|GEMINI|CURSOR|FACTORY|KIMI)_PROJECT_DIR$/.test(name)) return 'project'
  if (/^(?:(?:CLAUDE|FACTORY|DROID|CURSOR)_)?PLUGIN_ROOT$/.test(name)) return 'root'
  if (name === 'COPILOT_HOOK_DIR' || name === 'HOOKGATE_HOOK_DIR') return 'origin'
  return name === 'HOME' ? 'home' : name === 'PWD' ? 'cwd' : undefined
}

/**
 * Matches an expression for a folder: a variable of this shell or of one that it starts, a command
 * substitution with git or pwd, or a tilde that a shell would expand.
 */
const expression =
  /\\?\$(\w{1,60})|\\?\$\{(\w{1,60})(?::?-[^}]{0,200})?\}|\$\(\s{0,9}(git\s+rev-parse\s+--show-toplevel|pwd)\b[^()`]{0,200}\)|`\s{0,9}(git\s+rev-parse\s+--show-toplevel|pwd)\b[^()`]{0,200}`|(?<=^|[\s=:;&|(`])(~)(?=\/)/g

export interface TextWithPlaceholders {
  /** The text with one placeholder for each expression of a folder. */
  readonly replaced: string
  /**
   * The index in the original text of a character of `put`. The length of the text for an index after the
   * last one.
   */
  at(index: number): number
  /** Replaces the placeholders in a name by the folders' paths. */
  path(name: string): string
}

/**
 * Replaces each expression of a folder by its placeholder, in linear time. `env` holds the variables that the
 * hook sets itself.
 */
export const withPlaceholders = (
  text: string,
  folders: NamedFolders,
  env: Readonly<Record<string, string>>,
): TextWithPlaceholders => {
  const parts: { readonly begins: number; readonly start: number; readonly isWhole: boolean }[] = []
  let replaced = ''
  let from = 0
  const add = (part: string, start: number, isWhole: boolean): void => {
    parts.push({ begins: replaced.length, start, isWhole })
    replaced += part
  }
  const at = (index: number): number => {
    const part = index >= replaced.length ? undefined : parts.findLast(({ begins }) => begins <= index)
    return part === undefined ? text.length : part.isWhole ? part.start : part.start + index - part.begins
  }
  for (const match of text.matchAll(expression)) {
    const [whole, plain, braced, asked, ticked, tilde] = match
    const question = asked ?? ticked
    const variable = plain ?? braced
    const kind: FolderName | undefined =
      tilde === undefined
        ? question === undefined
          ? variableKind(variable ?? '')
          : question === 'pwd'
            ? 'cwd'
            : 'top'
        : 'home'
    if (kind === undefined || (kind !== 'cwd' && folders[kind] === undefined)) continue
    const own = variable === undefined ? undefined : env[variable]
    add(text.slice(from, match.index), from, false)
    add(own ?? placeholders[kind], match.index, true)
    from = match.index + whole.length
  }
  add(text.slice(from), from, false)
  const pathOf = (kind: FolderName): string => (kind === 'cwd' ? '.' : (folders[kind] ?? ''))
  // Most texts have no placeholder, and they can be long with many words.
  const hasPlaceholders = placeholderPattern.test(replaced)
  return {
    replaced,
    at,
    path: (name) =>
      hasPlaceholders ? name.replaceAll(placeholder, (char) => pathOf(kindOf.get(char) ?? 'cwd')) : name,
  }
}

/** The top folder of the repository that a folder lies in. */
export const topOf = (folder: string): string | undefined => {
  for (let at = folder; ; at = path.dirname(at)) {
    if (fs.existsSync(path.join(at, '.git'))) return at
    if (at === path.dirname(at)) return undefined
  }
}
