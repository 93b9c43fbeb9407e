#!/usr/bin/env node
// The gate closes its own debugger door: this signal would let any process of the same user in.
process.on('SIGUSR1', () => undefined)

// A foreign agent waits for its hook at each step: this way has an import of its own, and comes before all others. It
// also comes before the Node version is looked at, since only exit code 0 can refuse everywhere.
const [verb, ...rest] = process.argv.slice(2)
if (verb === 'bridge' && rest[0] !== 'install' && rest[0] !== 'uninstall') {
  const { runBridge } = await import('./bridge/bridge.ts')
  const { callerOf, failClosed, GATES, noOpinion, timeoutOf } = await import('./dialects/gates.ts')
  const { chainOf, homeOf } = await import('./config/home.ts')
  await runBridge(rest, {
    home: homeOf(process.env),
    chain: chainOf(process.env),
    isClient: (name): name is keyof typeof GATES => Object.hasOwn(GATES, name),
    callerOf: (client, stdin) => callerOf(client, process.env, stdin),
    failClosed,
    noOpinion,
    timeoutOf,
    canPark: async (payload) =>
      process.env['CLAUDE_CODE_ENTRYPOINT'] === 'sdk-cli' &&
      (await import('./bridge/headless.ts')).canPark(process.env, payload),
  })
}

// Nothing else is imported before the Node version is known to be new enough to read it.
const usage = `hookgate: the gate that a person holds between an AI agent and the world

  hookgate start                        runs the gate, its agent and its web page
  hookgate fire <event> [--payload FILE|-] [--agent ID]
                                        asks the running gate what its hooks make of an event
  hookgate test <event> --command CMD [--dialect D] [--payload FILE|-] [--timeout S]
                                        runs one command as a hook, sealed and ungated, and says what it was
                                        sent and what its answer comes to
  hookgate bridge install <client> [--user|--project] [--dry-run] [--command]
                                        puts a coding agent behind the gate; uninstall takes it out again
  hookgate bridge <client> <Event> [--home DIR] [--deadline S]
                                        a hook of another agent: asks the running gate, answers in that agent's words
  hookgate audit verify                 verifies the ledger, running or not: 0 all is well, 2 unreadable, 3 damaged
  hookgate --version | --help

None of these can approve a hook or turn the switch: that is done by typing /hooks in a chat, and so is /hooks doctor.`

const fail = (words: string, code: number): never => {
  process.stderr.write(`${words}\n`)
  process.exit(code)
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  fail(
    `Expected Node 22.18 or newer, got ${process.versions.node}. Install a newer one, or run "npm start" in a clone: it brings its own.`,
    1,
  )
}

const { fstatSync } = await import('node:fs')
const { setFlagsFromString } = await import('node:v8')
// While it starts, space for young objects stays at its first megabyte: about 10 MB less, for a program that mostly waits.
setFlagsFromString('--semi-space-growth-factor=1')

const { parseArgs } = await import('node:util')
const { formatProblem, messageOf, optionWords, ProblemError } = await import('./model/problem.ts')
const { loadConfig } = await import('./config/load.ts')
const { version } = await import('./config/version.ts')

const print = (lines: string): void => void process.stdout.write(`${lines}\n`)

