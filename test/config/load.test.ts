import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/config/first-start.ts'
import { loadConfig } from '../../src/config/load.ts'
import { readBounded } from '../../src/config/read-bounded.ts'
import { version } from '../../src/config/version.ts'
import { createGateHome } from './gate-home.ts'
import { problemOf } from './problem-of.ts'

const gate = createGateHome()
const { load, yaml, workspace } = gate

test('without a file and with an empty environment everything has its default', () => {
  expect(load()).toEqual({
    home: gate.path(),
    workspace,
    agents: [{ id: 'main', make: { kind: 'demo' }, user: 'hookgate-agent', chats: [], ask: [] }],
    hooksUser: 'hookgate-hooks',
    hooksEnv: {},
    separation: 'auto',
    bridge: { unreachable: 'owner', port: 8789 },
    previews: false,
    showsHeldText: false,
    history: { days: 7, megabytes: 200, payloads: true },
    updates: true,
    web: { host: '127.0.0.1', port: 8787 },
    owners: [],
    isForcedOn: false,
    lang: 'C.UTF-8',
    user: os.userInfo().username,
    person: os.homedir(),
    chain: [],
    http: { env: {}, allowLocal: false },
    agentHooks: path.join(os.homedir(), '.config', 'agents', 'hooks'),
  })
  expect(loadConfig({})).toMatchObject({ home: path.join(os.homedir(), '.hookgate') })
})

test('hooks may have the variables that gate.yaml lists, set or not, and no others', () => {
  yaml('hooks: {env: [SLACK_WEBHOOK, UNSET]}')
  expect(load({ SLACK_WEBHOOK: ' https://hooks.example/x\n', OTHER: 'x' }).hooksEnv).toEqual({
    SLACK_WEBHOOK: 'https://hooks.example/x',
    UNSET: '',
  })
})

test('nodes reach the gate at the address that gate.yaml names, and an agent runs on one only where there are any', () => {
  yaml('nodes: {}\nagents: {main: {kind: demo, node: desk}}')
  expect(load()).toMatchObject({
    nodes: { host: '127.0.0.1', port: 8790, url: 'http://127.0.0.1:8790' },
    agents: [{ id: 'main', node: 'desk' }],
  })
  yaml('nodes: {host: 0.0.0.0, port: 9000, url: "https://gate.example.org"}')
  expect(load().nodes).toEqual({ host: '0.0.0.0', port: 9000, url: 'https://gate.example.org' })
  yaml('agents: {main: {kind: demo, node: desk}}')
  expect(problemOf(load)).toMatchObject({
    message: 'Expected "nodes" in gate.yaml, since "agents.main.node" is "desk" (string), got none.',
    fix: 'Add a line such as nodes: {port: 8790}.',
  })
  yaml('nodes: {host: everywhere}')
  expect(problemOf(load).message).toContain('an IP address of this machine')
})

test("no bot's token and no agent's key can be listed for hooks", () => {
  const said = (name: string): string =>
    `Expected "hooks.env" to name no bot's token and no agent's key, got "${name}" (string).`
  for (const [text, name] of [
    ['hooks: {env: [TELEGRAM_BOT_TOKEN]}', 'TELEGRAM_BOT_TOKEN'],
    ['hooks: {env: [FEISHU_APP_SECRET]}', 'FEISHU_APP_SECRET'],
    ['channels: {feishu: {app_secret_env: MINE}}\nhooks: {env: [MINE]}', 'MINE'],
    ['channels: {feishu: {app_secret_env: MINE}}\nhooks: {env: [FEISHU_APP_SECRET]}', 'FEISHU_APP_SECRET'],
    [
      'agents: {main: {kind: acp, command: x, env: [GEMINI_API_KEY]}}\nhooks: {env: [GEMINI_API_KEY]}',
      'GEMINI_API_KEY',
    ],
    ['llm: {base_url: "https://x/v1", model: m, api_key_env: KEY}\nhooks: {env: [KEY]}', 'KEY'],
  ] as const) {
    yaml(text)
    expect(problemOf(() => load()).message).toBe(said(name))
  }
})

