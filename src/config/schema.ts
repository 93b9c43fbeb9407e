import { z } from 'zod'
import { refusedInWords, refusedVariable } from '../model/hook-world.ts'

const name = z
  .string('the name of an environment variable')
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable')
const listOfNames = 'a list of names of environment variables'
const aHookVariable = `a variable that a hook may have (${refusedInWords})`
const aPort = 'a port from 0 to 65535'
const port = z.int(aPort).min(0, aPort).max(65_535, aPort)
const aUser = 'the name of a user of this machine'
const user = z.string(aUser).regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,31}\$?$/, aUser)
const chatIds = z.array(
  z.union([z.string(), z.number()], 'a chat id').transform(String),
  'a list of chat ids',
)

const anAddress =
  'an https:// or http:// address without user, password, "?" and "#", such as https://openrouter.ai/api/v1'
const isBaseUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    !/[?#\s\\]/.test(text)
  )
}
/** Source: core.telegram.org/bots/api#setwebhook. */
const webhookPorts = new Set(['', '80', '88', '443', '8443'])
const aWebhook =
  'an https:// address that Telegram can reach on port 443, 80, 88 or 8443, without user, "?" and "#", such as https://gate.example.org/telegram'
const isWebhook = (text: string): boolean =>
  isBaseUrl(text) &&
  text.length <= 500 &&
  /^https:/i.test(text) &&
  webhookPorts.has(URL.parse(text)?.port ?? '-')
const count = (words: string, max: number) => z.int(words).min(1, words).max(max, words)

/** A model behind an OpenAI-compatible endpoint. The owner's own choice: it may be local. */
const endpoint = {
  base_url: z.string(anAddress).refine(isBaseUrl, anAddress),
  model: z.string('the name of a model').min(1, 'the name of a model').max(200, 'the name of a model'),
  api_key_env: name.optional(),
}
const aPrice = 'a number of US dollars a million tokens'
const price = z.number(aPrice).min(0, aPrice)
const ofEveryAgent = {
  user: user.default('hookgate-agent'),
  chats: chatIds.default([]),
  ask: z
    .array(z.string('the name of a tool').min(1, 'the name of a tool'), 'a list of names of tools')
    .default([]),
}
const aCommand = 'a command, such as gemini --acp, or a list of its words'

const agent = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('demo'), ...ofEveryAgent }),
    z.strictObject({
      kind: z.literal('openai'),
      ...ofEveryAgent,
      ...endpoint,
      context_tokens: z
        .int('a number of tokens from 4000')
        .min(4000, 'a number of tokens from 4000')
        .default(128_000),
      max_steps: count('a whole number from 1 to 1000', 1000).default(50),
      price: z
        .strictObject({ input: price, output: price }, 'a mapping with "input" and "output"')
        .optional(),
      max_calls_per_hour: count('a whole number from 1 to 100000', 100_000).default(600),
      max_tokens_per_hour: count('a whole number from 1000 to 1000000000', 1_000_000_000)
        .min(1000, 'a whole number from 1000 to 1000000000')
        .default(10_000_000),
    }),
    z.strictObject({
      kind: z.literal('acp'),
      ...ofEveryAgent,
      command: z.union([z.string().min(1), z.array(z.string()).min(1)], aCommand),
      /** Variables of hookgate's environment that this program gets, such as a key of its own. */
      env: z
        .array(name, 'a list of names of environment variables')
        .max(50, 'a list of at most 50 names')
        .default([]),
    }),
  ],
  'demo, openai or acp',
)

