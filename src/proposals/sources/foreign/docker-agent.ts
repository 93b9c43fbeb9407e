import type { Shell } from '../../../core/model/hooks/dialect.ts'
import type { Matcher } from '../../../core/model/hooks/entry.ts'
import type { ProposedHook } from '../../../shared/gate/catalogue.ts'
import { isObject, type Json, type JsonObject } from '../../../core/model/base/json.ts'
import { got } from '../../../core/model/gate/problem.ts'
import { compilePattern } from '../../../core/model/base/pattern.ts'
import { readPrompt } from '../../../handlers/prompt.ts'
import { envOf } from './foreign-headers.ts'
import {
  folderFlaw,
  invalid,
  nativeIn,
  proposeForeign,
  readHook,
  type ForeignHook,
  type ForeignPorts,
  type HookForm,
  type ReadForeign,
  type Subject,
} from './foreign.ts'
import type { HookOptions } from '../options.ts'
import { maxForeignHooks, type Source, tooMany, unreadable, wrongFile } from '../source.ts'
import { readYaml, type DocumentPath, type ReadDocument } from '../yaml.ts'

const maxChars = 256 * 1024

/** One handler and its position in the file. */
interface DockerHook {
  readonly event: string
  /** The agent that the hook belongs to, when several agents have hooks. */
  readonly agent?: string
  readonly handler: Json
  readonly matcher: Json
  readonly isPreempting: boolean
  readonly path: DocumentPath
}

const listOf = (value: Json | undefined): readonly Json[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]

/**
 * Reads the handlers of one event. An item is a group with a matcher or a handler alone, and a single item
 * needs no list.
 */
const handlersOf = (
  event: string,
  value: Json,
  path: DocumentPath,
  agent: string | undefined,
): readonly DockerHook[] =>
  listOf(value).flatMap((item, index): readonly DockerHook[] => {
    const at = Array.isArray(value) ? [...path, index] : path
    const { matcher = null, preempt_yolo: preempt, hooks } = isObject(item) ? item : {}
    const base = { event, agent, matcher, isPreempting: preempt === true }
    if (hooks === undefined) return [{ ...base, handler: item, path: at }]
    return listOf(hooks).map((handler, inner) => ({
      ...base,
      handler,
      path: [...at, 'hooks', ...(Array.isArray(hooks) ? [inner] : [])],
    }))
  })

/** Finds the handlers of all agents, and the values that are not a set of hooks where one is expected. */
const findHooks = ({ agents, hooks }: JsonObject) => {
  const places = [
    ...Object.entries(isObject(agents) ? agents : {}).map(([agent, config]) => ({
      agent,
      hooks: isObject(config) ? config['hooks'] : undefined,
      path: ['agents', agent, 'hooks'],
    })),
    { agent: undefined, hooks, path: ['hooks'] },
  ].flatMap(({ hooks: value, ...place }) =>
    value === undefined || value === null ? [] : [{ ...place, value }],
  )
  return {
    found: places.flatMap(({ agent, value, path }) =>
      Object.entries(isObject(value) ? value : {}).flatMap(([event, handlers]) =>
        handlersOf(event, handlers, [...path, event], places.length > 1 ? agent : undefined),
      ),
    ),
    misplaced: places.filter(({ value }) => !isObject(value)),
  }
}

/**
 * Makes a matcher for the whole tool name. docker-agent's documents write `mcp:…` for tools that are named
 * `mcp__…`, so both match.
 */
const matcherOf = (text: string | undefined): Matcher | undefined => {
  if (text === undefined) return undefined
  const both = text.includes('mcp:') ? `${text}|${text.replaceAll('mcp:', 'mcp__')}` : text
  return { tool: `^(?:${both})$` }
}

/** Reads the target of the handler, or the reason why it cannot run here. */
const subjectOf = (options: HookOptions, shell: Shell): Subject => {
  const type = options.oneOf('type', ['command', 'builtin', 'model', 'http']) ?? 'command'
  const [command, args] = [options.text('command'), options.texts('args')]
  const { prompt, schema, model, url } = options.words('prompt', 'schema', 'model', 'url')
  const headers = options.record('headers')
  const read = readPrompt(prompt ?? '', 'docker-agent')
  switch (type) {
    case 'command':
      return {
        type,
        command: command ?? '',
        shell,
        remarks: [args && 'Its "args" have no effect. docker-agent passes them to builtins only.'],
      }
    case 'builtin':
      return { type, command: command ?? '', args }
    case 'http':
      return { type, command: url ?? command ?? '', headers }
    case 'model':
      if ('wrong' in read)
        return {
          why: `its prompt holds ${read.wrong}, which hookgate does not fill in. It fills in fields such as {{ .ToolName }}, toJSON and truncate`,
        }
      return {
        type: 'llm',
        command: prompt ?? '',
        model,
        remarks: [
          schema !== 'pre_tool_use_decision' &&
            'Its reply is read as a verdict. docker-agent would add it to the conversation.',
        ],
      }
  }
}

