import type { Matcher, ProposedHook } from '../../../model/hooks/entry.ts'
import { isObject, type Json } from '../../../model/base/json.ts'
import { got } from '../../../model/gate/problem.ts'
import { compilePattern } from '../../match/pattern.ts'
import { readPrompt } from '../../prompt.ts'
import type { ForeignHook } from './foreign-hook.ts'
import { invalid, proposeForeign, unmapped, type ForeignPorts, type ReadForeign } from './foreign.ts'
import { takeOptions, type HookOptions } from '../options.ts'
import { unreadable, type Source } from '../source.ts'
import { readYaml, type DocumentPath, type ReadDocument } from '../yaml.ts'

const maxChars = 256 * 1024
const maxHooks = 1000

/** One handler where the file has it. */
interface DockerHook {
  readonly event: string
  /** Where several agents have hooks, whose this is. */
  readonly agent?: string
  readonly handler: Json
  readonly matcher: Json
  readonly isPreempting: boolean
  readonly path: DocumentPath
}

const fix = 'Mend it in its file.'
const listOf = (value: Json | undefined): readonly Json[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]

/** Groups with a matcher and bare handlers stand for each other, and one mapping for a list of one. */
const handlersOf = (
  event: string,
  value: Json,
  path: DocumentPath,
  agent: string | undefined,
): readonly DockerHook[] =>
  listOf(value).flatMap((item, index): readonly DockerHook[] => {
    const at = Array.isArray(value) ? [...path, index] : path
    const { matcher = null, preempt_yolo: preempt, hooks } = isObject(item) ? item : {}
    const base = { event, ...(agent === undefined ? {} : { agent }), matcher, isPreempting: preempt === true }
    if (hooks === undefined) return [{ ...base, handler: item, path: at }]
    return listOf(hooks).map((handler, inner) => ({
      ...base,
      handler,
      path: [...at, 'hooks', ...(Array.isArray(hooks) ? [inner] : [])],
    }))
  })

/** What is no hook at all, where hooks are expected. */
interface Misplaced {
  readonly event: string
  readonly value: Json
  readonly path: DocumentPath
}

const findHooks = (
  root: Readonly<Record<string, Json>>,
): { readonly found: readonly DockerHook[]; readonly misplaced: readonly Misplaced[] } => {
  const { agents, hooks } = root
  const places = [
    ...Object.entries(isObject(agents) ? agents : {}).map(([agent, config]) => ({
      agent,
      hooks: isObject(config) ? config['hooks'] : undefined,
      path: ['agents', agent, 'hooks'],
    })),
    { agent: undefined, hooks, path: ['hooks'] },
  ].filter((place) => place.hooks !== undefined && place.hooks !== null)
  const isMany = places.length > 1
  return {
    found: places.flatMap(({ agent, hooks: events, path }) =>
      isObject(events)
        ? Object.entries(events).flatMap(([event, value]) =>
            handlersOf(event, value, [...path, event], isMany ? agent : undefined),
          )
        : [],
    ),
    misplaced: places.flatMap(({ hooks: value, path }) =>
      value === undefined || isObject(value) ? [] : [{ event: path.join('.'), value, path }],
    ),
  }
}

/** Anchored, on the tool's name. Its documents write `mcp:…` for what its tools, and ours, call `mcp__…`: both are meant. */
const matcherOf = (text: string | undefined): Matcher | undefined => {
  if (text === undefined || text === '' || text === '*') return undefined
  const both = text.includes('mcp:') ? `${text}|${text.replaceAll('mcp:', 'mcp__')}` : text
  return { tool: `^(?:${both})$` }
}

