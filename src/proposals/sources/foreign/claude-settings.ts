import { quote } from 'shlex'
import type { ForeignDialect, Shell } from '../../../core/model/hooks/dialect.ts'
import type { NativeEvent } from '../../../shared/hooks/dialect.ts'
import type { Matcher } from '../../../core/model/hooks/entry.ts'
import type { ProposedHook } from '../../../shared/gate/catalogue.ts'
import { isObject, type Json, type JsonObject } from '../../../core/model/base/json.ts'
import { got, type Problem } from '../../../core/model/gate/problem.ts'
import {
  invalid,
  namesIn,
  nativeIn,
  promptTimeoutMs,
  proposeForeign,
  readHook,
  searched,
  unmapped,
  whole,
  type ForeignHook,
  type ForeignPorts,
  type HookForm,
  type HookPlace,
  type ReadForeign,
  type Subject,
  type UnreadHook,
} from './foreign.ts'
import { headersOf } from './foreign-headers.ts'
import { compilePattern } from '../../../core/model/base/pattern.ts'
import { readJson } from '../json.ts'
import type { HookOptions } from '../options.ts'
import { maxForeignHooks, type Source, tooMany, unreadable, wrongFile } from '../source.ts'
import type { DocumentPath, ReadDocument } from '../yaml.ts'

const maxChars = 1024 * 1024

/** Claude Code has renamed this tool. A matcher with one of the names means the tool. */
const otherNames = { Agent: ['Task'], Task: ['Agent'] }

/** A pattern of plain characters is a list of whole names. Any other pattern is searched in the name. */
const patternOf = (text: string): string => {
  const names = namesIn(text, otherNames)
  return names === undefined ? text : whole(names)
}

/** True when a pattern finds one of the names. One that needs unbounded time counts as if it did. */
const finds = (pattern: string, names: readonly string[]): boolean => {
  const compiled = compilePattern(pattern)
  return (
    !('wrong' in compiled) && (compiled.kind === 'backtracking' || names.some((one) => compiled.test(one)))
  )
}

/** Codex tries a matcher on three names of its tool for files. Its hooks get this one of them here. */
const patchTool = 'apply_patch'
const withPatch = (pattern: string): string => {
  if (!finds(pattern, ['Write', 'Edit'])) return pattern
  // Behind the pattern this could become a part of its quoted text, and before it hide its flags.
  const both = `^${patchTool}$|${pattern}`
  return 'wrong' in compilePattern(both) ? `${pattern}|^${patchTool}$` : both
}

const patchRemark =
  'A write is told as a patch that adds the whole file, new or not, and an edit as a patch of exactly the text that it names. ' +
  'In Codex a patch has whole lines, with lines around them, and updates a file that is there.'

const matcherOf = (
  native: NativeEvent | undefined,
  text: string | undefined,
  { dialect, isSearched }: ClaudeLikeSystem,
): Matcher | undefined => {
  const pattern = text === undefined || isSearched === true ? text : patternOf(text)
  const matcher = searched(native, pattern)
  return dialect === 'codex' && matcher?.tool !== undefined ? { tool: withPatch(matcher.tool) } : matcher
}

/** A system whose files have Claude Code's form. */
interface ClaudeLikeSystem {
  readonly dialect: ForeignDialect
  /** True when its matchers are searched in a name. Claude Code takes plain ones as whole names. */
  readonly isSearched?: true
  /** True when its timeouts are in milliseconds. Otherwise they are in seconds. */
  readonly isInMs?: true
}

/**
 * Fills the folders into an argument that no shell reads. The project's folder is ".", because hooks run
 * there.
 */
const wordOf = (word: string, root: string | undefined): string => {
  const placed = word.replaceAll(/\$\{CLAUDE_PROJECT_DIR\}|\$CLAUDE_PROJECT_DIR\b/g, '.')
  return root === undefined
    ? placed
    : placed.replaceAll(/\$\{CLAUDE_PLUGIN_ROOT\}|\$CLAUDE_PLUGIN_ROOT\b/g, root)
}