const hookOf = (
  { event, agent, handler, matcher, isPreempting, path }: DockerHook,
  place: string,
  document: ReadDocument,
  ports: ForeignPorts,
): ForeignHook | ProposedHook => {
  const form: HookForm = {
    shown: ['command', 'prompt', 'url'],
    expected: `"${path.join('.')}" to be a hook with type and command`,
  }
  return readHook(handler, { event, origin: place, line: document.lineOf(path) }, form, (options) => {
    const subject = subjectOf(options, ports.dialects['docker-agent'].shell)
    const { env, remarks } = envOf(options, /\$\{env\./)
    const [timeoutMs, cwd, errorPolicy, name] = [
      options.seconds('timeout'),
      options.text('working_dir'),
      options.oneOf('on_error', ['warn', 'ignore', 'block']),
      options.text('name'),
    ]
    const isStrict = options.flag('strict_output')
    options.skip('matcher', 'preempt_yolo', 'hooks')
    const found = matcherOf(options.matcher(matcher))
    if ('why' in subject) return subject
    const isGuard = nativeIn(ports, 'docker-agent', event)?.failsClosed === true
    return (
      folderFlaw(cwd, 'workspace') ?? {
        ...subject,
        dialect: 'docker-agent',
        matcher: found,
        timeoutMs,
        // docker-agent's guards fail closed whatever "on_error" is, so they do so here too.
        onError: isGuard ? undefined : errorPolicy,
        cwd,
        env,
        name: agent === undefined ? name : `${name ?? event} (${agent})`,
        remarks: [
          ...(subject.remarks ?? []),
          ...remarks,
          isGuard &&
            errorPolicy !== undefined &&
            errorPolicy !== 'block' &&
            `Its on_error: ${errorPolicy} has no effect. A fault blocks, as in docker-agent.`,
          isStrict && '"strict_output" has no effect.',
          isPreempting && '"preempt_yolo" has no effect. The hook is asked about every call.',
        ],
      }
    )
  })
}

/**
 * Joins two matchers, so that a handler which occurs under both is asked once. It is undefined when they
 * cannot be joined.
 */
const joined = (
  one: Matcher | undefined,
  other: Matcher | undefined,
): { readonly matcher: Matcher | undefined } | undefined => {
  if (one?.tool === undefined || other?.tool === undefined) return { matcher: undefined }
  const tool = `${one.tool}|${other.tool}`
  return [one.tool, other.tool, tool].some((pattern) => 'wrong' in compilePattern(pattern))
    ? undefined
    : { matcher: { tool } }
}

/** What has to be equal in two hooks that are merged. */
const definitionOf = ({
  matcher: _matcher,
  line: _line,
  remarks: _remarks,
  name: _name,
  ...rest
}: ForeignHook): string => JSON.stringify(rest)

/** Merges identical definitions into one hook at the position of the first, and joins their matchers. */
const merged = (hooks: readonly (ForeignHook | ProposedHook)[]): readonly (ForeignHook | ProposedHook)[] => {
  const all = new Map<unknown, ForeignHook | ProposedHook>()
  for (const hook of hooks) {
    const key = 'kind' in hook ? hook : definitionOf(hook)
    const first = all.get(key)
    if (first === undefined || 'kind' in first || 'kind' in hook) {
      all.set(key, hook)
      continue
    }
    const both = joined(first.matcher, hook.matcher)
    if (both === undefined) all.set(hook, hook)
    else all.set(key, { ...first, ...both })
  }
  return [...all.values()]
}

/** Reads the hooks of all agents in a docker-agent file. */
export const readDockerAgent: ReadForeign = (place, ports): Source => {
  const file = ports.read(place)
  if ('why' in file) return unreadable(place, file.why)
  const document = readYaml(file.text, { file: place, maxChars })
  if ('problem' in document) return { proposed: [], problem: document.problem }
  const { root } = document
  if (!isObject(root) || (!isObject(root['agents']) && root['hooks'] === undefined))
    return wrongFile(place, 'shape', `Expected a docker-agent file with "agents" in it, got ${got(root)}.`)
  const { found, misplaced } = findHooks(root)
  if (found.length > maxForeignHooks) return tooMany(place, found.length)
  const hooks = merged(found.map((one) => hookOf(one, place, document, ports)))
  return {
    proposed: [
      ...hooks.map((hook) => proposeForeign(hook, ports)),
      ...misplaced.map(({ value, path }) => {
        const event = path.join('.')
        const where = { event, command: '(no command)', origin: place, line: document.lineOf(path) }
        return invalid(where, 'source.shape', `Expected "${event}" to name events, got ${got(value)}.`)
      }),
    ],
  }
}