/** `<HOOKGATE_HOME>/gate.yaml`: whatever gives power. Each message is what an error says was expected. */
export const gateSchema = z.strictObject({
  agents: z
    .record(z.string().regex(/^[a-z][a-z0-9_-]{0,30}$/), agent)
    .refine((agents) => Object.keys(agents).length > 0, 'at least one agent')
    .prefault({ main: { kind: 'demo' } }),
  hooks: z
    .strictObject({
      user: user.default('hookgate-hooks'),
      /** Variables of hookgate's environment that approved hooks may have: nothing else of it reaches them. */
      env: z
        .array(
          name.refine((variable) => !refusedVariable.test(variable), aHookVariable),
          listOfNames,
        )
        .max(50, 'a list of at most 50 names')
        .default([]),
    })
    .prefault({}),
  /** Agents of others, by `hookgate bridge`. */
  bridge: z
    .strictObject({
      /** Who runs them; absent: whoever runs the gate. */
      user: user.optional(),
      /** What they may do while the gate is away: what its owner left the switch at, nothing, or all. */
      unreachable: z.literal(['owner', 'deny', 'allow'], 'owner, deny or allow').default('owner'),
      /** On 127.0.0.1, for clients that call HTTP hooks; 0: not at all. */
      http: z.strictObject({ port: port.default(8789) }).prefault({}),
    })
    .prefault({}),
  /** Drafts of what the agent is still writing are shown although a hook judges what leaves. */
  previews: z.boolean('true or false').default(false),
  /** How far agents are kept from the gate: as far as this machine allows, or exactly so, or hookgate does not start. */
  separation: z.literal(['auto', 'users', 'sandbox', 'none'], 'auto, users, sandbox or none').default('auto'),
  channels: z
    .strictObject({
      web: z
        .strictObject({
          host: z
            .literal(['127.0.0.1', 'localhost'], '127.0.0.1, since the page is for this machine only')
            .default('127.0.0.1'),
          port: port.default(8787),
        })
        .prefault({}),
      telegram: z
        .strictObject({
          token_env: name.default('TELEGRAM_BOT_TOKEN'),
          mode: z.literal(['polling', 'webhook'], 'polling or webhook').default('polling'),
          /** Where Telegram sends to, and where the owner's proxy or tunnel hands it on to, under the same path. */
          webhook: z
            .strictObject(
              {
                url: z.string(aWebhook).refine(isWebhook, aWebhook),
                host: z
                  .literal(
                    ['127.0.0.1', 'localhost'],
                    '127.0.0.1, since your proxy or tunnel stands before it',
                  )
                  .default('127.0.0.1'),
                port: port.min(1, 'a port from 1 to 65535').default(8788),
              },
              'a mapping with the "url" that Telegram sends to',
            )
            .optional(),
          chats: chatIds.default([]),
        })
        .refine(({ mode, webhook }) => mode === 'polling' || webhook !== undefined, {
          path: ['webhook'],
          message: 'a mapping with the "url" that Telegram sends to, as "mode" is webhook',
        })
        .prefault({}),
      wechat: z
        .strictObject({
          puppet: z.string('none, ilink, or the name of an installed wechaty puppet').default('none'),
        })
        .prefault({}),
    })
    .prefault({}),
  /** The environment variables that headers and signatures of `http` hooks may name: nothing else of it leaves. */
  http: z
    .strictObject({
      env: z
        .array(name, 'a list of names of environment variables')
        .max(50, 'a list of at most 50 names')
        .default([]),
    })
    .prefault({}),
  /** Where hooks of type `llm` ask. */
  llm: z
    .strictObject({
      ...endpoint,
      max_calls_per_hour: count('a whole number from 1 to 10000', 10_000).default(600),
      max_tokens: count('a whole number from 1 to 4000', 4000).default(200),
    })
    .optional(),
})

export type GateFile = z.infer<typeof gateSchema>

/** `<workspace>/config/agent.yaml`: only the switch's readable face is ours; the rest belongs to the agent. YAML 1.2 reads `on` and `yes` as strings. */
export const agentSchema = z.looseObject({
  shell_hooks: z
    .looseObject({
      enabled: z
        .union([
          z.boolean(),
          z
            .string()
            .toLowerCase()
            .pipe(z.enum(['on', 'off', 'yes', 'no', 'true', 'false'])),
          z.literal([0, 1]),
        ])
        .optional(),
    })
    .optional(),
})
