import { homedir, userInfo } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { split } from 'shlex'
import { zoneName } from '../shared/chat/zone.ts'
import type { AgentMake } from '../shared/gate/agent.ts'
import { got, ProblemError, type Problem } from '../core/model/gate/problem.ts'
import { packageRoot } from './first-start.ts'
import { defaultGate, readGateFile, type GateText } from './gate-file.ts'
import { databaseOf, ownersOf, portOf } from './env-values.ts'
import { chainOf, homeOf, type Env } from './home.ts'
import { botSecrets, messengersOf, type Messengers } from './messengers/load.ts'
import { isInside } from './read-bounded.ts'
import type { GateFile } from './schema.ts'
import { traceSettingsOf, type TraceSettings } from '../traces/settings.ts'

export interface AgentConfig {
  readonly id: string
  readonly user: string
  readonly chats: readonly string[]
  /** Tools whose calls a person has to approve, unless a hook explicitly allows the call. */
  readonly ask: readonly string[]
  readonly make: AgentMake
  /** The node on which it runs. Absent: it runs here. */
  readonly node?: string
  /**
   * The address of its model and the key, which only the gate knows. Only agents of kind `openai` have it.
   */
  readonly endpoint?: {
    readonly baseUrl: string
    readonly model: string
    readonly apiKey?: string
    /** The variable that should hold the key. It is set here when that variable is empty. */
    readonly missingKey?: string
    /** US dollars per million tokens. */
    readonly price?: { readonly input: number; readonly output: number }
    readonly perHour: { readonly calls: number; readonly tokens: number }
  }
}

/**
 * The whole configuration of one run. The environment takes precedence over gate.yaml, and gate.yaml over the
 * defaults. It is read once, and only here.
 */
export interface Config extends Messengers {
  readonly home: string
  readonly workspace: string
  readonly agents: readonly AgentConfig[]
  /** The user that hooks run as, where the gate may change users. */
  readonly hooksUser: string
  /**
   * The variables that approved hooks may have, with their values. An empty value means that the variable is
   * not set.
   */
  readonly hooksEnv: Readonly<Record<string, string>>
  readonly separation: GateFile['separation']
  /**
   * Agents that hookgate does not run. `user` runs them (absent: the user who runs the gate). `unreachable`
   * says what they may do while the gate does not run. `port` serves their HTTP hooks (0: none).
   */
  readonly bridge: {
    readonly user?: string
    readonly unreachable: GateFile['bridge']['unreachable']
    readonly port: number
  }
  /** True when drafts are sent although a hook judges outbound messages. */
  readonly previews: boolean
  readonly showsHeldText: boolean
  readonly history: GateFile['history']
  /** Undefined: no metrics are served. */
  readonly metrics: GateFile['metrics']
  /** True when npm is asked for a newer version once a day. */
  readonly updates: boolean
  /** Undefined: no traces are sent. */
  readonly traces: TraceSettings | undefined
  readonly web: { readonly host: string; readonly port: number; readonly origin?: string }
  /** Where nodes reach this gate. `url` is the address that they use. Absent: there are none. */
  readonly nodes?: { readonly host: string; readonly port: number; readonly url: string }
  /** Owners such as `telegram:7`. They are adopted only while the ledger is empty. */
  readonly owners: readonly string[]
  readonly isForcedOn: boolean
  /**
   * Settings of hooks of type `http`. `env` holds the listed variables with their values (empty: not set).
   * `allowLocal` says whether these hooks may call local servers.
   */
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
  /** The person's own folder of hooks in the format of the Agent Hooks specification. */
  readonly agentHooks: string
  /** The home of the person who started hookgate. Other hook systems keep their hooks there. */
  readonly person: string
  readonly tz?: string
  readonly lang: string
  /** The name of the person who started hookgate, even if they used `sudo`. */
  readonly user: string
  /** The address of a PostgreSQL database with its password. Absent: ledger and store are files in `home`. */
  readonly database?: string
  /** The events that led to this process, when a hook started it: `event:event_id`, the oldest first. */
  readonly chain: readonly string[]
}

const problem = (code: string, message: string, fix: string, place: Partial<Problem> = {}): ProblemError =>
  new ProblemError({ code, message, fix, ...place })

const isOwnTree = (folder: string): boolean => isInside(packageRoot(), folder)

