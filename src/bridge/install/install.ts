import { rmSync } from 'node:fs'
import { sep } from 'node:path'
import type { JsonObject } from '../../core/model/base/json.ts'
import { nearest } from '../../shared/base/nearest.ts'
import { quoted } from '../../shared/base/shell.ts'
import { messageOf } from '../../core/model/gate/problem.ts'
import { at, tryCanary } from './canary.ts'
import {
  fileOf,
  type Hooked,
  type Installation,
  type ClientPlaces,
  type Reach,
  type Scope,
} from './client.ts'
import { BY_HAND, INSTALLATIONS, installationOf } from './clients.ts'
import { changeable, deadlineFor, mark, pathWarning, type BridgeCommand } from './command.ts'
import { dryRunWords, type DryRunForm } from './dry-run.ts'
import { editHooks, isOurs } from './json-hooks.ts'
import { readJsonc, valueOf } from './jsonc.ts'
import { withBlock } from './marked-block.ts'
import { readSettings, writeSettings, type SettingsFile } from './settings-file.ts'
import { switchedOffFor } from './switched-off.ts'

export interface InstallOptions {
  readonly client: string
  readonly scope: Scope
  /** Shows what would change, and changes nothing. Absent: changes it. */
  readonly dryRun?: DryRunForm
  /** Removes the entries of hookgate. */
  readonly isRemoval: boolean
  /**
   * The client asks over HTTP, where it can. That takes no process for each event, but whoever holds the port
   * answers, and while the gate is away the client refuses everything without a word about hookgate.
   */
  readonly isHttp: boolean
}

export interface InstallPorts {
  readonly places: ClientPlaces
  readonly program: BridgeCommand
  /** The folder of the gate. */
  readonly gateHome: string
  /** It is where each user's bridge looks by itself. */
  readonly isUsualHome: boolean
  /** The HTTP listener of the gate. Absent: it has none. `token` throws until the gate has run once. */
  readonly http?: { readonly port: number; token(): string }
  /** True when the gate accepts events now. */
  isRunning(): Promise<boolean>
  /** Returns the source of the plugin that hookgate ships for OpenCode. */
  plugin(): string
  say(lines: string): void
}

/** The client that is spelled nearest, also when only a part of its name was typed, as in `claude`. */
const nearestClient = (typed: string): string | undefined => {
  const names = Object.keys(INSTALLATIONS)
  const word = typed.toLowerCase()
  const longer =
    word.length < 3
      ? undefined
      : names.find((name) => name.startsWith(word) || name.split('-').includes(word))
  return nearest(word, names) ?? longer
}

const short = (path: string, home: string): string =>
  path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path

interface Plan {
  readonly text: string
  /** True when the file holds no text of the person. */
  readonly saysNothing: boolean
  readonly isSecret: boolean
}

