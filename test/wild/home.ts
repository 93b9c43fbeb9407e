import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { parse as parseYaml } from 'yaml'
import { isObject, type Json, type JsonObject } from '../../src/core/model/base/json.ts'
import { stdinAtHome, toolOf, type There } from './home-words.ts'
import type { Outcome, System, WildCase, WildSet } from './lock.ts'

/** One hook as its own file has it. */
export interface Native {
  readonly event: string
  readonly matcher?: string
  readonly handler: JsonObject
}

interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined
const list = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]

/** Reads the few lines of TOML that a hook of Kimi has: tables of text and numbers. */
const kimiHooks = (text: string): readonly Native[] =>
  text
    .split(/^\s*\[\[hooks\]\]\s*$/m)
    .slice(1)
    .map((part) => {
      const end = part.search(/^\s*\[/m)
      const handler: Record<string, Json> = {}
      for (const [, key = '', double, single, literal] of (end < 0 ? part : part.slice(0, end)).matchAll(
        /^\s*(\w+)\s*=\s*(?:"((?:\\.|[^"\\])*)"|'([^']*)'|(\S+))/gm,
      )) {
        handler[key] =
          double === undefined ? (single ?? literal ?? '') : (JSON.parse(`"${double}"`) as string)
      }
      return {
        event: textOf(handler['event']) ?? '',
        ...(textOf(handler['matcher']) === undefined ? {} : { matcher: textOf(handler['matcher']) ?? '' }),
        handler,
      }
    })

const hookMd = (folder: string, text: string): Native => {
  const front = parseYaml(text.split(/^---\s*$/m)[1] ?? '') as JsonObject
  const entry = ['run', 'run.sh', 'run.py']
    .map((name) => join(folder, 'scripts', name))
    .find((path) => existsSync(path))
  return { event: textOf(front['trigger']) ?? '', handler: { command: entry ?? '', isEntry: true } }
}

/** Groups with a matcher and a list of hooks, or hooks without a group: what most of these systems write. */
const grouped = (hooks: Json | undefined): readonly Native[] =>
  Object.entries(isObject(hooks) ? hooks : {}).flatMap(([event, groups]) =>
    list(groups).flatMap((group): readonly Native[] => {
      if (!isObject(group)) return []
      const matcher = textOf(group['matcher'])
      const inner = group['hooks'] === undefined ? [group] : list(group['hooks'])
      return inner
        .filter(isObject)
        .map((handler) => ({ event, ...(matcher === undefined ? {} : { matcher }), handler }))
    }),
  )

/** The hooks of docker-agent stand under each agent, and under `hooks` at the top of a file of its own. */
const dockerHooks = (root: Json): readonly Native[] => {
  if (!isObject(root)) return []
  const agents = isObject(root['agents']) ? Object.values(root['agents']) : list(root['agents'])
  return [root['hooks'], ...agents.map((agent) => (isObject(agent) ? agent['hooks'] : undefined))].flatMap(
    grouped,
  )
}

export const nativeHooks = (system: System, path: string): readonly Native[] => {
  const text = readFileSync(path, 'utf8')
  if (system === 'kimi') return kimiHooks(text)
  if (system === 'agent-hooks') return [hookMd(dirname(path), text)]
  const root = (system === 'docker-agent' ? parseYaml(text) : JSON.parse(text)) as Json
  return system === 'docker-agent'
    ? dockerHooks(root)
    : grouped(isObject(root) ? (root['hooks'] ?? root) : undefined)
}

export const commandOf = ({ handler }: Native): string => {
  const words =
    [handler['command'], handler['bash'], handler['osx'], handler['linux'], handler['url'], handler['prompt']]
      .map(textOf)
      .find((word) => word !== undefined) ?? ''
  return [words, ...list(handler['args']).map(String)].join(' ')
}

/** The one hook that a case names. Throws when it names none, or several. */
export const findNative = ({ hook, nth }: WildCase, hooks: readonly Native[]): Native => {
  const [event = '', ...rest] = hook.split(' ')
  const found = hooks.filter((one) => one.event === event && commandOf(one).includes(rest.join(' ')))
  const one = found[nth]
  const isPlain = new Set(found.map(commandOf)).size === 1
  if (one === undefined || !isPlain) {
    const there = hooks.map((each) => `${each.event} ${commandOf(each)}`).join(' ; ')
    throw new Error(`"${hook}" names ${found.length} of ${there}`)
  }
  return one
}

const exact = /^[\w\- ,|]+$/