const startGate = async (): Promise<void> => {
  const { pino } = await import('pino')
  const { start, webOwner } = await import('./main.ts')
  const { banner, claimedText, invitation, isInviting } = await import('./commands/banner.ts')
  const { createTyping } = await import('./commands/typing.ts')
  const { createLoginFile } = await import('./config/login-file.ts')
  const config = loadConfig(process.env)
  const { logLine } = await import('./config/log-line.ts')
  const stderr = pino.destination(2)
  const logger = pino(
    { level: 'warn', base: null, redact: ['token', '*.token', 'login', 'code'] },
    { write: (line: string) => void stderr.write(logLine(line)) },
  )
  const loginFile = createLoginFile(config.home)
  const typing = createTyping(print)
  const running = await start(config, {
    log: (level, what, fields) => logger[level](fields ?? {}, what),
    console: { say: print, entered: loginFile.remove, number: typing.ask },
  })
  // From now on it may grow with what there is to do: a push among many takes half as long.
  setFlagsFromString('--semi-space-growth-factor=2')
  // Of a run that was killed.
  loginFile.remove()
  const { claim, state } = running.gatekeeper

  // Whoever reads a log must not get in by it. A pipe, a socket and a terminal keep nothing by themselves.
  const isKept = fstatSync(1).isFile()
  const invite = (): ReturnType<typeof running.invite> & { readonly file?: string } => {
    const fresh = running.invite()
    if (!isKept) return fresh
    loginFile.write(invitation(fresh))
    return { ...fresh, file: loginFile.name }
  }
  const isShown = isInviting({
    isClaimed: claim.isClaimed(),
    isAgentApart: running.separation.kind !== 'none',
    isTerminal: process.stdin.isTTY,
    hasChatOwner: state().owners.some(({ id }) => id !== webOwner.id),
  })
  print(
    banner({
      version: version(),
      workspace: config.workspace,
      telegram: config.telegram !== undefined,
      isOn: state().isOn,
      lockdown: state().lockdown,
      rows: running.rows(),
      separation: running.separation,
      ...(isShown ? { invitation: invite() } : {}),
    }),
  )
  claim.when((by) => {
    if (by === undefined) return
    loginFile.remove()
    print(claimedText(by, webOwner.id))
  })
  process.stdin.on('data', (typed) => {
    if (typing.take(String(typed))) return
    try {
      print(invitation(invite()))
    } catch (error) {
      logger.error(`no login could be written: ${messageOf(error)}`)
    }
  })
  process.stdin.on('error', () => undefined)
  let isStopping = false
  const stop = (): void => {
    if (isStopping) process.exit(1)
    isStopping = true
    loginFile.remove()
    void running.stop().finally(() => process.exit(0))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  // A rejected handler somewhere in a messenger's library must not end the gate.
  process.on('unhandledRejection', (reason) =>
    logger.error(
      { reason: reason instanceof Error ? reason.name : typeof reason },
      'a rejection was not handled',
    ),
  )
}

const fire = async (event: string | undefined, payload: string | undefined, agent: string): Promise<void> => {
  if (event === undefined) return fail('Expected "hookgate fire <event>", got no event.', 1)
  const { askGate } = await import('./server/ask.ts')
  const { home, chain } = loadConfig(process.env)
  const asked = await askGate({ home, agent, event, payload, chain })
  if ('answer' in asked) print(asked.answer)
  else fail(asked.why, asked.code)
}

/** A whole number of seconds within what any hook system allows. */
const secondsOf = (text: string): number => {
  const seconds = Number(text)
  return seconds > 0 && seconds <= 600
    ? seconds
    : fail(`Expected --timeout to be a number from 0 to 600 (seconds), got "${text}".`, 1)
}

interface TrialOptions {
  readonly command?: string
  readonly dialect?: string
  readonly payload?: string
  readonly timeout: string
  readonly agent: string
}

const tryOut = async (event: string | undefined, options: TrialOptions): Promise<void> => {
  const { command, timeout, ...more } = options
  if (event === undefined || command === undefined) {
    return fail(`Expected "hookgate test <event> --command <cmd>".\n\n${usage}`, 1)
  }
  const timeoutMs = secondsOf(timeout) * 1000
  const { runTrial } = await import('./compose/trial.ts')
  const request = { event, command, timeoutMs, cwd: process.cwd(), ...more }
  print(JSON.stringify(await runTrial(request, loadConfig(process.env))))
}

const audit = async (what: string | undefined): Promise<void> => {
  if (what !== 'verify')
    return fail(
      `Expected "hookgate audit verify", got ${what === undefined ? 'nothing to audit' : `"${what}"`}.`,
      1,
    )
  const { auditLedger } = await import('./gatekeeper/audit.ts')
  const { home, telegram } = loadConfig(process.env)
  const { text, code } = await auditLedger(home, telegram !== undefined)
  print(text)
  process.exitCode = code
}

try {
  if (process.argv[2] === 'bridge') {
    const { installFor } = await import('./compose/install.ts')
    process.exit(await installFor(rest, loadConfig(process.env), process.env, print))
  }
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      payload: { type: 'string' },
      agent: { type: 'string', default: 'main' },
      command: { type: 'string' },
      dialect: { type: 'string' },
      timeout: { type: 'string', default: '20' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  })
  const [verb, event] = positionals
  if (values.version === true) print(version())
  else if (values.help === true) print(usage)
  else if (verb === 'start') await startGate()
  else if (verb === 'fire') await fire(event, values.payload, values.agent)
  else if (verb === 'test') await tryOut(event, values)
  else if (verb === 'audit') await audit(event)
  else {
    const { nearest } = await import('./model/nearest.ts')
    const meant = verb === undefined ? undefined : nearest(verb, ['start', 'fire', 'test', 'bridge', 'audit'])
    fail(
      `Expected a verb, got ${verb === undefined ? 'nothing' : `"${verb}"`}.${meant === undefined ? '' : ` Did you mean "${meant}"?`}\n\n${usage}`,
      1,
    )
  }
} catch (error) {
  if (error instanceof ProblemError) fail(formatProblem(error.problem), 1)
  if (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))
    fail(`${optionWords(error)}\n\n${usage}`, 1)
  throw error
}
