import { dirname, isAbsolute, join, normalize } from 'node:path'
import { quote } from 'shlex'
import { isObject, type Json } from '../../../model/base/json.ts'
import { got } from '../../../model/gate/problem.ts'
import { copilotMatcher } from './copilot-matcher.ts'
import { headersOf } from './foreign-headers.ts'
import type { ForeignHook } from './foreign-hook.ts'
import { invalid, proposeForeign, unmapped, type ForeignPorts, type ReadForeign } from './foreign.ts'
import { readJson } from '../json.ts'
import { takeOptions, type HookOptions } from '../options.ts'
import type { ProposedHook } from '../../../model/hooks/entry.ts'
import { unreadable } from '../source.ts'

const maxChars = 1024 * 1024
const maxHooks = 1000
const fix = 'Mend it in its file.'

/** What holds `.github` is the project: Copilot runs hooks there. Of files elsewhere it is the workspace. */
const projectOf = (file: string): string => {
  const parts = dirname(normalize(file)).split('/')
  const at = parts.lastIndexOf('.github')
  if (at < 0) return '.'
  return at === 0 ? '.' : parts.slice(0, at).join('/') || '/'
}

type CopilotHandler = Pick<ForeignHook, 'type' | 'command' | 'shell' | 'args' | 'headers'> & {
  readonly remarks?: readonly string[]
}
interface Refused {
  readonly why: string
}

/** What the hook asks, or why it cannot be asked here. `at` places a path that is relative to the hook's folder. */
const subjectOf = (
  options: HookOptions,
  at: (path: string) => string,
  { shells }: ForeignPorts,
): CopilotHandler | Refused => {
  const type = options.oneOf('type', ['command', 'http', 'prompt']) ?? 'command'
  const [bash, powershell, command, exec, args, url] = [
    options.text('bash'),
    options.text('powershell'),
    options.text('command'),
    options.text('exec'),
    options.texts('args'),
    options.text('url'),
  ]
  const http = headersOf(options)
  options.skip('prompt')
  if (type === 'prompt')
    return {
      why: 'a hook of type prompt would type for the person when a session starts, which only a person may do here',
    }
  if (type === 'http') return { type, command: url ?? '', ...http }
  // Copilot gives "command" to bash too; "bash" comes before it.
  const text = bash ?? command
  if (exec !== undefined && (text ?? powershell) !== undefined)
    return { why: 'it says "exec" beside a shell\'s command, and Copilot takes only one of them' }
  if (exec !== undefined)
    return {
      type,
      command: exec === '' ? '' : quote(exec.includes('/') && !isAbsolute(exec) ? at(exec) : exec),
      ...(args === undefined ? {} : { args }),
    }
  if (text !== undefined)
    return {
      type,
      command: text,
      shell: shells.copilot,
      ...(args === undefined ? {} : { remarks: ['Its "args" have no effect without "exec".'] }),
    }
  return {
    why:
      powershell === undefined
        ? 'it has no "bash", "command" or "exec"'
        : 'it has a command for PowerShell only, which does not run here',
  }
}

