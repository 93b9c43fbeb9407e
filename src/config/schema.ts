import { isIP } from 'node:net'
import { z } from 'zod'
import { nodeName } from '../core/model/nodes/node.ts'
import { refusedInWords, refusedVariable } from '../shared/hooks/hook-world.ts'
import { feishu, telegram, wechat } from './messengers/schema.ts'
import { chatIds, isBaseUrl, portFrom, variableName } from './messengers/values.ts'

const listOfNames = 'a list of names of environment variables'
const aHookVariable = `a variable that a hook may have (${refusedInWords})`
/** With port 0, nothing listens or the system chooses a port, depending on the option. */
const port = portFrom(0)
const aUser = 'the name of a user of this machine'
const user = z.string(aUser).regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,31}\$?$/, aUser)
const anAddress =
  'an https:// or http:// address without user, password, "?" and "#", such as https://openrouter.ai/api/v1'
const isIpAddress = (text: string): boolean => isIP(text) !== 0
const count = (words: string, max: number) => z.int(words).min(1, words).max(max, words)

/** A model behind an OpenAI-compatible endpoint. The owner chooses it, so it may be local. */
const endpoint = {
  base_url: z
    .string(anAddress)
    .refine(isBaseUrl, anAddress)
    .describe('The model is asked at this address. It speaks OpenAI’s chat completions.'),
  model: z
    .string('the name of a model')
    .min(1, 'the name of a model')
    .max(200, 'the name of a model')
    .describe('This model is asked. The name is the one that the endpoint gives it.'),
  api_key_env: variableName
    .optional()
    .describe('This variable holds the key of the endpoint. Only the gate reads it.'),
}
const aPrice = 'a number of US dollars a million tokens'
const price = z.number(aPrice).min(0, aPrice)
const aNode = 'the name of a node, such as desk'
const ofEveryAgent = {
  user: user
    .default('hookgate-agent')
    .describe('The agent runs as this user, where hookgate may change users.'),
  chats: chatIds
    .default([])
    .describe(
      'These chats, such as telegram:-100123, talk to this agent. The first agent gets each chat that no agent names.',
    ),
  ask: z
    .array(z.string('the name of a tool').min(1, 'the name of a tool'), 'a list of names of tools')
    .default([])
    .describe('Each call of these tools waits for your yes, unless a hook explicitly allows it.'),
  node: z
    .string(aNode)
    .regex(nodeName, aNode)
    .exactOptional()
    .describe('The agent runs on this node. Without it the agent runs on the machine of the gate.'),
}
const aCommand = 'a command, such as gemini --acp, or a list of its words'

const kinds = 'demo, openai or acp'
const kind = <Kind extends string>(name: Kind) =>
  z
    .literal(name, kinds)
    .describe(
      'The agent is the demo (demo), a model with tools (openai), or a program that speaks the Agent Client Protocol (acp).',
    )

const agent = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: kind('demo'), ...ofEveryAgent }),
    z.strictObject({
      kind: kind('openai'),
      ...ofEveryAgent,
      ...endpoint,
      context_tokens: z
        .int('a number of tokens from 4000')
        .min(4000, 'a number of tokens from 4000')
        .default(128_000)
        .describe('The model takes this many tokens. A longer conversation is compacted.'),
      max_steps: count('a whole number from 1 to 1000', 1000)
        .default(50)
        .describe('The model is called at most this many times for one message of yours.'),
      price: z
        .strictObject(
          {
            input: price.describe('This is the price of a million tokens that the model reads.'),
            output: price.describe('This is the price of a million tokens that the model writes.'),
          },
          'a mapping with "input" and "output"',
        )
        .optional()
        .describe('This is the price of the model. Hooks see the cost of each call.'),
      max_calls_per_hour: count('a whole number from 1 to 100000', 100_000)
        .default(600)
        .describe('The agent and its tools may ask the model at most this many times within an hour.'),
      max_tokens_per_hour: count('a whole number from 1000 to 1000000000', 1_000_000_000)
        .min(1000, 'a whole number from 1000 to 1000000000')
        .default(10_000_000)
        .describe('The agent and its tools may use at most this many tokens within an hour.'),
    }),
    z.strictObject({
      kind: kind('acp'),
      ...ofEveryAgent,
      command: z
        .union([z.string().min(1), z.array(z.string()).min(1)], aCommand)
        .describe('This program is the agent. It speaks the Agent Client Protocol.'),
      env: z
        .array(variableName, listOfNames)
        .max(50, 'a list of at most 50 names')
        .default([])
        .describe('The program gets these variables of hookgate’s environment, such as its own key.'),
    }),
  ],
  kinds,
)