/** Returns `~/hookgate`, or `~/hookgate-workspace` if hookgate itself lies there. */
const defaultWorkspace = (): string => {
  const usual = join(homedir(), 'hookgate')
  return isOwnTree(usual) ? `${usual}-workspace` : usual
}

/**
 * Returns the variables that `http` hooks may name. A bot's token is refused, because it gives access to the
 * gate.
 */
const httpEnvOf = ({ file, placeOf }: GateText, env: Env): Readonly<Record<string, string>> => {
  const secret = botSecrets(file).find((name) => file.http.env.includes(name))
  if (secret !== undefined)
    throw problem(
      'gate.value',
      `Expected "http.env" to name no bot's token, got ${got(secret)}.`,
      'Remove it from the list.',
      placeOf(['http', 'env']),
    )
  return Object.fromEntries(file.http.env.map((name) => [name, env[name] ?? '']))
}

/**
 * Returns the variables that hooks may have. A bot's token is refused, because it gives access to the gate.
 * An agent's key is refused, because a hook can print what it has.
 */
const hooksEnvOf = ({ file, placeOf }: GateText, env: Env): Readonly<Record<string, string>> => {
  const keys = Object.values(file.agents).flatMap((agent) => {
    if (agent.kind === 'acp') return agent.env
    return agent.kind === 'openai' && agent.api_key_env !== undefined ? [agent.api_key_env] : []
  })
  const own = new Set([
    ...botSecrets(file),
    ...keys,
    ...(file.llm?.api_key_env === undefined ? [] : [file.llm.api_key_env]),
  ])
  const wrong = file.hooks.env.find((name) => own.has(name))
  if (wrong !== undefined)
    throw problem(
      'gate.value',
      `Expected "hooks.env" to name no bot's token and no agent's key, got ${got(wrong)}.`,
      'Remove it from the list.',
      placeOf(['hooks', 'env']),
    )
  return Object.fromEntries(file.hooks.env.map((name) => [name, env[name]?.trim() ?? '']))
}

const nodesOf = ({ nodes }: GateFile): Config['nodes'] =>
  nodes === undefined ? undefined : { url: `http://127.0.0.1:${nodes.port}`, ...nodes }

const llmOf = ({ llm }: GateFile, env: Env): Config['llm'] => {
  if (llm === undefined) return undefined
  const key = llm.api_key_env === undefined ? '' : (env[llm.api_key_env] ?? '').trim()
  return {
    baseUrl: llm.base_url,
    model: llm.model,
    maxCallsPerHour: llm.max_calls_per_hour,
    maxTokens: llm.max_tokens,
    apiKeyEnv: llm.api_key_env,
    apiKey: key || undefined,
  }
}

/** Returns a key. A bot's token is refused, because it gives access to the gate. */
const keyOf = (variable: string, option: readonly string[], gate: GateText, env: Env): string => {
  if (botSecrets(gate.file).includes(variable))
    throw problem(
      'gate.value',
      `Expected "${option.join('.')}" to name no bot's token, got ${got(variable)}.`,
      'Name another variable.',
      gate.placeOf(option),
    )
  return (env[variable] ?? '').trim()
}

const wordsOf = (
  command: string | readonly string[],
  option: readonly string[],
  gate: GateText,
): readonly string[] => {
  if (typeof command !== 'string') return command
  try {
    return split(command)
  } catch {
    throw problem(
      'gate.value',
      `Expected "${option.join('.')}" to be a command whose quotes are closed, got ${got(command)}.`,
      'Close the quotes, or write a list of words.',
      gate.placeOf(option),
    )
  }
}

const agentOf = (id: string, agent: GateFile['agents'][string], gate: GateText, env: Env): AgentConfig => {
  const { user, chats, ask, node } = agent
  if (node !== undefined && gate.file.nodes === undefined)
    throw problem(
      'gate.value',
      `Expected "nodes" in gate.yaml, since "agents.${id}.node" is ${got(node)}, got none.`,
      'Add a line such as nodes: {port: 8790}.',
      gate.placeOf(['agents', id, 'node']),
    )
  const base = { id, user, chats, ask, node }
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
        api_key_env === undefined ? '' : keyOf(api_key_env, ['agents', id, 'api_key_env'], gate, env)
      const missingKey = apiKey === '' ? api_key_env : undefined
      const endpoint = {
        baseUrl,
        model,
        perHour: { calls: agent.max_calls_per_hour, tokens: agent.max_tokens_per_hour },
        apiKey: apiKey || undefined,
        missingKey,
        price,
      }
      return { ...base, make: { kind: 'openai', model, contextTokens, maxSteps }, endpoint }
    }
    case 'acp':
      return {
        ...base,
        make: {
          kind: 'acp',
          command: wordsOf(agent.command, ['agents', id, 'command'], gate),
          env: Object.fromEntries(
            agent.env.flatMap((name) => {
              const value = keyOf(name, ['agents', id, 'env'], gate, env)
              return value === '' ? [] : [[name, value]]
            }),
          ),
        },
      }
  }
}

