import { createTwoFilesPatch } from 'diff'
import { rmSync } from 'node:fs'
import { sep } from 'node:path'
import { isObject, type Json, type JsonObject } from '../../model/base/json.ts'
import { messageOf } from '../../model/gate/problem.ts'
import { at, tryCanary } from './canary.ts'
import type { Hooked, Installation, ClientPlaces, Reach, Scope } from './client.ts'
import { INSTALLATIONS, installationOf } from './clients.ts'
import { deadlineFor, mark, quoted, type BridgeCommand } from './command.ts'
import { editHooks } from './json-hooks.ts'
import { readJsonc, valueOf } from './jsonc.ts'
import { withBlock } from './marked-block.ts'
import { readSettings, writeSettings, type SettingsFile } from './settings-file.ts'

export interface InstallOptions {
  readonly client: string
  readonly scope: Scope
  readonly isDryRun: boolean
  /** Takes our entries away again. */
  readonly isRemoval: boolean
  /** Commands where HTTP could be used too. */
  readonly isCommand: boolean
}

export interface InstallPorts {
  readonly places: ClientPlaces
  readonly program: BridgeCommand
  /** The gate's folder, where it is not the usual one. */
  readonly gateHome?: string
  /** The gate's door for HTTP hooks; absent: it has none. `token` throws until the gate has run once. */
  readonly http?: { readonly port: number; token(): string }
  /** Whether the gate takes events now. */
  isRunning(): Promise<boolean>
  /** The text of the plugin that we bring for OpenCode. */
  plugin(): string
  say(lines: string): void
}

const short = (path: string, home: string): string =>
  path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path

/** True for an entry whose every handler is ours: what a person put beside ours is not touched. */
const isOurs = (client: string) => {
  const ending = mark(client)
  const url = new RegExp(String.raw`^http://127\.0\.0\.1:\d+/bridge/${client}/`)
  const isHandler = (value: Json): boolean =>
    isObject(value) &&
    Object.values(value).some((word) => typeof word === 'string' && (ending.test(word) || url.test(word)))
  return (item: Json): boolean => {
    const inner: Json = isObject(item) ? (item['hooks'] ?? null) : null
    return Array.isArray(inner) ? inner.length > 0 && inner.every(isHandler) : isHandler(item)
  }
}

