import { createRequire } from 'node:module'
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { split } from 'shlex'
import type * as Yaml from 'yaml'
import type { z } from 'zod'
import type { AgentMake } from '../model/gate/agent.ts'
import { got, ProblemError } from '../model/gate/problem.ts'
import { packageRoot } from './first-start.ts'
import { chainOf, homeOf } from './home.ts'
import { knownOptions } from './known-options.ts'
import { isInside, readBounded } from './read-bounded.ts'
import { gateSchema, type GateFile } from './schema.ts'

export interface AgentConfig {
  readonly id: string
  readonly user: string
  readonly chats: readonly string[]
  /** Tools that do not run without a person's word, by name, whatever hooks say of them but for an explicit allow. */
  readonly ask: readonly string[]
  readonly make: AgentMake
  /** Where its model is, and the key that only the gate knows; for `openai` alone. */
  readonly endpoint?: {
    readonly baseUrl: string
    readonly model: string
    readonly apiKey?: string
    /** The variable that should hold the key, where it is not set. */
    readonly missingKey?: string
    /** In US dollars a million tokens. */
    readonly price?: { readonly input: number; readonly output: number }
    readonly perHour: { readonly calls: number; readonly tokens: number }
  }
}

/** The whole configuration of one run: environment over gate.yaml over defaults. Read once, here and nowhere else. */
export interface Config {
  readonly home: string
  readonly workspace: string
  readonly agents: readonly AgentConfig[]
  /** Who hooks run as, where the gate may change users. */
  readonly hooksUser: string
  /** The variables that approved hooks may have, with their values (empty: not set). */
  readonly hooksEnv: Readonly<Record<string, string>>
  readonly separation: GateFile['separation']
  /** Agents of others: who runs them (absent: whoever runs the gate), what they may do while the gate is away, and the port for their HTTP hooks (0: none). */
  readonly bridge: {
    readonly user?: string
    readonly unreachable: GateFile['bridge']['unreachable']
    readonly port: number
  }
  /** Drafts leave although a hook judges what leaves. */
  readonly previews: boolean
  readonly web: { readonly host: string; readonly port: number }
  readonly telegram?: {
    readonly token: string
    readonly apiRoot?: string
    readonly chats: readonly string[]
    readonly webhook?: { readonly url: string; readonly host: string; readonly port: number }
  }
  readonly wechat?: { readonly puppet: string }
  /** `telegram:7`: adopted when the ledger is empty. */
  readonly owners: readonly string[]
  readonly isForcedOn: boolean
  /** What hooks of type `http` may use: the listed variables with their values (empty: not set), and whether local servers are open to them. */
  readonly http: { readonly env: Readonly<Record<string, string>>; readonly allowLocal: boolean }
  readonly llm?: {
    readonly baseUrl: string
    readonly model: string
    readonly apiKeyEnv?: string
    /** Absent when the variable is not set. */
    readonly apiKey?: string
    readonly maxCallsPerHour: number
    readonly maxTokens: number
  }
  /** The person's own folder of the Agent Hooks specification. */
  readonly agentHooks: string
  /** The home of the person who started hookgate, in which other systems keep hooks of theirs. */
  readonly person: string
  readonly tz?: string
  readonly lang: string
  /** The name of the person who started hookgate, also where `sudo` did it for them. */
  readonly user: string
  /** The events that led here, when a hook runs us: `event:event_id`, the oldest first. */
  readonly chain: readonly string[]
}

const problem = (code: string, message: string, fix: string, file?: string): ProblemError =>
  new ProblemError({ code, message, fix, ...(file === undefined ? {} : { file }) })

const describe = (issue: z.core.$ZodIssue, root: unknown): string => {
  const path = issue.path.map(String)
  const value = path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    root,
  )
  const name = path.join('.') || 'gate.yaml'
  if (issue.code === 'unrecognized_keys')
    return `Expected only known options under "${name}", got "${issue.keys[0] ?? ''}".`
  if (issue.code === 'invalid_key')
    return `Expected the names under "${path.slice(0, -1).join('.')}" to be small letters, digits, "-" and "_", beginning with a letter, got ${got(path.at(-1))}.`
  const expected =
    issue.code === 'invalid_type' && ['object', 'record'].includes(issue.expected)
      ? 'a mapping'
      : issue.message
  return `Expected "${name}" to be ${expected}, got ${got(value)}.`
}

/** Loaded where there is a gate.yaml: nothing else of the gate's own thread needs it. */
const load = createRequire(import.meta.url) as (name: 'yaml') => typeof Yaml

const readYaml = (text: string, file: string): unknown => {
  const { LineCounter, parseDocument } = load('yaml')
  const lineCounter = new LineCounter()
  const syntax = (why: string, at = ''): ProblemError =>
    problem('gate.syntax', `Expected YAML, but ${why.split('\n')[0]}.`, 'Mend the file.', file + at)
  try {
    const document = parseDocument(text, { lineCounter, logLevel: 'error', prettyErrors: false })
    const broken = document.errors[0]
    if (broken !== undefined) {
      const { line, col } = lineCounter.linePos(broken.pos[0])
      throw syntax(broken.message, `:${line}:${col}`)
    }
    return document.toJS({ maxAliasCount: 100 }) ?? {}
  } catch (error) {
    // Aliases that unfold without end, brackets nested deeper than the parser's stack.
    throw error instanceof ProblemError
      ? error
      : syntax(error instanceof Error ? error.message : 'it cannot be read')
  }
}