/** Reads the target of the handler, or the reason why it cannot run here. */
const subjectOf = (options: HookOptions, dialectShell: Shell, root: string | undefined): Subject => {
  const type = options.oneOf('type', ['command', 'http', 'prompt', 'agent', 'mcp_tool'])
  const [command = '', args] = [options.text('command'), options.texts('args')]
  const { shell, url = '', prompt = '', model } = options.words('shell', 'url', 'prompt', 'model')
  const { headers, remarks } = headersOf(options)
  const isContinuing = options.flag('continueOnBlock')
  switch (type) {
    case undefined:
      return { why: 'it has no "type" (command, http or prompt)' }
    case 'command':
      if (shell !== undefined && shell !== 'bash')
        return { why: `its shell ${got(shell)} is not supported here, only bash is` }
      if (args === undefined) return { type, command, shell: shell ?? dialectShell }
      return {
        type,
        command: command === '' ? '' : quote(wordOf(command, root)),
        args: args.map((word) => wordOf(word, root)),
      }
    case 'http':
      return { type, command: url, headers, remarks }
    case 'prompt':
      return {
        type: 'llm',
        command: prompt,
        timeoutMs: promptTimeoutMs,
        model,
        remarks: [
          !isContinuing &&
            'When it refuses, the agent gets the reason and continues. In Claude Code the turn may end.',
        ],
      }
    case 'agent':
      return { why: 'a hook of type agent needs an agent of its own, which hookgate does not start' }
    case 'mcp_tool':
      return {
        why: 'a hook of type mcp_tool needs a connection to its MCP server, which the gate does not have',
      }
  }
}

/** A file with hooks in Claude Code's form. */
interface ClaudeFile {
  /** The path of the file that proposes the hooks. */
  readonly place: string
  readonly document: ReadDocument
  /** The path in the document to the hooks of each event. */
  readonly path: DocumentPath
  /** The folder of the plugin, when the hooks belong to one. */
  readonly root?: string
  readonly alike: ClaudeLikeSystem
}

const form: HookForm = {
  shown: ['command', 'url', 'prompt', 'type'],
  expected: 'a hook with type and command',
}

const hookOf = (
  handler: Json,
  at: HookPlace,
  matcher: Json,
  { root, alike }: ClaudeFile,
  ports: ForeignPorts,
): ForeignHook | ProposedHook =>
  readHook(handler, at, form, (options) => {
    const { dialect, isInMs } = alike
    const subject = subjectOf(options, ports.dialects[dialect].shell, root)
    const [timeoutMs, onFailure, condition] = [
      isInMs === true ? options.number('timeout') : options.seconds('timeout'),
      options.oneOf('onFailure', ['block', 'continue']),
      options.text('if'),
    ]
    const [isAsync, isRewaking, isOnce] = ['async', 'asyncRewake', 'once'].map(options.flag)
    const [name, env] = [options.text('name'), options.record('env')]
    options.skip('statusMessage', 'description')
    const native = nativeIn(ports, dialect, at.event)
    const found = matcherOf(native, options.matcher(matcher), alike)
    if ('why' in subject) return subject
    const isTold =
      dialect === 'codex' && native?.matches === 'tool_name' && finds(found?.tool ?? '', [patchTool])
    return {
      ...subject,
      dialect,
      root,
      matcher: found,
      condition: condition?.trim() === '' ? undefined : condition,
      timeoutMs: timeoutMs ?? subject.timeoutMs,
      onError: onFailure === 'continue' ? 'warn' : onFailure,
      isAsync: isAsync || isRewaking,
      name: name?.trim() || undefined,
      env,
      remarks: [
        ...(subject.remarks ?? []),
        isTold && patchRemark,
        isRewaking && 'It does not wake an agent, so a late answer is not used.',
        isOnce && '"once" has no effect. The hook is asked each time.',
      ],
    }
  })