/** Whether its system asks it at all. */
const isAsked = (system: System, matcher: string | undefined, one: WildCase, there: There): boolean => {
  if (matcher === undefined || matcher === '' || matcher === '*') return true
  const { name, input } = toolOf(system, one, there.workspace)
  const isTool = /tool/.test(one.event) || one.event === 'on_permission_request'
  if (!isTool)
    return one.event === 'on_session_start'
      ? matcher.split('|').includes(textOf(one.fields?.['source']) ?? 'startup')
      : true
  if (system === 'cursor' && one.tool === 'bash' && there.native.includes('Shell'))
    return new RegExp(matcher).test(textOf(input['command']) ?? '')
  if (system === 'docker-agent' || system === 'copilot') return new RegExp(`^(?:${matcher})$`).test(name)
  if (system === 'copilot-vscode') return true
  if (exact.test(matcher) && system !== 'gemini' && system !== 'kimi')
    return matcher
      .split(/[|,]/)
      .map((word) => word.trim())
      .some((word) => word === name || (name === 'apply_patch' && /^(?:Edit|Write)$/.test(word)))
  return new RegExp(matcher).test(name)
}

const shells: Partial<Readonly<Record<System, readonly string[]>>> = {
  copilot: ['bash', '-c'],
  'copilot-vscode': ['bash', '-c'],
  'docker-agent': ['bash', '-c'],
  codex: ['bash', '-lc'],
  gemini: ['bash', '-c'],
}

/** The variables that a system sets beside the person's own. */
const variables = (system: System, workspace: string, config: string): Readonly<Record<string, string>> => {
  const claude = { CLAUDE_PROJECT_DIR: workspace, CLAUDECODE: '1' }
  const plugin = join(workspace, config)
  const own: Partial<Readonly<Record<System, Readonly<Record<string, string>>>>> = {
    'claude-code': claude,
    'claude-plugin': {
      ...claude,
      CLAUDE_PLUGIN_ROOT: plugin,
      CLAUDE_PLUGIN_DATA: join(workspace, '..', 'plugin-data'),
    },
    gemini: {
      GEMINI_PROJECT_DIR: workspace,
      GEMINI_CWD: workspace,
      GEMINI_SESSION_ID: 'a-session',
      CLAUDE_PROJECT_DIR: workspace,
    },
    cursor: { CURSOR_PROJECT_DIR: workspace, CURSOR_VERSION: '2.6.0', CLAUDE_PROJECT_DIR: workspace },
    copilot: { COPILOT_CLI: '1', COPILOT_PROJECT_DIR: workspace, CLAUDE_PROJECT_DIR: workspace },
    factory: { FACTORY_PROJECT_DIR: workspace, DROID_PLUGIN_ROOT: plugin, CLAUDE_PLUGIN_ROOT: plugin },
    'agent-hooks': { AGENTHOOKS_WORK_DIR: workspace, KIMI_WORK_DIR: workspace, KIMI_PROJECT_DIR: workspace },
  }
  return own[system] ?? {}
}

const runAtHome = (one: WildCase, set: WildSet, { handler }: Native, there: There, home: string): Ran => {
  const { workspace } = there
  const command = textOf(handler['bash']) ?? textOf(handler['linux']) ?? textOf(handler['command']) ?? ''
  const args = list(handler['args']).map(String)
  const own = isObject(handler['env'])
    ? Object.fromEntries(
        Object.entries(handler['env']).flatMap(([key, value]) =>
          typeof value === 'string' ? [[key, value]] : [],
        ),
      )
    : {}
  const env = { ...process.env, HOME: home, ...variables(set.system, workspace, set.config), ...own }
  const cwd = textOf(handler['cwd']) ?? textOf(handler['working_dir'])
  const options = {
    cwd: cwd === undefined ? workspace : isAbsolute(cwd) ? cwd : join(workspace, cwd),
    env,
    input: stdinAtHome(one, there),
    encoding: 'utf8' as const,
    timeout: 60_000,
    maxBuffer: 32 * 1024 * 1024,
  }
  if (handler['isEntry'] === true) return spawnSync(command, [], options)
  const expanded =
    set.system === 'claude-plugin'
      ? command.replaceAll('${CLAUDE_PLUGIN_ROOT}', join(workspace, set.config))
      : command
  if (args.length > 0)
    return spawnSync(
      expanded,
      args.map((word) =>
        word.replaceAll(
          /\$\{?(CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT)\}?/g,
          (_, name: string) => env[name as keyof typeof env] ?? '',
        ),
      ),
      options,
    )
  const [shell = 'sh', ...flags] = shells[set.system] ?? ['sh', '-c']
  return spawnSync(shell, [...flags, expanded], options)
}