/** A hook finds no environment of the gate, so what wants some of it is left out. */
const envOf = (options: HookOptions): Pick<ForeignHook, 'env' | 'remarks'> => {
  const said = Object.entries(options.record('env') ?? {})
  const isWanting = (value: string): boolean => /\$\{?[A-Za-z_]/.test(value)
  return {
    ...(said.length === 0 ? {} : { env: Object.fromEntries(said.filter(([, value]) => !isWanting(value))) }),
    remarks: said
      .filter(([, value]) => isWanting(value))
      .slice(0, 5)
      .map(
        ([name, value]) =>
          `Its variable ${name} is left out: it wants ${got(value)}, and hooks get no environment of the gate.`,
      ),
  }
}

/** The script that a command's text begins with, when that is a plain path. */
const scriptIn = (text: string): string | undefined =>
  /^\s*(\.{0,2}[\w.-]*\/[\w./-]+)(?:\s|$)/.exec(text)?.[1]

/** Copilot's own example says `cwd: scripts` and `./scripts/x.sh`: where only the project has such a script, it is meant. */
const folderOf = (
  cwd: string | undefined,
  text: string,
  project: string,
  { isExecutable }: ForeignPorts,
): { readonly cwd: string; readonly remarks: readonly string[] } => {
  if (cwd === undefined) return { cwd: project, remarks: [] }
  const folder = isAbsolute(cwd) ? cwd : join(project, cwd)
  const script = scriptIn(text)
  if (
    script === undefined ||
    isAbsolute(script) ||
    isExecutable(join(folder, script)) ||
    !isExecutable(join(project, script))
  )
    return { cwd: folder, remarks: [] }
  return {
    cwd: project,
    remarks: [
      `Its folder ${got(cwd)} has no ${script}, but the project has: it runs in the project's folder.`,
    ],
  }
}

interface CopilotHook {
  readonly event: string
  readonly raw: Json
  readonly line: number | undefined
  readonly file: string
  readonly isDisabled: boolean
  /** What is said of the file. */
  readonly remarks: readonly string[]
}

const readHook = (
  { event, raw, line, file, isDisabled, remarks }: CopilotHook,
  ports: ForeignPorts,
): ProposedHook => {
  const said = isObject(raw) ? raw : {}
  const shown =
    [said['bash'], said['command'], said['exec'], said['url'], said['powershell'], said['prompt']].find(
      (value) => typeof value === 'string',
    ) ?? '(no command)'
  const stated = { event, command: shown, origin: file, ...(line === undefined ? {} : { line }) }
  if (!isObject(raw))
    return invalid(stated, 'source.shape', `Expected a hook with type and bash, got ${got(raw)}.`, fix)
  const options = takeOptions(raw)
  const project = projectOf(file)
  const [cwd, comment, matcher] = [options.text('cwd'), options.text('comment'), options.text('matcher')]
  const folder = folderOf(cwd, shown, project, ports)
  const subject = subjectOf(
    options,
    (path) =>
      [join(folder.cwd, path), join(project, path)].find((place) => ports.isExecutable(place)) ??
      join(project, path),
    ports,
  )
  const env = envOf(options)
  const [seconds, alias] = [options.number('timeoutSec'), options.number('timeout')]
  const timeout = seconds ?? alias
  const flaw = options.flaw()
  if (flaw !== undefined) return invalid(stated, 'source.option', flaw, fix)
  if (isDisabled) return unmapped(stated, 'its file says "disableAllHooks"')
  if ('why' in subject) return unmapped(stated, subject.why)
  if (cwd !== undefined && /^~|\$/.test(cwd))
    return unmapped(
      stated,
      `its folder ${got(cwd)} hangs on a person's home or environment; write it relative to the project`,
    )
  const found = copilotMatcher(
    matcher,
    ports.events.copilot.find(({ name }) => name === event),
  )
  const { remarks: told = [], ...asked } = subject
  const isProgram = asked.type !== 'http'
  return proposeForeign(
    {
      ...stated,
      ...asked,
      dialect: 'copilot',
      ...(found.matcher === undefined ? {} : { matcher: found.matcher }),
      ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
      ...(isProgram && folder.cwd !== '.' ? { cwd: folder.cwd } : {}),
      ...(env.env === undefined ? {} : { env: env.env }),
      ...(comment === undefined || comment.trim() === '' ? {} : { name: comment.trim() }),
      remarks: [
        ...remarks,
        ...told,
        ...(isProgram ? folder.remarks : []),
        ...(env.remarks ?? []),
        ...found.remarks,
        ...options.strangers(),
      ],
    },
    ports,
  )
}

/** A file without a version is VS Code's: its events, other than Copilot's, have a form of their own. */
const eventIn = (event: string, version: Json | undefined, { events }: ForeignPorts): string => {
  const own = `vscode:${event}`
  return version === undefined && events.copilot.some(({ name }) => name === own) ? own : event
}

const readFile = (file: string, ports: ForeignPorts): readonly (CopilotHook | ProposedHook)[] => {
  const row = (code: string, message: string, line?: number): readonly ProposedHook[] => [
    invalid(
      { event: 'copilot', command: file, origin: file, ...(line === undefined ? {} : { line }) },
      code,
      message,
      fix,
    ),
  ]
  const read = ports.read(file)
  if ('why' in read) return row('source.unreadable', `Expected a readable file, but it is ${read.why}.`)
  const document = readJson(read.text, { file, maxChars })
  if ('problem' in document)
    return [{ kind: 'invalid', event: 'copilot', command: file, problem: document.problem }]
  const { root, lineOf } = document
  const { version, hooks, disableAllHooks } = isObject(root) ? root : {}
  // VS Code writes none; a later one could mean something else.
  if (!isObject(root) || (version !== undefined && version !== 1))
    return row(
      'source.version',
      `Expected an object with "version": 1, got ${got(isObject(root) ? version : root)}.`,
      lineOf(['version']),
    )
  const remarks =
    version === 1 ? [] : ['Its file says no "version": Copilot CLI ignores it, VS Code reads it.']
  if (!isObject(hooks))
    return row(
      'source.hooks',
      `Expected "hooks" to be an object of events, got ${got(hooks)}.`,
      lineOf(['hooks']),
    )
  return Object.entries(hooks).flatMap(([named, list]): readonly (CopilotHook | ProposedHook)[] => {
    if (!Array.isArray(list))
      return [
        invalid(
          { event: named, command: file, origin: file },
          'source.hooks',
          `Expected "hooks.${named.slice(0, 60)}" to be a list of hooks, got ${got(list)}.`,
          fix,
        ),
      ]
    const base = {
      event: eventIn(named, version, ports),
      file,
      isDisabled: disableAllHooks === true,
      remarks,
    }
    // More than that are not listed, and each line costs a search.
    return list
      .slice(0, maxHooks + 1)
      .map((raw: Json, index): CopilotHook => ({ ...base, raw, line: lineOf(['hooks', named, index]) }))
  })
}

/** Reads Copilot's hook files: each `*.json` of a folder, or one such file. */
export const readCopilot: ReadForeign = (place, ports) => {
  const listed = place.endsWith('.json') ? { names: [''] } : ports.list(place)
  if ('why' in listed) return unreadable(place, listed.why, 'folder')
  const files = place.endsWith('.json')
    ? [place]
    : listed.names.filter((name) => name.endsWith('.json')).map((name) => join(place, name))
  const found: (CopilotHook | ProposedHook)[] = []
  for (const file of files) {
    found.push(...readFile(file, ports).slice(0, maxHooks + 1))
    if (found.length > maxHooks) break
  }
  return {
    proposed: [
      ...found.slice(0, maxHooks).map((one) => ('kind' in one ? one : readHook(one, ports))),
      ...(found.length > maxHooks
        ? [
            invalid(
              { event: 'copilot', command: place, origin: place },
              'source.size',
              `Expected at most ${maxHooks} hooks, got more; the rest is not listed.`,
              'Propose fewer; what was approved stays in force.',
            ),
          ]
        : []),
    ],
  }
}