test('the person is who started hookgate, also by sudo', () => {
  expect([
    load({ USER: 'ada' }).user,
    load({ USER: 'root', SUDO_USER: 'ada' }).user,
    load({ LOGNAME: 'eve' }).user,
  ]).toEqual(['ada', 'ada', 'eve'])
})

test('what is set to nothing is not set', () => {
  const config = loadConfig({
    HOOKGATE_HOME: '',
    HOOKGATE_WORKSPACE: '',
    HOOKGATE_PORT: '',
    HOOKGATE_OWNERS: '',
    TELEGRAM_BOT_TOKEN: '',
    TELEGRAM_API_ROOT: '',
    TZ: '',
  })
  expect(config).toMatchObject({
    home: path.join(os.homedir(), '.hookgate'),
    web: { port: 8787 },
    owners: [],
  })
  expect(config.telegram).toBeUndefined()
  expect(config.tz).toBeUndefined()
})

test('agents of others: who runs them, what they may do while the gate is away, and where HTTP hooks are served', () => {
  yaml('bridge: {user: ada, unreachable: deny, http: {port: 0}}')
  expect(load().bridge).toEqual({ user: 'ada', unreachable: 'deny', port: 0 })
})

test('hookgate that was put into ~/hookgate takes the folder beside it for its workspace', () => {
  const before = process.env['HOME']
  try {
    process.env['HOME'] = gate.path()
    expect(loadConfig({}).workspace).toBe(path.join(gate.path(), 'hookgate'))
    fs.symlinkSync(packageRoot(), path.join(gate.path(), 'hookgate'))
    expect(loadConfig({}).workspace).toBe(path.join(gate.path(), 'hookgate-workspace'))
  } finally {
    process.env['HOME'] = before
  }
})

test('the file is read, and the environment beats it', () => {
  yaml(`agents: {main: {kind: demo}, helper: {kind: demo, chats: [-1001, "telegram:7"]}}
channels:
  web: {host: localhost, port: 9000}
  telegram: {token_env: MY_TOKEN, mode: polling, chats: [-100200, "5"]}
  wechat: {puppet: wechaty-puppet-mock}
`)
  expect(
    load({ MY_TOKEN: ' 1:abc\n', TELEGRAM_BOT_TOKEN: 'other', TELEGRAM_API_ROOT: 'http://127.0.0.1:1/' }),
  ).toMatchObject({
    agents: [
      { id: 'main', chats: [] },
      { id: 'helper', chats: ['-1001', 'telegram:7'] },
    ],
    web: { host: 'localhost', port: 9000 },
    telegram: { token: '1:abc', apiRoot: 'http://127.0.0.1:1/', chats: ['-100200', '5'] },
    wechat: { puppet: 'wechaty-puppet-mock' },
  })
  expect(load({ HOOKGATE_PORT: '0' }).web.port).toBe(0)
  const hook = 'webhook: {url: "https://x.org:8443/hook"}'
  yaml(`channels: {telegram: {mode: webhook, ${hook}}}`)
  expect(load({ TELEGRAM_BOT_TOKEN: '1:abc' }).telegram?.webhook).toEqual({
    url: 'https://x.org:8443/hook',
    host: '127.0.0.1',
    port: 8788,
  })
  yaml(`channels: {telegram: {mode: polling, ${hook}}}`)
  expect(load({ TELEGRAM_BOT_TOKEN: '1:abc' }).telegram?.webhook).toBeUndefined()
  expect(load({ HOOKGATE_OWNERS: 'telegram:7, telegram:8 ,' }).owners).toEqual(['telegram:7', 'telegram:8'])
  expect(load({ STARCHILD_SHELL_HOOKS: '1' }).isForcedOn).toBe(true)
  for (const not of ['0', 'true', 'yes', ''])
    expect(load({ STARCHILD_SHELL_HOOKS: not }).isForcedOn).toBe(false)
  expect(load({ HOOKGATE_CHAIN: 'on_stop:a,on_error:b', TZ: 'UTC', LANG: 'de_DE.UTF-8' })).toMatchObject({
    chain: ['on_stop:a', 'on_error:b'],
    tz: 'UTC',
    lang: 'de_DE.UTF-8',
  })
  // A value that only a C library understands would end the gate at the first clock time.
  for (const TZ of [':/etc/localtime', 'Nowhere/At_All']) expect(load({ TZ }).tz).toBeUndefined()
})

