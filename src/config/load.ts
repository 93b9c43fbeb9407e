import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseDocument } from 'yaml'
import type { z } from 'zod'
import { got, ProblemError } from '../model/problem.ts'
import { readBounded } from './read-bounded.ts'
import { gateSchema, type GateFile } from './schema.ts'

/** The whole configuration of one run: environment over gate.yaml over defaults. Read once, here and nowhere else. */
export interface Config {
  readonly home: string
  readonly workspace: string
  readonly agents: readonly { readonly id: string; readonly kind: 'demo'; readonly chats: readonly string[] }[]
  readonly web: { readonly host: string; readonly port: number }
  readonly telegram?: { readonly token: string; readonly apiRoot?: string; readonly chats: readonly string[] }
  readonly wechat?: { readonly puppet: string }
  /** `telegram:7`: adopted when the ledger is empty. */
  readonly owners: readonly string[]
  readonly isForcedOn: boolean
  readonly tz?: string
  readonly lang: string
  /** The events that led here, when a hook runs us: `event:event_id`, the oldest first. */
  readonly chain: readonly string[]
}

const problem = (code: string, message: string, fix: string, file?: string): ProblemError =>
  new ProblemError({ code, message, fix, ...(file === undefined ? {} : { file }) })

const describe = (issue: z.core.$ZodIssue, root: unknown): string => {
  const path = issue.path.map(String)
  const value = path.reduce<unknown>((at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined), root)
  if (issue.code === 'unrecognized_keys') return `Expected only known options under "${path.join('.')}", got "${issue.keys[0] ?? ''}".`
  return `Expected "${path.join('.')}" to be ${issue.message}, got ${got(value)}.`
}

const readGateFile = (home: string): GateFile => {
  const file = join(home, 'gate.yaml')
  const read = readBounded(file, 1_000_000)
  if ('why' in read) {
    if (read.why === 'missing') return gateSchema.parse({})
    throw problem('gate.unreadable', `Expected gate.yaml to be a readable file of at most 1 MB, but it is ${read.why}.`, 'Mend or remove it.', file)
  }
  const document = parseDocument(read.text, { logLevel: 'error' })
  const broken = document.errors[0]
  if (broken !== undefined) throw problem('gate.syntax', `Expected YAML, but ${broken.message.split('\n')[0]}.`, 'Mend the file.', file)
  const root: unknown = document.toJS({ maxAliasCount: 100 }) ?? {}
  const parsed = gateSchema.safeParse(root)
  if (parsed.success) return parsed.data
  const [first] = parsed.error.issues
  throw problem('gate.value', first === undefined ? 'Expected gate.yaml to be valid.' : describe(first, root), 'Mend or remove the option.', file)
}

const portOf = (text: string | undefined, otherwise: number): number => {
  if (text === undefined || text === '') return otherwise
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw problem('env.port', `Expected HOOKGATE_PORT to be a port from 0 to 65535, got ${got(text)}.`, 'Say HOOKGATE_PORT=8787.')
  return port
}

const ownersOf = (text: string | undefined): readonly string[] => {
  const owners = (text ?? '').split(',').map((owner) => owner.trim()).filter((owner) => owner !== '')
  const wrong = owners.find((owner) => !/^[a-z]+:\S{1,100}$/.test(owner))
  if (wrong !== undefined) throw problem('env.owners', `Expected HOOKGATE_OWNERS to be a list such as telegram:7,telegram:8, got ${got(wrong)}.`, 'Write each owner as channel:numeric id.')
  return owners
}

/** Reads environment and gate.yaml. Throws a ProblemError that says what was expected, what came and what to do. */
export const loadConfig = (env: Readonly<Record<string, string | undefined>>): Config => {
  const home = resolve(env['HOOKGATE_HOME'] ?? join(homedir(), '.hookgate'))
  const workspace = resolve(env['HOOKGATE_WORKSPACE'] ?? join(homedir(), 'hookgate'))
  const file = readGateFile(home)
  const { telegram, wechat, web } = file.channels
  const token = env[telegram.token_env] ?? ''
  const apiRoot = env['TELEGRAM_API_ROOT']
  if (apiRoot !== undefined && !URL.canParse(apiRoot)) throw problem('env.api_root', `Expected TELEGRAM_API_ROOT to be an address, got ${got(apiRoot)}.`, 'Say TELEGRAM_API_ROOT=https://host.')
  const tz = env['TZ']
  return {
    home,
    workspace,
    agents: Object.entries(file.agents).map(([id, { kind, chats }]) => ({ id, kind, chats: chats ?? [] })),
    web: { host: web.host, port: portOf(env['HOOKGATE_PORT'], web.port) },
    ...(token === '' ? {} : { telegram: { token, chats: telegram.chats, ...(apiRoot === undefined ? {} : { apiRoot }) } }),
    ...(wechat.puppet === 'none' ? {} : { wechat: { puppet: wechat.puppet } }),
    owners: ownersOf(env['HOOKGATE_OWNERS']),
    isForcedOn: env['STARCHILD_SHELL_HOOKS'] === '1',
    lang: env['LANG'] ?? 'C.UTF-8',
    chain: (env['HOOKGATE_CHAIN'] ?? '').split(',').filter((link) => link !== ''),
    ...(tz === undefined ? {} : { tz }),
  }
}