const readGateFile = (home: string): GateFile => {
  const file = join(home, 'gate.yaml')
  const read = readBounded(file, 1_000_000)
  if ('why' in read) {
    if (read.why === 'missing') return gateSchema.parse({})
    throw problem(
      'gate.unreadable',
      `Expected gate.yaml to be a readable file of at most 1 MB, but it is ${read.why}.`,
      'Mend or remove it.',
      file,
    )
  }
  const root = readYaml(read.text, file)
  const parsed = gateSchema.safeParse(root)
  if (parsed.success) return parsed.data
  const [first] = parsed.error.issues
  const known = first?.code === 'unrecognized_keys' ? knownOptions(gateSchema, first.path, root) : []
  throw problem(
    'gate.value',
    first === undefined ? 'Expected gate.yaml to be valid.' : describe(first, root),
    `Mend or remove the option${known.length === 0 ? '' : `; there are ${known.join(', ')}`}.`,
    file,
  )
}

const portOf = (text: string | undefined, otherwise: number): number => {
  if (text === undefined || text === '') return otherwise
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw problem(
      'env.port',
      `Expected HOOKGATE_PORT to be a port from 0 to 65535, got ${got(text)}.`,
      'Say HOOKGATE_PORT=8787.',
    )
  return port
}

const ownersOf = (text: string | undefined): readonly string[] => {
  const owners = (text ?? '')
    .split(',')
    .map((owner) => owner.trim())
    .filter((owner) => owner !== '')
  const wrong = owners.find((owner) => !/^[a-z]+:\S{1,100}$/.test(owner))
  if (wrong !== undefined)
    throw problem(
      'env.owners',
      `Expected HOOKGATE_OWNERS to be a list such as telegram:7,telegram:8, got ${got(wrong)}.`,
      'Write each owner as channel:numeric id.',
    )
  return owners
}

const isOwnTree = (folder: string): boolean => isInside(packageRoot(), folder)

/** `~/hookgate`, unless hookgate itself was put there. */
const defaultWorkspace = (): string => {
  const usual = join(homedir(), 'hookgate')
  return isOwnTree(usual) ? `${usual}-workspace` : usual
}

type Env = Readonly<Record<string, string | undefined>>

/** The variables that `http` hooks may name. A bot's token opens the gate itself: it is nobody else's to read. */
const httpEnvOf = (file: GateFile, env: Env): Readonly<Record<string, string>> => {
  const token = file.channels.telegram.token_env
  if (file.http.env.includes(token))
    throw problem(
      'gate.value',
      `Expected "http.env" to name no bot's token, got ${got(token)}.`,
      'Remove it from the list.',
    )
  return Object.fromEntries(file.http.env.map((name) => [name, env[name] ?? '']))
}

/** A bot's token opens the gate, and a key is for whoever it was given to: a hook can print what it has. */
const hooksEnvOf = (file: GateFile, env: Env): Readonly<Record<string, string>> => {
  const keys = Object.values(file.agents).flatMap((agent) => {
    if (agent.kind === 'acp') return agent.env
    return agent.kind === 'openai' && agent.api_key_env !== undefined ? [agent.api_key_env] : []
  })
  const own = new Set([
    file.channels.telegram.token_env,
    'TELEGRAM_BOT_TOKEN',
    ...keys,
    ...(file.llm?.api_key_env === undefined ? [] : [file.llm.api_key_env]),
  ])
  const wrong = file.hooks.env.find((name) => own.has(name))
  if (wrong !== undefined)
    throw problem(
      'gate.value',
      `Expected "hooks.env" to name no bot's token and no agent's key, got ${got(wrong)}.`,
      'Remove it from the list.',
    )
  return Object.fromEntries(file.hooks.env.map((name) => [name, env[name]?.trim() ?? '']))
}

const llmOf = ({ llm }: GateFile, env: Env): Config['llm'] => {
  if (llm === undefined) return undefined
  const key = llm.api_key_env === undefined ? '' : (env[llm.api_key_env] ?? '').trim()
  return {
    baseUrl: llm.base_url,
    model: llm.model,
    maxCallsPerHour: llm.max_calls_per_hour,
    maxTokens: llm.max_tokens,
    ...(llm.api_key_env === undefined ? {} : { apiKeyEnv: llm.api_key_env }),
    ...(key === '' ? {} : { apiKey: key }),
  }
}

/** No bot's token: it opens the gate itself. */
const keyOf = (variable: string, option: string, file: GateFile, env: Env): string => {
  if (variable === file.channels.telegram.token_env)
    throw problem(
      'gate.value',
      `Expected "${option}" to name no bot's token, got ${got(variable)}.`,
      'Name another variable.',
    )
  return (env[variable] ?? '').trim()
}