interface Plan {
  readonly text: string
  /** Nothing of the person's is in it. */
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

const canarySays = async (installation: Installation, reach: Reach, ports: InstallPorts): Promise<number> => {
  const { payload, denial } = installation.canary
  const again = 'then run this again: it tries whether a refusal refuses.'
  if (!(await ports.isRunning())) {
    ports.say(
      `⚠ Not tried yet: hookgate is not running.\nStart it (hookgate start, in a clone npm start), ${again}`,
    )
    return 1
  }
  const canary = await tryCanary(reach, payload, denial)
  switch (canary.kind) {
    case 'denied':
      ports.say('✓ Tried: a call that the gate must refuse was refused.')
      return 0
    case 'away':
      ports.say(`⚠ Not tried yet: the gate could not be asked (${canary.said}).\nMend that, ${again}`)
      return 1
    case 'passed':
      ports.say(
        `✗ A call that the gate must refuse was not refused. It answered: ${canary.said === '' ? 'nothing' : canary.said}`,
      )
      return 1
  }
}

/** Writes one client's configuration, says what remains for the person, and tries whether a refusal refuses. The exit code: 0 when it does. */
export const installBridge = async (
  { client, scope, isDryRun, isRemoval, isCommand }: InstallOptions,
  ports: InstallPorts,
): Promise<number> => {
  const { places, program, say } = ports
  const installation = installationOf(client)
  if (installation === undefined) {
    say(`Expected a client: ${Object.keys(INSTALLATIONS).join(', ')}; got "${client.slice(0, 40)}".`)
    return 1
  }
  const { title } = installation
  const named = installation.file(scope, places)
  if ('none' in named) {
    say(`Expected --user for ${title}, got --${scope}: ${named.none}.`)
    return 1
  }
  const shown = short(named.path, places.home)
  const isHttp = scope === 'user' && !isCommand && installation.takesHttp === true && ports.http !== undefined
  if (scope === 'user' && !isRemoval && program.words.some((word) => word.includes('/_npx/'))) {
    say(
      'Expected a hookgate that stays, got one in the cache of npx. Install it (in a clone: npm install --global .), then run this again.',
    )
    return 1
  }
  // What is committed names no path of one machine.
  const words = scope === 'project' ? ['hookgate'] : program.words
  const reach = (hooked: Hooked): Reach => {
    const { http } = ports
    const deadline = deadlineFor(hooked.seconds)
    if (isHttp && http !== undefined && hooked.isCommandOnly !== true) {
      const within = String(deadline * 1000)
      return {
        kind: 'http',
        url: `http://127.0.0.1:${http.port}/bridge/${client}/${hooked.event}`,
        headers: {
          Authorization: `Bearer ${http.token()}`,
          'X-Hookgate-Deadline-Ms': within,
          'X-Hookgate-Ask-Ms': within,
        },
      }
    }
    const home = scope === 'user' && ports.gateHome !== undefined ? ['--home', ports.gateHome] : []
    return {
      kind: 'command',
      command: [...words, 'bridge', client, hooked.event, '--deadline', String(deadline), ...home]
        .map(quoted)
        .join(' '),
    }
  }
  if (isHttp && !isRemoval) {
    try {
      ports.http?.token()
    } catch {
      say(
        'Expected a gate that has run once, since it makes the token for HTTP hooks. Start it (hookgate start, in a clone npm start), or say --command.',
      )
      return 1
    }
  }
  let file: SettingsFile
  let plan: Plan
  try {
    file = readSettings(named.path)
    plan = planFor(installation, client, file, reach, isRemoval, ports.plugin)
  } catch (error) {
    say(`✗ ${shown} was left as it is: ${messageOf(error)}.`)
    return 1
  }
  // A link's file belongs to a repository of the person's.
  const isGone =
    isRemoval && plan.saysNothing && (installation.body.kind === 'file' || file.path === named.path)
  const text = isGone ? '' : plan.text
  const isSame = text === (file.text ?? '')
  if (isDryRun) {
    say(
      isSame
        ? `${title}: nothing would change in ${shown}.`
        : createTwoFilesPatch(
            shown,
            shown,
            file.text ?? '',
            text,
            file.text === undefined ? 'missing' : 'now',
            'then',
          )
            .trimEnd()
            .replaceAll(/Bearer [\w-]+/g, 'Bearer …'),
    )
    return 0
  }
  try {
    if (!isSame && isGone) rmSync(file.path)
    else if (!isSame || (plan.isSecret && ((file.mode ?? 0o600) & 0o077) !== 0))
      writeSettings(file, text, plan.isSecret)
  } catch (error) {
    say(`✗ ${shown} was left as it is: ${messageOf(error)}.`)
    return 1
  }
  if (isRemoval) {
    say(
      isSame
        ? `${title}: nothing of hookgate stood in ${shown}.`
        : `${title}: the hooks of hookgate are out of ${shown}.`,
    )
    return 0
  }
  say(`${title}: ${isSame ? 'the hooks of hookgate stand' : 'wrote the hooks of hookgate'} in ${shown}.`)
  if (isHttp)
    say(
      'It asks over HTTP, without a process for each event. While hookgate does not run, each call is refused, whatever the switch was; with --command the switch decides.',
    )
  else if (scope === 'project')
    say(
      `They start "hookgate" from PATH: whoever works here needs it there (in a clone: npm install --global .).${program.isOnPath ? '' : ' Here it is not.'}`,
    )
  else
    say(
      program.isOnPath
        ? 'They start "hookgate" from PATH, so an upgrade changes nothing here.'
        : `They start ${short(program.words.at(-1) ?? '', places.home)}. When that moves, run this again.`,
    )
  for (const line of installation.steps(scope)) say(`→ ${line}`)
  const { off } = installation
  if (off !== undefined && at(valueOf(readJsonc(plan.text.replace(/^\uFEFF/, ''))), off.path) === off.value) {
    say(
      `✗ ${off.path.join('.')} is ${off.value} in this file: ${title} runs no hook at all. Remove it, then run this again.`,
    )
    return 1
  }
  const gate = installation.events.find(({ event }) => event === installation.canary.event) ?? {
    event: installation.canary.event,
    seconds: 30,
  }
  return canarySays(installation, reach(gate), ports)
}