const planFor = (
  installation: Installation,
  client: string,
  file: SettingsFile,
  reach: (hooked: Hooked) => Reach,
  isRemoval: boolean,
  plugin: () => string,
): Plan => {
  const { body, events } = installation
  const command = (hooked: Hooked): string => {
    const way = reach(hooked)
    return way.kind === 'command' ? way.command : ''
  }
  switch (body.kind) {
    case 'hooks': {
      const wanted = new Map<string, JsonObject>(
        isRemoval ? [] : events.map((hooked) => [hooked.event, body.entry(hooked, reach(hooked))]),
      )
      const old =
        file.text === undefined || file.text.trim() === ''
          ? `${JSON.stringify(body.fresh, null, 2)}\n`
          : file.text
      const text = editHooks(old, { wanted, isOurs: isOurs(client) })
      return {
        text,
        saysNothing: [body.fresh, { ...body.fresh, hooks: {} }].some(
          (nothing) => text.replaceAll(/\s/g, '') === JSON.stringify(nothing),
        ),
        isSecret: events.some((hooked) => reach(hooked).kind === 'http') && !isRemoval,
      }
    }
    case 'block': {
      const text = withBlock(
        file.text ?? '',
        isRemoval ? '' : events.map((hooked) => body.text(hooked, command(hooked))).join('\n'),
        (word) => mark(client).test(word),
      )
      return { text, saysNothing: text === '', isSecret: false }
    }
    case 'file':
      if (file.text !== undefined && !/^(?:#|\/\/) hookgate: /.test(file.text))
        throw new Error('somebody else wrote it')
      return {
        text: isRemoval ? '' : body.text(events, command, plugin()),
        saysNothing: isRemoval,
        isSecret: false,
      }
  }
}

const reportCanary = async (
  installation: Installation,
  reach: Reach,
  ports: InstallPorts,
): Promise<number> => {
  const { payload, denial } = installation.canary
  const again = 'then run this command again. It checks that a refusal works.'
  if (!(await ports.isRunning())) {
    ports.say(
      `⚠ Not checked yet: hookgate is not running.\nStart it (hookgate start, in a clone npm start), ${again}`,
    )
    return 1
  }
  const canary = await tryCanary(reach, payload, denial)
  switch (canary.kind) {
    case 'denied':
      ports.say('✓ Checked: a call that the gate must refuse was refused.')
      return 0
    case 'away':
      ports.say(`⚠ Not checked yet: the gate did not answer (${canary.output}).\nCorrect that, ${again}`)
      return 1
    case 'passed':
      ports.say(
        `✗ A call that the gate must refuse was not refused. It answered: ${canary.output === '' ? 'nothing' : canary.output}`,
      )
      return 1
  }
}

/** Says how the client reaches the gate from now on. `words`: they start hookgate. */
const startLines = (
  scope: Scope,
  isHttp: boolean,
  words: readonly string[],
  { program, places, gateHome }: InstallPorts,
): readonly string[] => {
  if (isHttp)
    return [
      'It asks over HTTP, without a process for each event. While hookgate does not run, every call is refused, even if the hooks were off. Without --http, calls pass while the hooks are off.',
    ]
  if (scope === 'project')
    return [
      'They start "hookgate" from PATH, so everybody who works here needs it on the PATH (in a clone: npm install --global .).',
    ]
  if (scope === 'user')
    return [
      program.isOnPath
        ? 'They start "hookgate" from PATH, so they still work after an upgrade.'
        : `They start ${short(words.at(-1) ?? '', places.home)}. If that path changes, run this command again.`,
    ]
  const open = changeable(program.full)
  return [
    `They hold for everybody on this machine, and start ${words.join(' ')} for the gate of ${gateHome}.`,
    ...(open === undefined
      ? []
      : [
          `⚠ Somebody besides root can change ${open}, and so what these hooks start. Install hookgate as root (npm install --global hookgate), then run this command again.`,
        ]),
  ]
}

/** What another file says against the hooks that are in `path`. The administrator's file beats a user's. */
const offElsewhere = (client: string, installation: Installation, path: string, places: ClientPlaces) =>
  switchedOffFor(client, installation, places)
    .filter(({ file }) => file !== path)
    .map(({ title, file, setting, isManagedOnly }) =>
      isManagedOnly
        ? `✗ ${title} skips these hooks, because ${file} has ${setting}. Run sudo hookgate bridge install ${client} --managed, or remove the setting.`
        : `✗ ${title} runs no hooks at all, because ${file} has ${setting}. Remove the setting, then run this command again.`,
    )

/**
 * Writes the configuration of one client, says what the person still has to do, and checks that a refusal
 * works. Returns the exit code: 0 when it works.
 */
export const installBridge = async (
  { client, scope, dryRun, isRemoval, ...options }: InstallOptions,
  ports: InstallPorts,
): Promise<number> => {
  const { places, program, say } = ports
  const refuse = (words: string): number => {
    say(words)
    return 1
  }
  const installation = installationOf(client)
  if (installation === undefined) {
    const byHand = Object.hasOwn(BY_HAND, client) ? BY_HAND[client] : undefined
    if (byHand !== undefined) return refuse(`${client} has no settings that hookgate could write. ${byHand}`)
    const meant = nearestClient(client)
    return refuse(
      `Expected a client: ${Object.keys(INSTALLATIONS).join(', ')}; got "${client.slice(0, 40)}".${meant === undefined ? '' : ` Did you mean "${meant}"?`}`,
    )
  }
  const { title } = installation
  const named = fileOf(installation, scope, places)
  if ('none' in named) return refuse(`Expected --user for ${title}, got --${scope}: ${named.none}.`)
  const shown = short(named.path, places.home)
  const isHttp =
    options.isHttp && scope === 'user' && installation.takesHttp === true && ports.http !== undefined
  if (scope !== 'project' && !isRemoval && program.full.some((word) => word.includes('/_npx/')))
    return refuse(
      'Expected an installed hookgate, got one in the cache of npx. Install it (in a clone: npm install --global .), then run this again.',
    )
  // A committed file must not name a path of one machine. The administrator's file holds for users whose PATH
  // an agent may have changed.
  const words = { user: program.words, project: ['hookgate'], managed: program.full }[scope]
  const namesHome = scope === 'managed' || (scope === 'user' && !ports.isUsualHome)
  /**
   * A dry run shows no token, so it needs none. Otherwise a gate that never ran has none, which is told
   * below.
   */
  const token = (): string => {
    try {
      return ports.http?.token() ?? ''
    } catch (error) {
      if (dryRun === undefined) throw error
      return 'none-yet'
    }
  }
  const reach = (hooked: Hooked): Reach => {
    const { http } = ports
    const deadline = deadlineFor(hooked.seconds)
    if (isHttp && http !== undefined && hooked.isCommandOnly !== true) {
      const within = String(deadline * 1000)
      return {
        kind: 'http',
        url: `http://127.0.0.1:${http.port}/bridge/${client}/${hooked.event}`,
        headers: {
          Authorization: `Bearer ${token()}`,
          'X-Hookgate-Deadline-Ms': within,
          'X-Hookgate-Ask-Ms': within,
        },
      }
    }
    const home = namesHome ? ['--home', ports.gateHome] : []
    return {
      kind: 'command',
      command: [...words, 'bridge', client, hooked.event, '--deadline', String(deadline), ...home]
        .map(quoted)
        .join(' '),
    }
  }
  if (isHttp && !isRemoval && dryRun === undefined) {
    try {
      ports.http?.token()
    } catch {
      return refuse(
        'Expected a gate that has run once, because its first start makes the token for HTTP hooks. Start it (hookgate start, in a clone npm start), or leave out --http.',
      )
    }
  }
  let file: SettingsFile
  let plan: Plan
  try {
    file = readSettings(named.path)
    plan = planFor(installation, client, file, reach, isRemoval, ports.plugin)
  } catch (error) {
    return refuse(`✗ ${shown} was left as it is: ${messageOf(error)}.`)
  }
  // A file behind a link belongs to a repository of the person, so it is not deleted.
  const isGone =
    isRemoval && plan.saysNothing && (installation.body.kind === 'file' || file.path === named.path)
  const text = isGone ? '' : plan.text
  const isSame = text === (file.text ?? '')
  if (dryRun !== undefined) {
    const events = installation.events.map(({ event }) => event)
    say(dryRunWords({ client, title, file: shown, now: file.text, text, events, isRemoval, isHttp }, dryRun))
    const warning = isRemoval || dryRun === 'json' || scope === 'managed' ? undefined : pathWarning(program)
    if (warning !== undefined) say(warning)
    return 0
  }
  try {
    if (!isSame && isGone) rmSync(file.path)
    else if (!isSame || (plan.isSecret && ((file.mode ?? 0o600) & 0o077) !== 0))
      writeSettings(file, text, plan.isSecret)
  } catch (error) {
    say(`✗ ${shown} was left as it is: ${messageOf(error)}.`)
    if (scope === 'managed' && process.getuid?.() !== 0)
      say(
        `The file belongs to root. Run it as root: sudo hookgate bridge ${isRemoval ? 'uninstall' : 'install'} ${client} --managed`,
      )
    return 1
  }
  if (isRemoval) {
    say(
      isSame
        ? `${title}: there were no hooks of hookgate in ${shown}.`
        : `${title}: removed the hooks of hookgate from ${shown}.`,
    )
    return 0
  }
  say(
    `${title}: ${isSame ? 'the hooks of hookgate are already' : 'wrote the hooks of hookgate'} in ${shown}.`,
  )
  for (const line of startLines(scope, isHttp, words, ports)) say(line)
  const warning = scope === 'managed' ? undefined : pathWarning(program)
  if (warning !== undefined) say(warning)
  for (const line of installation.steps(scope)) say(`→ ${line}`)
  const { off } = installation
  if (off !== undefined && at(valueOf(readJsonc(plan.text.replace(/^\uFEFF/, ''))), off.path) === off.value)
    return refuse(
      `✗ ${off.path.join('.')} is ${off.value} in this file, so ${title} runs no hooks at all. Remove the setting, then run this command again.`,
    )
  const elsewhere = offElsewhere(client, installation, named.path, places)
  for (const line of elsewhere) say(line)
  if (elsewhere.length > 0) return 1
  const gate = installation.events.find(({ event }) => event === installation.canary.event) ?? {
    event: installation.canary.event,
    seconds: 30,
  }
  return reportCanary(installation, reach(gate), ports)
}
