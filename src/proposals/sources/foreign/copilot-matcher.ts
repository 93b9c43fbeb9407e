import type { NativeEvent } from '../../../shared/hooks/dialect.ts'
import type { Matcher } from '../../../core/model/hooks/entry.ts'
import { compilePattern } from '../../../core/model/base/pattern.ts'
import { namesIn, searched, whole } from './foreign.ts'

type Names = Readonly<Record<string, readonly string[]>>

/**
 * Maps the tool names in matchers of PascalCase events to Copilot's own names, on which matchers are tried
 * here.
 */
const claudeNames: Names = {
  Bash: ['bash', 'powershell'],
  Read: ['view'],
  Write: ['create'],
  Edit: ['edit', 'str_replace_editor', 'apply_patch'],
  Grep: ['grep', 'rg'],
  Glob: ['glob'],
  WebFetch: ['web_fetch'],
  WebSearch: ['web_search'],
  AskUserQuestion: ['ask_user'],
  TodoWrite: ['update_todo'],
  Agent: ['task'],
  Task: ['task'],
}

/** Maps Copilot's reason for a compaction to the gate's more detailed reasons. */
const triggers: Names = { auto: ['overflow', 'tool_overflow'] }

interface TranslatedMatcher {
  readonly pattern?: string
  readonly remark?: string
}

/** Extends the pattern to match Copilot's own names for the names that it matches. */
const translated = (text: string, names: Names): TranslatedMatcher => {
  const compiled = compilePattern(whole([text]))
  if ('wrong' in compiled) return { pattern: whole([text]) }
  // Only the linear engine runs in bounded time.
  if (compiled.kind === 'backtracking')
    return {
      remark:
        'Its matcher cannot be translated to the names that are used here, so the hook is asked each time.',
    }
  const others = Object.entries(names).flatMap(([name, here]) => (compiled.test(name) ? here : []))
  return { pattern: whole([text, ...new Set(others)]) }
}

const patternOf = (text: string, { name, matches }: NativeEvent): TranslatedMatcher => {
  if (matches === 'source') return translated(text, triggers)
  if (matches !== 'tool_name' || !/^[A-Z]/.test(name)) return { pattern: whole([text]) }
  const names = namesIn(text, claudeNames)
  if (names === undefined) return translated(text, claudeNames)
  return names.length === 0 ? {} : { pattern: whole(names) }
}

/**
 * Reads Copilot's matcher, which has to match the whole name. A PascalCase event also takes a list of names
 * in Claude Code's form.
 */
export const copilotMatcher = (
  text: string | undefined,
  native: NativeEvent | undefined,
): { readonly matcher?: Matcher; readonly remarks: readonly string[] } => {
  if (text === undefined || native === undefined || ['', '*', '**'].includes(text.trim()))
    return { remarks: [] }
  const { pattern, remark } = patternOf(text, native)
  return { matcher: searched(native, pattern), remarks: remark === undefined ? [] : [remark] }
}