/** The variables that stand as they are; a hook gets nothing of the gate's environment, so the others are left out. */
const environment = (
  options: HookOptions,
): { readonly env?: Readonly<Record<string, string>>; readonly remarks: readonly string[] } => {
  const said = Object.entries(options.record('env') ?? {})
  const isWanting = (value: string): boolean => /\$\{env\./.test(value)
  const remarks = said
    .filter(([, value]) => isWanting(value))
    .slice(0, 5)
    .map(
      ([name, value]) =>
        `Its variable ${name} is left out: it wants ${got(value)}, and hooks get no environment of the gate.`,
    )
  return {
    ...(said.length === 0 ? {} : { env: Object.fromEntries(said.filter(([, value]) => !isWanting(value))) }),
    remarks,
  }
}

type DockerHandler = Pick<ForeignHook, 'type' | 'command' | 'shell' | 'args' | 'headers' | 'model'> & {
  readonly remarks?: readonly string[]
}

/** What the handler asks, or why it cannot be asked here. */
const subjectOf = (
  options: HookOptions,
  { shells }: ForeignPorts,
): DockerHandler | { readonly why: string } => {
  const type = options.oneOf('type', ['command', 'builtin', 'model', 'http']) ?? 'command'
  const [command, args, prompt, schema, model, url, headers] = [
    options.text('command'),
    options.texts('args'),
    options.text('prompt'),
    options.text('schema'),
    options.text('model'),
    options.text('url'),
    options.record('headers'),
  ]
  const read = readPrompt(prompt ?? '', 'docker-agent')
  switch (type) {
    case 'command':
      return {
        type,
        command: command ?? '',
        shell: shells['docker-agent'],
        ...(args === undefined
          ? {}
          : { remarks: ['Its "args" have no effect: docker-agent gives them to builtins only.'] }),
      }
    case 'builtin':
      return { type, command: command ?? '', ...(args === undefined ? {} : { args }) }
    case 'http':
      return { type, command: url ?? command ?? '', ...(headers === undefined ? {} : { headers }) }
    case 'model':
      if ('wrong' in read)
        return {
          why: `its prompt holds ${read.wrong}, which hookgate does not fill in; it knows {{ .ToolName }} and the like, toJSON and truncate`,
        }
      return {
        type: 'llm',
        command: prompt ?? '',
        ...(model === undefined ? {} : { model }),
        ...(schema === 'pre_tool_use_decision'
          ? {}
          : {
              remarks: [
                'Its reply is asked for as a verdict; docker-agent would add it to the conversation.',
              ],
            }),
      }
  }
}

const hookOf = (
  { event, agent, handler, matcher, isPreempting, path }: DockerHook,
  place: string,
  document: ReadDocument,
  ports: ForeignPorts,
): ForeignHook | ProposedHook => {
  const line = document.lineOf(path)
  const raw = isObject(handler) ? handler : {}
  const shown =
    [raw['command'], raw['prompt'], raw['url']].find((value) => typeof value === 'string') ?? '(no command)'
  const stated = { event, command: shown, origin: place, ...(line === undefined ? {} : { line }) }
  if (!isObject(handler))
    return invalid(
      stated,
      'source.shape',
      `Expected "${path.join('.')}" to be a hook with type and command, got ${got(handler)}.`,
      fix,
    )
  const options = takeOptions(handler)
  const subject = subjectOf(options, ports)
  const { env, remarks } = environment(options)
  const [timeout, cwd, said, name] = [
    options.number('timeout'),
    options.text('working_dir'),
    options.oneOf('on_error', ['warn', 'ignore', 'block']),
    options.text('name'),
  ]
  const isStrict = options.flag('strict_output') === true
  options.skip('matcher', 'preempt_yolo', 'hooks')
  const flaw =
    options.flaw() ??
    (matcher === null || typeof matcher === 'string'
      ? undefined
      : `Expected its "matcher" to be text, got ${got(matcher)}.`)
  if (flaw !== undefined) return invalid(stated, 'source.option', flaw, fix)
  if ('why' in subject) return unmapped(stated, subject.why)
  if (cwd !== undefined && /^~|\$/.test(cwd))
    return unmapped(
      stated,
      `its folder ${got(cwd)} hangs on a person's home or environment; write it relative to the workspace`,
    )
  const isGuard = ports.events['docker-agent'].find((native) => native.name === event)?.failsClosed === true
  const label = agent === undefined ? name : `${name ?? event} (${agent})`
  const pattern = typeof matcher === 'string' ? matcherOf(matcher) : undefined
  return {
    ...stated,
    ...subject,
    dialect: 'docker-agent',
    ...(pattern === undefined ? {} : { matcher: pattern }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
    // Its guards fail closed whatever they say; so they do here.
    ...(said === undefined || isGuard ? {} : { onError: said }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    ...(label === undefined ? {} : { name: label }),
    remarks: [
      ...(subject.remarks ?? []),
      ...remarks,
      ...(isGuard && said !== undefined && said !== 'block'
        ? [`A fault of it blocks, as in docker-agent, though it says on_error: ${said}.`]
        : []),
      ...(isStrict ? ['Its answers are not held to "strict_output".'] : []),
      ...(isPreempting ? ['"preempt_yolo" changes nothing: it is asked about every call.'] : []),
      ...options.strangers(),
    ],
  }
}

/** Both matchers as one, so that a handler which stands under several is asked once; undefined where that cannot be. */
const joined = (
  one: Matcher | undefined,
  other: Matcher | undefined,
): { readonly matcher?: Matcher } | undefined => {
  if (one?.tool === undefined || other?.tool === undefined) return {}
  const tool = `${one.tool}|${other.tool}`
  return [one.tool, other.tool, tool].some((pattern) => 'wrong' in compilePattern(pattern))
    ? undefined
    : { matcher: { tool } }
}

/** Identical definitions are one hook at the place of the first; what they match is put together. */
const merged = (hooks: readonly (ForeignHook | ProposedHook)[]): readonly (ForeignHook | ProposedHook)[] => {
  const kept: (ForeignHook | ProposedHook)[] = []
  const places = new Map<string, number>()
  for (const hook of hooks) {
    if ('kind' in hook) {
      kept.push(hook)
      continue
    }
    const { matcher, line: _line, remarks: _remarks, name: _name, ...definition } = hook
    const key = JSON.stringify(definition)
    const at = places.get(key)
    const first = at === undefined ? undefined : kept[at]
    const both = first === undefined || 'kind' in first ? undefined : joined(first.matcher, matcher)
    if (at === undefined || first === undefined || 'kind' in first || both === undefined) {
      places.set(key, at ?? kept.length)
      kept.push(hook)
      continue
    }
    const { matcher: _matcher, ...rest } = first
    kept[at] = { ...rest, ...both }
  }
  return kept
}

/** Reads the hooks of all agents in a docker-agent file. */
export const readDockerAgent: ReadForeign = (place, ports): Source => {
  const file = ports.read(place)
  if ('why' in file) return unreadable(place, file.why)
  const document = readYaml(file.text, { file: place, maxChars })
  if ('problem' in document) return { proposed: [], problem: document.problem }
  const { root } = document
  const broken = (code: string, message: string): Source => ({
    proposed: [],
    problem: { code: `source.${code}`, file: place, message, fix },
  })
  if (!isObject(root) || (!isObject(root['agents']) && root['hooks'] === undefined))
    return broken('shape', `Expected a docker-agent file with "agents" in it, got ${got(root)}.`)
  const { found, misplaced } = findHooks(root)
  if (found.length > maxHooks)
    return broken('hooks', `Expected at most ${maxHooks} hooks, got ${found.length}.`)
  const hooks = merged(found.map((one) => hookOf(one, place, document, ports)))
  return {
    proposed: [
      ...hooks.map((hook) => ('kind' in hook ? hook : proposeForeign(hook, ports))),
      ...misplaced.map(({ event, value, path }) => {
        const line = document.lineOf(path)
        return invalid(
          { event, command: '(no command)', origin: place, ...(line === undefined ? {} : { line }) },
          'source.shape',
          `Expected "${event}" to name events, got ${got(value)}.`,
          fix,
        )
      }),
    ],
  }
}