const wordsOf = (command: string | readonly string[]): readonly string[] =>
  typeof command === 'string' ? split(command) : command

const agentOf = (id: string, agent: GateFile['agents'][string], file: GateFile, env: Env): AgentConfig => {
  const { user, chats, ask } = agent
  const base = { id, user, chats, ask }
  switch (agent.kind) {
    case 'demo':
      return { ...base, make: { kind: 'demo' } }
    case 'openai': {
      const {
        model,
        context_tokens: contextTokens,
        max_steps: maxSteps,
        price,
        base_url: baseUrl,
        api_key_env,
      } = agent
      const apiKey =
        api_key_env === undefined ? '' : keyOf(api_key_env, `agents.${id}.api_key_env`, file, env)
      const missingKey = apiKey === '' ? api_key_env : undefined
      const endpoint = {
        baseUrl,
        model,
        perHour: { calls: agent.max_calls_per_hour, tokens: agent.max_tokens_per_hour },
        ...(apiKey === '' ? {} : { apiKey }),
        ...(missingKey === undefined ? {} : { missingKey }),
        ...(price === undefined ? {} : { price }),
      }
      return { ...base, make: { kind: 'openai', model, contextTokens, maxSteps }, endpoint }
    }
    case 'acp':
      return {
        ...base,
        make: {
          kind: 'acp',
          command: wordsOf(agent.command),
          env: Object.fromEntries(
            agent.env.flatMap((name) => {
              const value = keyOf(name, `agents.${id}.env`, file, env)
              return value === '' ? [] : [[name, value]]
            }),
          ),
        },
      }
  }
}

/** The XDG rule: a relative path there counts as none. */
const configHomeOf = (env: Env): string => {
  const said = env['XDG_CONFIG_HOME'] ?? ''
  return isAbsolute(said) ? said : join(homedir(), '.config')
}

/** Of the account that this process runs as; a number alone has no name. */
const accountName = (): string => {
  try {
    return userInfo().username
  } catch {
    return 'hookgate'
  }
}

/** Reads environment and gate.yaml. Throws a ProblemError that says what was expected, what came and what to do. */
export const loadConfig = (env: Env): Config => {
  const home = homeOf(env)
  const workspace = resolve(env['HOOKGATE_WORKSPACE'] || defaultWorkspace())
  if (isOwnTree(workspace))
    throw problem(
      'env.workspace',
      `Expected HOOKGATE_WORKSPACE to be a folder of its own, got ${got(workspace)}, which is inside hookgate itself.`,
      'Say HOOKGATE_WORKSPACE=/another/folder.',
    )
  const file = readGateFile(home)
  const { telegram, wechat, web } = file.channels
  const token = (env[telegram.token_env] ?? '').trim()
  const apiRoot = env['TELEGRAM_API_ROOT'] || undefined
  if (apiRoot !== undefined && !/^https?:$/.test(URL.parse(apiRoot)?.protocol ?? ''))
    throw problem(
      'env.api_root',
      `Expected TELEGRAM_API_ROOT to be an address, got ${got(apiRoot)}.`,
      'Say TELEGRAM_API_ROOT=https://host.',
    )
  const tz = env['TZ'] || undefined
  const llm = llmOf(file, env)
  return {
    home,
    workspace,
    agents: Object.entries(file.agents).map(([id, agent]) => agentOf(id, agent, file, env)),
    hooksUser: file.hooks.user,
    hooksEnv: hooksEnvOf(file, env),
    separation: file.separation,
    bridge: {
      unreachable: file.bridge.unreachable,
      port: file.bridge.http.port,
      ...(file.bridge.user === undefined ? {} : { user: file.bridge.user }),
    },
    previews: file.previews,
    web: { host: web.host, port: portOf(env['HOOKGATE_PORT'], web.port) },
    ...(token === ''
      ? {}
      : {
          telegram: {
            token,
            chats: telegram.chats,
            ...(telegram.mode === 'polling' || telegram.webhook === undefined
              ? {}
              : { webhook: telegram.webhook }),
            ...(apiRoot === undefined ? {} : { apiRoot }),
          },
        }),
    ...(wechat.puppet === 'none' ? {} : { wechat: { puppet: wechat.puppet } }),
    owners: ownersOf(env['HOOKGATE_OWNERS']),
    isForcedOn: env['STARCHILD_SHELL_HOOKS'] === '1',
    http: { env: httpEnvOf(file, env), allowLocal: env['STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL'] === '1' },
    ...(llm === undefined ? {} : { llm }),
    agentHooks: join(configHomeOf(env), 'agents', 'hooks'),
    person: homedir(),
    lang: env['LANG'] ?? 'C.UTF-8',
    user: env['SUDO_USER'] || env['USER'] || env['LOGNAME'] || accountName(),
    chain: chainOf(env),
    ...(tz === undefined ? {} : { tz }),
  }
}