const findHooks = (hooks: JsonObject, file: ClaudeFile, ports: ForeignPorts): readonly UnreadHook[] => {
  const at = (event: string, path: DocumentPath): HookPlace => ({
    event,
    origin: file.place,
    line: file.document.lineOf(path),
  })
  const misplaced =
    (event: string, path: DocumentPath, expected: string, value: Json): UnreadHook =>
    () =>
      invalid(
        { ...at(event, path), command: '(no command)' },
        'source.shape',
        `Expected ${expected}, got ${got(value)}.`,
      )
  return Object.entries(hooks).flatMap(([event, groups]): readonly UnreadHook[] => {
    const path = [...file.path, event]
    // Older Gemini CLI settings have these switches among the events.
    if (/^(?:enabled|disabled|notifications)$/.test(event)) return []
    if (!Array.isArray(groups)) return [misplaced(event, path, 'a list of groups', groups)]
    return groups.flatMap((group: Json, index): readonly UnreadHook[] => {
      const { matcher = null, hooks: handlers } = isObject(group) ? group : {}
      return Array.isArray(handlers)
        ? handlers.map((handler: Json, inner) => () => {
            const place = at(event, [...path, index, 'hooks', inner])
            return hookOf(handler, place, matcher, file, ports)
          })
        : [misplaced(event, [...path, index], 'a group with a list of "hooks"', group)]
    })
  })
}

/** Proposes the hooks of one file in Claude Code's form. `disabled` is the reason why none of them runs. */
export const proposeClaude = (
  hooks: JsonObject,
  file: ClaudeFile,
  ports: ForeignPorts,
  disabled?: string,
): Source => {
  const found = findHooks(hooks, file, ports)
  if (found.length > maxForeignHooks) return tooMany(file.place, found.length)
  return {
    proposed: found.map((read) => {
      const hook = read()
      return disabled === undefined || 'kind' in hook ? proposeForeign(hook, ports) : unmapped(hook, disabled)
    }),
  }
}

/** Reads a file as JSON. When it cannot be read, the result is a source with a problem. */
export const readDocument = (
  place: string,
  ports: ForeignPorts,
): ReadDocument | (Source & { readonly problem: Problem }) => {
  const file = ports.read(place)
  if ('why' in file) return unreadable(place, file.why)
  const document = readJson(file.text, { file: place, maxChars })
  return 'problem' in document ? { proposed: [], problem: document.problem } : document
}

/** The reason why the hooks of a file are switched off: the switch of Claude Code or of Gemini CLI. */
const disabledBy = ({ disableAllHooks, hooksConfig }: JsonObject): string | undefined => {
  if (disableAllHooks === true) return 'its file says "disableAllHooks": true'
  return isObject(hooksConfig) && hooksConfig['enabled'] === false
    ? 'its file says "hooksConfig": {"enabled": false}'
    : undefined
}

/** The result for a file without an object of hooks. */
export const noHooks = (place: string, found: Json | undefined): Source =>
  wrongFile(place, 'shape', `Expected an object with "hooks" in it, got ${got(found)}.`)

/** Makes the reader of a settings file in Claude Code's form. Other settings in it are ignored. */
export const readerOf =
  (alike: ClaudeLikeSystem): ReadForeign =>
  (place, ports): Source => {
    const document = readDocument(place, ports)
    if ('problem' in document) return document
    const { root } = document
    const hooks = isObject(root) ? (root['hooks'] ?? {}) : undefined
    if (!isObject(root) || !isObject(hooks)) return noHooks(place, hooks ?? root)
    return proposeClaude(hooks, { place, document, path: ['hooks'], alike }, ports, disabledBy(root))
  }

export const readClaudeSettings = readerOf({ dialect: 'claude-code' })