/** The last object that stands in the text by itself, if there is one. */
const objectIn = (text: string): JsonObject | undefined => {
  try {
    const value = JSON.parse(text.trim()) as Json
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Where a refusal is heard, by our events. */
const gated = new Set([
  'pre_tool_call',
  'on_user_message',
  'on_stop',
  'on_subagent_stop',
  'pre_compact',
  'on_permission_request',
  'pre_llm_call',
])

const spoken = (system: System, said: JsonObject): Outcome | undefined => {
  const inner = [said['hookSpecificOutput'], said['hook_specific_output']].find(isObject) ?? {}
  const decision = [
    said['decision'],
    said['permission'],
    said['permissionDecision'],
    said['behavior'],
    inner['permissionDecision'],
    inner['permission_decision'],
    isObject(inner['decision']) ? inner['decision']['behavior'] : undefined,
  ].map(textOf)
  if (
    decision.some((word) => word === 'block' || word === 'deny') ||
    said['continue'] === false ||
    said['ok'] === false
  )
    return 'block'
  if (decision.includes('ask')) return 'ask'
  if (
    [
      inner['updatedInput'],
      inner['updated_input'],
      inner['tool_input'],
      said['modifiedArgs'],
      said['updated_input'],
      inner['updatedToolOutput'],
      inner['updated_tool_response'],
      said['modifiedResult'],
    ].some((value) => value !== undefined)
  )
    return 'rewrite'
  const context = [
    inner['additionalContext'],
    inner['additional_context'],
    ...(system.startsWith('copilot') ? [said['additionalContext']] : []),
    ...(system === 'cursor' ? [said['additional_context'], said['followup_message']] : []),
  ].map(textOf)
  if (context.some((word) => word !== undefined && word !== ''))
    return said['followup_message'] === undefined ? 'context' : 'block'
  return undefined
}

/** Plain text on stdout is context. */
const isTextContext = (system: System, { event }: WildCase): boolean => {
  if (system === 'docker-agent')
    return (
      event === 'on_session_start' ||
      event === 'on_user_message' ||
      event === 'pre_llm_call' ||
      event === 'pre_compact'
    )
  return (
    ['claude-code', 'claude-plugin', 'codex', 'factory', 'kimi'].includes(system) &&
    (event === 'on_session_start' || event === 'on_user_message')
  )
}

const readVerdict = (system: System, one: WildCase, { status, stdout, stderr }: Ran): Outcome => {
  const nothing = gated.has(one.event) ? 'allow' : 'observes'
  const refused = gated.has(one.event)
    ? 'block'
    : stderr.trim() === '' && stdout.trim() === ''
      ? 'observes'
      : one.event.includes('result') || one.event.includes('post_tool') || one.event === 'on_tool_error'
        ? 'context'
        : 'observes'
  const said = objectIn(stdout) ?? (system === 'gemini' ? objectIn(stderr) : undefined)
  const word = said === undefined ? undefined : spoken(system, said)
  if (word === 'block') return refused
  if (status === 2 || (system === 'gemini' && status !== null && status > 1)) return refused
  if (status !== 0)
    return (system === 'copilot' && one.event === 'pre_tool_call') ||
      (system === 'docker-agent' && one.event === 'pre_tool_call')
      ? 'block'
      : (word ?? 'fault')
  if (word !== undefined) return word
  if (said === undefined && stdout.trim() !== '' && isTextContext(system, one)) return 'context'
  return nothing
}

/** A conversation of two lines in Claude Code's own form. */
const transcriptOf = ({ fields = {} }: WildCase): string => {
  const said = (role: string, text: string): string =>
    JSON.stringify({
      type: role,
      sessionId: 'a-session',
      uuid: `${role}-1`,
      timestamp: new Date().toISOString(),
      message: { role, content: role === 'user' ? text : [{ type: 'text', text }] },
    })
  return `${said('user', 'hello')}\n${said('assistant', textOf(fields['response']) ?? 'Hello.')}\n`
}

export interface AtHome {
  readonly outcome: Outcome
  readonly ran?: Ran
}

/** Runs the hook as its own system does, in that workspace and home, and reads its answer by its rules. */
export const atHome = (one: WildCase, set: WildSet, native: Native, there: There, home: string): AtHome => {
  writeFileSync(there.transcript, transcriptOf(one))
  if (!isAsked(set.system, native.matcher ?? textOf(native.handler['matcher']), one, there))
    return { outcome: gated.has(one.event) ? 'allow' : 'observes' }
  const ran = runAtHome(one, set, native, there, home)
  return { outcome: readVerdict(set.system, one, ran), ran }
}