test('of the environment, http hooks may use what the file lists, and nothing else', () => {
  yaml('http: {env: [GUARD_TOKEN, NOT_SET]}\n')
  const { http } = load({ GUARD_TOKEN: 's3cret', OTHER: 'x', STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL: '1' })
  expect(http).toEqual({ env: { GUARD_TOKEN: 's3cret', NOT_SET: '' }, allowLocal: true })
  for (const not of ['0', 'true', 'yes', ' 1', ''])
    expect(load({ STARCHILD_SHELL_HOOKS_HTTP_ALLOW_LOCAL: not }).http.allowLocal).toBe(false)
  yaml('http: {env: [MY_TOKEN]}\nchannels: {telegram: {token_env: MY_TOKEN}}\n')
  expect(problemOf(() => load({ MY_TOKEN: '1:abc' }))).toMatchObject({
    code: 'gate.value',
    message: 'Expected "http.env" to name no bot\'s token, got "MY_TOKEN" (string).',
  })
  yaml('http: {env: [FEISHU_APP_SECRET]}\n')
  expect(problemOf(() => load())).toMatchObject({
    message: 'Expected "http.env" to name no bot\'s token, got "FEISHU_APP_SECRET" (string).',
  })
})

test("an agent is made of what its kind needs; no key of a model reaches its host, and no bot's token any agent", () => {
  yaml(
    'agents: {main: {kind: openai, base_url: "http://127.0.0.1:11434/v1", model: m, api_key_env: K, price: {input: 1, output: 2}, ask: [bash]}, g: {kind: acp, command: "gemini --acp -m \'a b\'", env: [G, NONE]}, w: {kind: acp, command: [a, "b c"]}}\n',
  )
  expect(load({ K: ' sk-1\n', G: 'x' }).agents).toEqual([
    {
      id: 'main',
      user: 'hookgate-agent',
      chats: [],
      ask: ['bash'],
      make: { kind: 'openai', model: 'm', contextTokens: 128_000, maxSteps: 50 },
      endpoint: {
        baseUrl: 'http://127.0.0.1:11434/v1',
        model: 'm',
        apiKey: 'sk-1',
        price: { input: 1, output: 2 },
        perHour: { calls: 600, tokens: 10_000_000 },
      },
    },
    {
      id: 'g',
      user: 'hookgate-agent',
      chats: [],
      ask: [],
      make: { kind: 'acp', command: ['gemini', '--acp', '-m', 'a b'], env: { G: 'x' } },
    },
    {
      id: 'w',
      user: 'hookgate-agent',
      chats: [],
      ask: [],
      make: { kind: 'acp', command: ['a', 'b c'], env: {} },
    },
  ])
  yaml('agents: {main: {kind: openai, base_url: "http://127.0.0.1/v1", model: m, api_key_env: K}}\n')
  expect(load().agents[0]?.endpoint).toMatchObject({ baseUrl: 'http://127.0.0.1/v1', missingKey: 'K' })
  yaml(
    'agents: {main: {kind: openai, base_url: "http://127.0.0.1/v1", model: m, api_key_env: TELEGRAM_BOT_TOKEN}}\n',
  )
  expect(problemOf(() => load())).toMatchObject({
    message: 'Expected "agents.main.api_key_env" to name no bot\'s token, got "TELEGRAM_BOT_TOKEN" (string).',
  })
  yaml('agents: {main: {kind: acp, command: gemini, env: [TELEGRAM_BOT_TOKEN]}}\n')
  expect(problemOf(() => load())).toMatchObject({
    message: 'Expected "agents.main.env" to name no bot\'s token, got "TELEGRAM_BOT_TOKEN" (string).',
  })
})

