#!/usr/bin/env node
// Nothing is imported before the Node version is known to be new enough to read it.
const usage = `hookgate: the gate that a person holds between an AI agent and the world

  hookgate start                        runs the gate, its agent and its web page
  hookgate fire <event> [--payload FILE|-] [--agent ID]
                                        asks the running gate what its hooks make of an event
  hookgate --version | --help

None of these can approve a hook or turn the switch: that is done by typing /hooks in a chat.`

const fail = (words: string, code: number): never => {
  process.stderr.write(`${words}\n`)
  process.exit(code)
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  fail(`Expected Node 22.18 or newer, got ${process.versions.node}. Install a newer one, or run "npm start" in a clone: it brings its own.`, 1)
}

const { setFlagsFromString } = await import('node:v8')
// Space for young objects stays at its first megabyte instead of growing to 16: about 10 MB less, for a program that mostly waits.
setFlagsFromString('--semi-space-growth-factor=1')

const { parseArgs } = await import('node:util')
const { formatProblem, ProblemError } = await import('./model/problem.ts')
const { loadConfig } = await import('./config/load.ts')
const { version } = await import('./config/version.ts')

const print = (lines: string): void => void process.stdout.write(`${lines}\n`)

const startGate = async (): Promise<void> => {
  const { pino } = await import('pino')
  const { start } = await import('./main.ts')
  const { banner, invitation } = await import('./commands/banner.ts')
  const config = loadConfig(process.env)
  const logger = pino({ level: 'warn', base: null, redact: ['token', '*.token', 'login', 'code'] }, pino.destination(2))
  const running = await start(config, { log: (level, what, fields) => logger[level](fields ?? {}, what) })

  print(banner({ version: version(), workspace: config.workspace, telegram: config.telegram !== undefined, isOn: running.gatekeeper.state().isOn, lockdown: running.gatekeeper.state().lockdown, rows: running.rows(), ...running.invite() }))
  process.stdin.on('data', () => print(invitation(running.invite())))
  process.stdin.on('error', () => undefined)
  let isStopping = false
  const stop = (): void => {
    if (isStopping) process.exit(1)
    isStopping = true
    void running.stop().finally(() => process.exit(0))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  // A rejected handler somewhere in a messenger's library must not end the gate.
  process.on('unhandledRejection', (reason) => logger.error({ reason: reason instanceof Error ? reason.name : typeof reason }, 'a rejection was not handled'))
}

const fire = async (event: string | undefined, payload: string | undefined, agent: string): Promise<void> => {
  if (event === undefined) return fail('Expected "hookgate fire <event>", got no event.', 1)
  const { askGate } = await import('./server/ask.ts')
  const { home, chain } = loadConfig(process.env)
  const asked = await askGate({ home, agent, event, payload, chain })
  if ('answer' in asked) print(asked.answer)
  else fail(asked.why, asked.code)
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { payload: { type: 'string' }, agent: { type: 'string', default: 'main' }, help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
  })
  const [verb, event] = positionals
  if (values.version === true) print(version())
  else if (values.help === true) print(usage)
  else if (verb === 'start') await startGate()
  else if (verb === 'fire') await fire(event, values.payload, values.agent)
  else fail(`Expected a verb, got ${verb ?? 'nothing'}.\n\n${usage}`, 1)
} catch (error) {
  if (error instanceof ProblemError) fail(formatProblem(error.problem), 1)
  if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) fail(`${error.message}\n\n${usage}`, 1)
  throw error
}