/** Returns the folder of settings. The XDG specification ignores a relative path. */
const configHomeOf = (env: Env): string => {
  const configured = env['XDG_CONFIG_HOME'] ?? ''
  return isAbsolute(configured) ? configured : join(homedir(), '.config')
}

/** Returns this process's account name, or `hookgate` if it has none. */
const accountName = (): string => {
  try {
    return userInfo().username
  } catch {
    return 'hookgate'
  }
}

const workspaceOf = (env: Env): string => {
  const workspace = resolve(env['HOOKGATE_WORKSPACE'] || defaultWorkspace())
  if (isOwnTree(workspace))
    throw problem(
      'env.workspace',
      `Expected HOOKGATE_WORKSPACE to be a folder of its own, got ${got(workspace)}, which is inside hookgate itself.`,
      'Set HOOKGATE_WORKSPACE=/another/folder.',
    )
  return workspace
}

/** Reads the parts one after another, and collects the problems of all of them. */
const createCollector = () => {
  const problems: Problem[] = []
  return {
    problems,
    /** Returns what was read or, where that failed, `otherwise`. */
    take: <T>(read: () => T, otherwise: T): T => {
      try {
        return read()
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error
        problems.push(...error.problems)
        return otherwise
      }
    },
  }
}

/**
 * Reads the environment and gate.yaml, with all problems and their fixes. Where something is wrong, the
 * default stands in its place. `workspace` is empty where it is wrong.
 */
export const readConfig = (
  env: Env,
): { readonly config: Config; readonly problems: readonly Problem[]; readonly hasFile: boolean } => {
  const { take, problems } = createCollector()
  const home = homeOf(env)
  const gate = take(() => readGateFile(home), defaultGate())
  const { file } = gate
  const workspace = take(() => workspaceOf(env), '')
  const { web } = file.channels
  const database = take(() => databaseOf(env), undefined)
  const traces = take(() => traceSettingsOf(env), undefined)
  const port = take(() => portOf(env['HOOKGATE_PORT'], web.port), 0)
  const owners = take(() => ownersOf(env['HOOKGATE_OWNERS']), [])
  const agents = Object.entries(file.agents).flatMap(([id, agent]) =>
    take(() => [agentOf(id, agent, gate, env)], []),
  )
  const hooksEnv = take(() => hooksEnvOf(gate, env), {})
  const httpEnv = take(() => httpEnvOf(gate, env), {})
  const tz = zoneName(env['TZ'] ?? '')
  const llm = llmOf(file, env)
  const nodes = nodesOf(file)
  const config: Config = {
    home,
    workspace,
    agents,
    database,
    hooksUser: file.hooks.user,
    hooksEnv,
    separation: file.separation,
    bridge: {
      unreachable: file.bridge.unreachable,
      port: file.bridge.http.port,
      user: file.bridge.user,
    },
    previews: file.previews,
    showsHeldText: file.held_text,
    history: file.history,
    metrics: file.metrics,
    updates: file.updates,
    traces,
    web: { host: web.host, port, origin: web.origin },
    ...messengersOf(file, env, take),
    nodes,
    owners,
    isForcedOn: env['STARCHILD_SHELL_HOOKS'] === '1',
    http: { env: httpEnv, allowLocal: env['STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL'] === '1' },
    llm,
    agentHooks: join(configHomeOf(env), 'agents', 'hooks'),
    person: homedir(),
    lang: env['LANG'] ?? 'C.UTF-8',
    user: env['SUDO_USER'] || env['USER'] || env['LOGNAME'] || accountName(),
    chain: chainOf(env),
    tz,
  }
  return { config, problems, hasFile: gate.isThere }
}

/** Reads the environment and gate.yaml. Throws a ProblemError with all problems and their fixes. */
export const loadConfig = (env: Env): Config => {
  const { config, problems } = readConfig(env)
  const [first, ...more] = problems
  if (first !== undefined) throw new ProblemError(first, ...more)
  return config
}