test('the endpoint of hooks of type llm has its defaults, and its key comes from the environment', () => {
  expect(load().llm).toBeUndefined()
  yaml('llm: {base_url: "http://127.0.0.1:11434/v1", model: small}\n')
  expect(load().llm).toEqual({
    baseUrl: 'http://127.0.0.1:11434/v1',
    model: 'small',
    maxCallsPerHour: 600,
    maxTokens: 200,
  })
  yaml(
    'llm: {base_url: "https://llm.example/v1", model: m, api_key_env: LLM_KEY, max_calls_per_hour: 5, max_tokens: 99}\n',
  )
  const said = {
    baseUrl: 'https://llm.example/v1',
    model: 'm',
    apiKeyEnv: 'LLM_KEY',
    maxCallsPerHour: 5,
    maxTokens: 99,
  }
  expect(load({ LLM_KEY: ' sk-1\n' }).llm).toEqual({ ...said, apiKey: 'sk-1' })
  expect(load().llm).toEqual(said)
  for (const blank of ['', ' ']) expect(load({ LLM_KEY: blank }).llm).toEqual(said)
})

test("a person's own hooks stand where XDG says", () => {
  expect(load({ XDG_CONFIG_HOME: '/etc/me' }).agentHooks).toBe('/etc/me/agents/hooks')
  for (const none of ['', 'relative', '~/x'])
    expect(load({ XDG_CONFIG_HOME: none }).agentHooks).toBe(
      path.join(os.homedir(), '.config', 'agents', 'hooks'),
    )
})

