import { fstatSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { environment } from '../config/environment.ts'
import { print, type Verb } from './verb.ts'

/** What is logged before the banner waits at most so long for it, in milliseconds. */
const maxHeldMs = 20_000

const startGate = async (): Promise<void> => {
  // The space for young objects stays at one megabyte during the start. This saves about 10 MB of memory.
  setFlagsFromString('--semi-space-growth-factor=1')
  const { homeOf } = await import('../config/home.ts')
  const { useCompiled, version } = await import('../config/version.ts')
  useCompiled(homeOf(process.env))
  const { loadThread } = await import('../compose/proposal-reader/spare.ts')
  loadThread()
  const { start } = await import('../index.ts')
  const { createTyping } = await import('../commands/typing.ts')
  const { createLoginFile } = await import('../config/login-file.ts')
  const { loadConfig } = await import('../config/load.ts')
  const { messageOf } = await import('../core/model/gate/problem.ts')
  const config = loadConfig(process.env)
  const { createHeldLog, logToStderr } = await import('../config/log-line.ts')
  const { log, release } = createHeldLog(logToStderr())
  // A collector of logs has no banner, and a gate that waits for another one has none yet.
  if (process.stderr.isTTY) setTimeout(release, maxHeldMs).unref()
  else release()
  const loginFile = createLoginFile(config.home)
  const typing = createTyping(print)
  const { createPhone } = await import('./phone.ts')
  const phone = createPhone({
    print,
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    keep: ({ login, pairing = '' }, link) => loginFile.write(invitation({ login, pairing }, link)),
  })
  const running = await start(config, {
    log,
    ended: (why) => {
      release()
      print(`This hookgate has ended: ${why}.`)
      process.exit(1)
    },
    console: { say: print, entered: loginFile.remove, named: phone.named, number: typing.ask },
  }).catch((error: unknown) => {
    release()
    throw error
  })
  const { webOwner } = await import('../compose/base.ts')
  const { banner, claimedText, invitation, isInviting } = await import('../commands/cards/banner.ts')
  const { platforms } = await import('../shared/chat/platform.ts')
  // From now on that space may grow with the work: a push among many takes half as long.
  setFlagsFromString('--semi-space-growth-factor=2')
  // A run that was killed has left its file.
  loginFile.remove()
  const { isOn, lockdown, owners, isClaimed } = running.state()

  // A login in a log file would let its readers in. A pipe, a socket and a terminal store nothing.
  const isKept = fstatSync(1).isFile()
  const invite = (): ReturnType<typeof running.invite> & { readonly file?: string } => {
    const fresh = running.invite()
    if (!isKept) return fresh
    loginFile.write(invitation(fresh))
    return { ...fresh, file: loginFile.name }
  }
  const isShown = isInviting({
    isClaimed,
    isAgentApart: running.separation.kind !== 'none',
    isTerminal: process.stdin.isTTY,
    hasChatOwner: owners.some((id) => id !== webOwner.id),
  })
  const first = isShown ? invite() : undefined
  print(
    banner({
      version: version(),
      workspace: config.workspace,
      telegram: config.telegram !== undefined,
      feishu: config.feishu && platforms[config.feishu.platform].name,
      isOn,
      lockdown,
      rows: running.rows(),
      separation: running.separation,
      invitation: first,
    }),
  )
  phone.show(first)
  release()
  running.onFirstOwner((by) => {
    loginFile.remove()
    phone.show(undefined)
    print(claimedText(by, webOwner.id))
  })
  process.stdin.on('data', (typed) => {
    if (typing.take(String(typed))) return
    try {
      const fresh = invite()
      print(invitation(fresh))
      phone.show(fresh)
    } catch (error) {
      log('error', 'no login could be written', { why: messageOf(error) })
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
    log('error', 'a rejection was not handled', {
      reason: reason instanceof Error ? reason.name : typeof reason,
    }),
  )
}

export const start: Verb = {
  usage: 'hookgate start',
  does: ['runs the gate, its agent and its web page'],
  help: `It takes no options. These environment variables and the file gate.yaml in HOOKGATE_HOME configure it:
${Object.keys(environment.ofOwner)
  .map((name) => `  ${name}`)
  .join('\n')}

The page config/context/references/settings.md says what each of them and each option of gate.yaml does.`,
  run: async (args) => {
    parseArgs({ args: [...args] })
    await startGate()
  },
}