const hooks = z.strictObject({
  user: user.default('hookgate-hooks').describe('Hooks run as this user, where hookgate may change users.'),
  env: z
    .array(
      variableName.refine((variable) => !refusedVariable.test(variable), aHookVariable),
      listOfNames,
    )
    .max(50, 'a list of at most 50 names')
    .default([])
    .describe('Approved hooks may have these variables of hookgate’s environment, and no others of it.'),
})

const bridge = z.strictObject({
  user: user
    .optional()
    .describe('These agents run as this user. Without it they run as the user who runs the gate.'),
  unreachable: z
    .literal(['owner', 'deny', 'allow'], 'owner, deny or allow')
    .default('owner')
    .describe(
      'This decides what these agents may do while the gate does not run: what the switch said last (owner), nothing (deny) or everything (allow).',
    ),
  http: z
    .strictObject({
      port: port
        .default(8789)
        .describe(
          'The gate listens on this port of 127.0.0.1 for clients that call HTTP hooks. With 0 it does not.',
        ),
    })
    .prefault({})
    .describe('Clients that call HTTP hooks reach the gate here.'),
})

const anOrigin =
  'an https:// address with a host name and no path, such as https://gate.example.org (http://localhost:8787 for a try on this machine)'
/** A passkey is bound to a host name. Browsers refuse one for an address of digits. */
const isOrigin = (text: string): boolean => {
  const url = URL.parse(text)
  if (url === null || url.origin !== text) return false
  return url.protocol === 'https:'
    ? /^(?=.{1,253}$)(?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{0,62}$/.test(url.hostname)
    : url.protocol === 'http:' && url.hostname === 'localhost'
}

const web = z.strictObject({
  host: z
    .literal(['127.0.0.1', 'localhost'], '127.0.0.1, since the page is for this machine only')
    .default('127.0.0.1')
    .describe('The web page listens on this address.'),
  port: port.default(8787).describe('The web page listens on this port. With 0 the system chooses one.'),
  origin: z
    .string(anOrigin)
    .refine(isOrigin, anOrigin)
    .exactOptional()
    .describe(
      'Your own proxy serves the page at this address, and it is served nowhere else. Passkeys log in there: send /login to hookgate in your chat to make one. Without it the page is for this machine only.',
    ),
})

const aNodeUrl =
  'an https:// address without user, "?" and "#", such as https://gate.example.org (http:// in a network that you trust)'
const nodes = z.strictObject(
  {
    host: z
      .string('an IP address of this machine, such as 127.0.0.1 or 0.0.0.0')
      .refine(isIpAddress, 'an IP address of this machine, such as 127.0.0.1 or 0.0.0.0')
      .default('127.0.0.1')
      .describe('hookgate listens on this address for nodes, or for the proxy in front of it.'),
    port: portFrom(1).default(8790).describe('hookgate listens on this port for nodes.'),
    url: z
      .string(aNodeUrl)
      .refine(isBaseUrl, aNodeUrl)
      .exactOptional()
      .describe('Nodes reach the gate at this address. /nodes add shows it.'),
  },
  'a mapping, such as {port: 8790}',
)

const http = z.strictObject({
  env: z
    .array(variableName, listOfNames)
    .max(50, 'a list of at most 50 names')
    .default([])
    .describe('Headers and signatures of these hooks may name these variables. No other variable leaves.'),
})

const llm = z.strictObject({
  ...endpoint,
  max_calls_per_hour: count('a whole number from 1 to 10000', 10_000)
    .default(600)
    .describe(
      'These hooks may ask the model at most this many times within an hour, and shadows as many times besides.',
    ),
  max_tokens: count('a whole number from 1 to 4000', 4000)
    .default(200)
    .describe('An answer of the model has at most this many tokens.'),
})

const history = z.strictObject({
  days: z
    .int('a whole number from 0 to 365')
    .min(0, 'a whole number from 0 to 365')
    .max(365, 'a whole number from 0 to 365')
    .default(7)
    .describe('Every event is kept for this many days. With 0 none is kept.'),
  megabytes: count('a whole number from 1 to 100000', 100_000)
    .default(200)
    .describe('The history takes about this much of the disk. The oldest events leave it for the newest.'),
  payloads: z
    .boolean('true or false')
    .default(true)
    .describe(
      'The history has what each event was about. With false it has only what hooks answered, and how long they took.',
    ),
})

const metrics = z.strictObject({
  port: portFrom(1).describe('A Prometheus server on this machine asks http://127.0.0.1:<port>/metrics.'),
})

/**
 * The schema of `<HOOKGATE_HOME>/gate.yaml`, which holds all settings that give power. The messages say in
 * errors what was expected. The descriptions appear in config/context/references/settings.md.
 */
export const gateSchema = z.strictObject({
  agents: z
    .record(z.string().regex(/^[a-z][a-z0-9_-]{0,30}$/), agent)
    .refine((agents) => Object.keys(agents).length > 0, 'at least one agent')
    .prefault({ main: { kind: 'demo' } })
    .describe('hookgate runs these agents, each under a name of its own.'),
  hooks: hooks.prefault({}).describe('This says how hooks run.'),
  bridge: bridge
    .prefault({})
    .describe('This is about agents that hookgate does not run: `hookgate bridge` connects them.'),
  previews: z
    .boolean('true or false')
    .default(false)
    .describe('With true, drafts of an unfinished answer are shown although a hook judges what leaves.'),
  held_text: z
    .boolean('true or false')
    .default(false)
    .describe(
      'With true, the card of a held message shows its text at once. Without it, an owner taps once for each message.',
    ),
  history: history
    .prefault({})
    .describe('Events are kept in the folder of the gate, so that owners can look at what hooks did.'),
  metrics: metrics
    .exactOptional()
    .describe(
      'hookgate counts events, hooks and what waits for a Prometheus server. Without it nothing listens.',
    ),
  updates: z
    .boolean('true or false')
    .default(true)
    .describe(
      'Once a day npm is asked for a newer version, at the registry that npm is set to, and owners are told of it once. With false, nobody asks.',
    ),
  separation: z
    .literal(['auto', 'users', 'sandbox', 'none'], 'auto, users, sandbox or none')
    .default('auto')
    .describe(
      'Agents are kept from the gate as far as this machine allows (auto), or exactly as named. hookgate does not start where it cannot do what is named.',
    ),
  channels: z
    .strictObject({
      web: web.prefault({}).describe('This is the web page.'),
      telegram: telegram.prefault({}).describe('This is your Telegram bot.'),
      feishu: feishu.prefault({}).describe('This is your app in Feishu or Lark.'),
      wechat: wechat.prefault({}).describe('This is WeChat.'),
    })
    .prefault({})
    .describe('hookgate connects these messengers.'),
  nodes: nodes
    .exactOptional()
    .describe('Other machines connect here with `hookgate node`. Without it there are no nodes.'),
  http: http.prefault({}).describe('This is about hooks of type http.'),
  llm: llm.optional().describe('Hooks of type llm ask this model. Without it they cannot answer.'),
})

export type GateFile = z.infer<typeof gateSchema>