describe('a bad value is told with what was expected, what came and what to do', () => {
  test.each([
    [
      'channels: {web: {port: 70000}}',
      'Expected "channels.web.port" to be a port from 0 to 65535, got 70000 (number).',
    ],
    [
      'channels: {web: {port: "80"}}',
      'Expected "channels.web.port" to be a port from 0 to 65535, got "80" (string).',
    ],
    [
      'channels: {web: {port: 1.5}}',
      'Expected "channels.web.port" to be a port from 0 to 65535, got 1.5 (number).',
    ],
    [
      'channels: {web: {host: 0.0.0.0}}',
      'Expected "channels.web.host" to be 127.0.0.1, since the page is for this machine only, got "0.0.0.0" (string).',
    ],
    [
      'channels: {telegram: {mode: pulling}}',
      'Expected "channels.telegram.mode" to be polling or webhook, got "pulling" (string).',
    ],
    [
      'channels: {telegram: {mode: webhook}}',
      'Expected "channels.telegram.webhook" to be a mapping with the "url" that Telegram sends to, as "mode" is webhook, got nothing.',
    ],
    [
      'channels: {telegram: {webhook: https://x.org}}',
      'Expected "channels.telegram.webhook" to be a mapping, got "https://x.org" (string).',
    ],
    [
      'channels: {telegram: {webhook: {url: "http://x.org/"}}}',
      'Expected "channels.telegram.webhook.url" to be an https:// address that Telegram can reach on port 443, 80, 88 or 8443, without user, "?" and "#", such as https://gate.example.org/telegram, got "http://x.org/" (string).',
    ],
    [
      'channels: {telegram: {webhook: {url: "https://x.org:444/"}}}',
      'Expected "channels.telegram.webhook.url" to be an https:// address that Telegram can reach on port 443, 80, 88 or 8443, without user, "?" and "#", such as https://gate.example.org/telegram, got "https://x.org:444/" (string).',
    ],
    [
      'channels: {telegram: {webhook: {url: "https://x.org/", host: 0.0.0.0}}}',
      'Expected "channels.telegram.webhook.host" to be 127.0.0.1, since your proxy or tunnel stands before it, got "0.0.0.0" (string).',
    ],
    [
      'channels: {telegram: {webhook: {url: "https://x.org/", port: 0}}}',
      'Expected "channels.telegram.webhook.port" to be a port from 1 to 65535, got 0 (number).',
    ],
    [
      'channels: {telegram: {token_env: "a b"}}',
      'Expected "channels.telegram.token_env" to be the name of an environment variable, got "a b" (string).',
    ],
    [
      'channels: {telegram: {token_env: 5}}',
      'Expected "channels.telegram.token_env" to be the name of an environment variable, got 5 (number).',
    ],
    [
      'channels: {telegram: {chats: 5}}',
      'Expected "channels.telegram.chats" to be a list of chat ids, got 5 (number).',
    ],
    [
      'channels: {telegram: {chats: [[]]}}',
      'Expected "channels.telegram.chats.0" to be a chat id, got [] (list).',
    ],
    [
      'channels: {feishu: {platform: dingtalk}}',
      'Expected "channels.feishu.platform" to be feishu or lark, got "dingtalk" (string).',
    ],
    [
      'channels: {feishu: {app_secret_env: "a b"}}',
      'Expected "channels.feishu.app_secret_env" to be the name of an environment variable, got "a b" (string).',
    ],
    [
      'channels: {feishu: {chats: [[]]}}',
      'Expected "channels.feishu.chats.0" to be a chat id, got [] (list).',
    ],
    [
      'channels: {feishu: {app_secret: s3cret}}',
      'Expected only known options under "channels.feishu", got "app_secret".',
    ],
    [
      'channels: {telegram: {token: "1:secret"}}',
      'Expected only known options under "channels.telegram", got "token".',
    ],
    [
      'channels: {wechat: {puppet: 5}}',
      'Expected "channels.wechat.puppet" to be none, ilink, or the name of an installed wechaty puppet, got 5 (number).',
    ],
    ['channels: {pigeon: {}}', 'Expected only known options under "channels", got "pigeon".'],
    ['channels: {web: 8787}', 'Expected "channels.web" to be a mapping, got 8787 (number).'],
    ['channels: []', 'Expected "channels" to be a mapping, got [] (list).'],
    [
      'agents: {main: {kind: robot}}',
      'Expected "agents.main.kind" to be demo, openai or acp, got "robot" (string).',
    ],
    ['agents: {main: {}}', 'Expected "agents.main.kind" to be demo, openai or acp, got nothing.'],
    [
      'agents: {main: {kind: openai, model: m}}',
      `Expected "agents.main.base_url" to be an https:// or http:// address without user, password, "?" and "#", such as https://openrouter.ai/api/v1, got nothing.`,
    ],
    [
      'agents: {main: {kind: openai, base_url: "http://127.0.0.1/v1"}}',
      'Expected "agents.main.model" to be the name of a model, got nothing.',
    ],
    [
      'agents: {main: {kind: openai, base_url: "http://127.0.0.1/v1", model: m, max_steps: 0}}',
      'Expected "agents.main.max_steps" to be a whole number from 1 to 1000, got 0 (number).',
    ],
    [
      'agents: {main: {kind: acp}}',
      'Expected "agents.main.command" to be a command, such as gemini --acp, or a list of its words, got nothing.',
    ],
    [
      'agents: {main: {kind: demo, ask: bash}}',
      'Expected "agents.main.ask" to be a list of names of tools, got "bash" (string).',
    ],
    ['agents: {main: demo}', 'Expected "agents.main" to be a mapping, got "demo" (string).'],
    ['agents: demo', 'Expected "agents" to be a mapping, got "demo" (string).'],
    ['agents: {}', 'Expected "agents" to be at least one agent, got {} (object).'],
    [
      'agents: {"../x": {kind: demo}}',
      'Expected the names under "agents" to be small letters, digits, "-" and "_", beginning with a letter, got "../x" (string).',
    ],
    [
      'agents: {main: {kind: demo, owner: root}}',
      'Expected only known options under "agents.main", got "owner".',
    ],
    [
      'agents: {main: {kind: demo, user: "a:b"}}',
      'Expected "agents.main.user" to be the name of a user of this machine, got "a:b" (string).',
    ],
    ['hooks: {user: 0}', 'Expected "hooks.user" to be the name of a user of this machine, got 0 (number).'],
    [
      'bridge: {unreachable: open}',
      'Expected "bridge.unreachable" to be owner, deny or allow, got "open" (string).',
    ],
    [
      'bridge: {http: {port: 70000}}',
      'Expected "bridge.http.port" to be a port from 0 to 65535, got 70000 (number).',
    ],
    ['separation: on', 'Expected "separation" to be auto, users, sandbox or none, got "on" (string).'],
    [
      'hooks: {env: [LD_PRELOAD]}',
      'Expected "hooks.env.0" to be a variable that a hook may have (HOME, PATH, LD_*, PYTHON*, GIT_*, NODE_*, BASH_*, XDG_*, HOOKGATE_* and the like are refused), got "LD_PRELOAD" (string).',
    ],
    [
      'http: {env: TOKEN}',
      'Expected "http.env" to be a list of names of environment variables, got "TOKEN" (string).',
    ],
    [
      'http: {env: ["a b"]}',
      'Expected "http.env.0" to be the name of an environment variable, got "a b" (string).',
    ],
    ['http: {allow_local: true}', 'Expected only known options under "http", got "allow_local".'],
    [
      'llm: {}',
      expect.stringMatching(
        /^Expected "llm\.base_url" to be an https:\/\/ or http:\/\/ address .*, got nothing\.$/,
      ),
    ],
    [
      'llm: {base_url: "ftp://x", model: m}',
      expect.stringMatching(/^Expected "llm\.base_url" to be an https.*, got "ftp:\/\/x" \(string\)\.$/),
    ],
    ['llm: {base_url: "https://u:p@x/v1", model: m}', expect.stringContaining('without user, password')],
    ['llm: {base_url: "https://x/v1?k=1", model: m}', expect.stringContaining('"llm.base_url"')],
    ['llm: {base_url: "https://x/v1"}', 'Expected "llm.model" to be the name of a model, got nothing.'],
    [
      'llm: {base_url: "https://x/v1", model: m, max_calls_per_hour: 0}',
      'Expected "llm.max_calls_per_hour" to be a whole number from 1 to 10000, got 0 (number).',
    ],
    [
      'llm: {base_url: "https://x/v1", model: m, max_tokens: 1.5}',
      'Expected "llm.max_tokens" to be a whole number from 1 to 4000, got 1.5 (number).',
    ],
    [
      'llm: {base_url: "https://x/v1", model: m, api_key: sk-1}',
      'Expected only known options under "llm", got "api_key".',
    ],
    ['owners: [telegram:7]', 'Expected only known options under "gate.yaml", got "owners".'],
    ['- a list', 'Expected "gate.yaml" to be a mapping, got ["a list"] (list).'],
    ['just words', 'Expected "gate.yaml" to be a mapping, got "just words" (string).'],
  ])('%s', (text, message) => {
    yaml(text)
    expect(problemOf(load)).toMatchObject({
      code: 'gate.value',
      message,
      file: path.join(gate.path(), 'gate.yaml'),
      fix: expect.stringMatching(/^\S.*\.$/),
    })
  })

  test.each([
    [
      'agent: {main: {kind: demo}}',
      'agents, hooks, bridge, previews, held_text, history, metrics, updates, separation, channels, nodes, http, llm',
      'agents',
    ],
    ['bridge: {http: {prt: 1}}', 'port', 'port'],
    ['agents: {main: {kind: demo, model: x}}', 'kind, user, chats, ask, node', 'node'],
    [
      'agents: {main: {kind: openai, base_url: "https://x/v1", model: x, api_key: k}}',
      'kind, user, chats, ask, node, base_url, model, api_key_env, context_tokens, max_steps, price, max_calls_per_hour, max_tokens_per_hour',
      'api_key_env',
    ],
    [
      'llm: {base_url: "https://x/v1", model: m, key: k}',
      'base_url, model, api_key_env, max_calls_per_hour, max_tokens',
    ],
  ])('%s: the options that there are, are named, and the nearest first', (text, known, meant?: string) => {
    yaml(text)
    expect(problemOf(load)).toMatchObject({
      fix: `${meant === undefined ? '' : `Did you mean "${meant}"? `}Correct or remove the option; there are ${known}.`,
    })
  })

  test.each<[string, Record<string, string>, string, unknown]>([
    [
      'a port that is none',
      { HOOKGATE_PORT: '80a' },
      'env.port',
      'Expected HOOKGATE_PORT to be a port from 0 to 65535, got "80a" (string).',
    ],
    [
      'a port of blanks',
      { HOOKGATE_PORT: ' ' },
      'env.port',
      'Expected HOOKGATE_PORT to be a port from 0 to 65535, got " " (string).',
    ],
    [
      'a port in another notation',
      { HOOKGATE_PORT: '0x50' },
      'env.port',
      'Expected HOOKGATE_PORT to be a port from 0 to 65535, got "0x50" (string).',
    ],
    [
      'a port that is too high',
      { HOOKGATE_PORT: '65536' },
      'env.port',
      'Expected HOOKGATE_PORT to be a port from 0 to 65535, got "65536" (string).',
    ],
    [
      'an owner without a channel',
      { HOOKGATE_OWNERS: 'telegram:7,8' },
      'env.owners',
      'Expected HOOKGATE_OWNERS to be a list such as telegram:7,telegram:8, got "8" (string).',
    ],
    [
      'an API root that is no address',
      { TELEGRAM_API_ROOT: 'api' },
      'env.api_root',
      'Expected TELEGRAM_API_ROOT to be an address, got "api" (string).',
    ],
    [
      'an API root of another kind',
      { TELEGRAM_API_ROOT: 'file:///etc' },
      'env.api_root',
      'Expected TELEGRAM_API_ROOT to be an address, got "file:///etc" (string).',
    ],
    [
      'a workspace inside hookgate itself',
      { HOOKGATE_WORKSPACE: path.join(packageRoot(), 'examples') },
      'env.workspace',
      expect.stringMatching(/^Expected HOOKGATE_WORKSPACE to be a folder of its own, got /),
    ],
    [
      "hookgate's own tree as the workspace",
      { HOOKGATE_WORKSPACE: packageRoot() },
      'env.workspace',
      expect.stringContaining('inside hookgate itself'),
    ],
  ])('%s', (_, env, code, message) => {
    expect(problemOf(() => load(env))).toMatchObject({
      code,
      message,
      fix: expect.stringMatching(/^\S.*\.$/),
    })
  })
})

test('a file is read whole, up to its limit, and nothing else is read at all', () => {
  const file = path.join(gate.path(), 'x')
  fs.writeFileSync(file, 'é'.repeat(500))
  expect(readBounded(file, 1000)).toEqual({ text: 'é'.repeat(500) })
  expect(readBounded(file, 999)).toEqual({ why: 'too large' })
  expect(readBounded(path.join(file, 'y'), 10)).toEqual({ why: 'missing' })
  expect(readBounded('/dev/null', 10)).toEqual({ why: 'not a regular file' })
  fs.writeFileSync(file, '')
  expect(readBounded(file, 10)).toEqual({ text: '' })
})

test("the version is the package's", () => {
  expect(version()).toBe(
    JSON.parse(fs.readFileSync(path.join(packageRoot(), 'package.json'), 'utf8')).version,
  )
})
