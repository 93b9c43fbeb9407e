import { dirname, isAbsolute, join, normalize } from 'node:path'
import { quote } from 'shlex'
import { isObject, type Json } from '../../../core/model/base/json.ts'
import { got } from '../../../core/model/gate/problem.ts'
import { copilotMatcher } from './copilot-matcher.ts'
import { envOf, headersOf } from './foreign-headers.ts'
import type { ForeignHook } from './foreign-hook.ts'
import { invalid, proposeForeign, unmapped, type ForeignPorts, type ReadForeign } from './foreign.ts'
import { readJson } from '../json.ts'
import { takeOptions, type HookOptions } from '../options.ts'
import type { ProposedHook } from '../../../shared/gate/catalogue.ts'
import { unreadable } from '../source.ts'

const maxChars = 1024 * 1024
const maxHooks = 1000

/**
 * The project's folder, where Copilot runs hooks: the parent of `.github`. For a file elsewhere it is the
 * workspace.
 */
const projectOf = (file: string): string => {
  const parts = dirname(normalize(file)).split('/')
  const at = parts.lastIndexOf('.github')
  if (at < 0) return '.'
  return at === 0 ? '.' : parts.slice(0, at).join('/') || '/'
}

type CopilotHandler = Pick<ForeignHook, 'type' | 'command' | 'shell' | 'args' | 'headers'> & {
  readonly remarks?: readonly string[]
}

interface Unsupported {
  readonly why: string
}

/**
 * Reads the target of the hook, or the reason why it cannot run here. `at` resolves a path that is relative
 * to the hook's folder.
 */
const subjectOf = (
  options: HookOptions,
  at: (path: string) => string,
  { shells }: ForeignPorts,
): CopilotHandler | Unsupported => {
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
      why: 'a hook of type prompt would enter a prompt at the session start, which only a person may do here',
    }
  if (type === 'http') return { type, command: url ?? '', ...http }
  // Copilot runs "command" with bash too. "bash" takes precedence.
  const text = bash ?? command
  if (exec !== undefined && (text ?? powershell) !== undefined)
    return { why: 'it has both "exec" and a shell command, and Copilot accepts only one of them' }
  if (exec !== undefined)
    return {
      type,
      command: exec === '' ? '' : quote(exec.includes('/') && !isAbsolute(exec) ? at(exec) : exec),
      args,
    }
  if (text !== undefined)
    return {
      type,
      command: text,
      shell: shells.copilot,
      remarks: args === undefined ? undefined : ['Its "args" have no effect without "exec".'],
    }
  return {
    why:
      powershell === undefined
        ? 'it has no "bash", "command" or "exec"'
        : 'it has a command for PowerShell only, which does not run here',
  }
}

/** The script at the start of a command's text, when it is a plain path. */
const scriptIn = (text: string): string | undefined =>
  /^\s*(\.{0,2}[\w.-]*\/[\w./-]+)(?:\s|$)/.exec(text)?.[1]

/**
 * Finds the folder of the hook. Copilot's own example has `cwd: scripts` and `./scripts/x.sh`, so the
 * project's folder is used when only the project has such a script.
 */
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
      `Its folder ${got(cwd)} has no ${script}, but the project has it, so the hook runs in the project's folder.`,
    ],
  }
}

interface CopilotHook {
  readonly event: string
  readonly raw: Json
  readonly line: number | undefined
  readonly file: string
  readonly isDisabled: boolean
  /** Remarks about the file. */
  readonly remarks: readonly string[]
}

const readHook = (
  { event, raw, line, file, isDisabled, remarks }: CopilotHook,
  ports: ForeignPorts,
): ProposedHook => {
  const fields = isObject(raw) ? raw : {}
  const shown =
    [
      fields['bash'],
      fields['command'],
      fields['exec'],
      fields['url'],
      fields['powershell'],
      fields['prompt'],
    ].find((value) => typeof value === 'string') ?? '(no command)'
  const stated = { event, command: shown, origin: file, line }
  if (!isObject(raw))
    return invalid(stated, 'source.shape', `Expected a hook with type and bash, got ${got(raw)}.`)
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
  const { env, remarks: envRemarks } = envOf(options, /\$\{?[A-Za-z_]/)
  const [named, alias] = [options.seconds('timeoutSec'), options.seconds('timeout')]
  const timeoutMs = named ?? alias
  const flaw = options.flaw()
  if (flaw !== undefined) return invalid(stated, 'source.option', flaw)
  if (isDisabled) return unmapped(stated, 'its file sets "disableAllHooks"')
  if ('why' in subject) return unmapped(stated, subject.why)
  if (cwd !== undefined && /^~|\$/.test(cwd))
    return unmapped(
      stated,
      `its folder ${got(cwd)} depends on a person's home or environment. Write it relative to the project`,
    )
  const found = copilotMatcher(
    matcher,
    ports.events.copilot.find(({ name }) => name === event),
  )
  const { remarks: subjectRemarks = [], ...asked } = subject
  const isProgram = asked.type !== 'http'
  return proposeForeign(
    {
      ...stated,
      ...asked,
      dialect: 'copilot',
      matcher: found.matcher,
      timeoutMs,
      cwd: isProgram && folder.cwd !== '.' ? folder.cwd : undefined,
      env,
      name: comment?.trim() || undefined,
      remarks: [
        ...remarks,
        ...subjectRemarks,
        ...(isProgram ? folder.remarks : []),
        ...envRemarks,
        ...found.remarks,
        ...options.unknownRemarks(),
      ],
    },
    ports,
  )
}

/**
 * A file without a version belongs to VS Code. Those of its events that Copilot does not have use another
 * form.
 */
const eventIn = (event: string, version: Json | undefined, { events }: ForeignPorts): string => {
  const own = `vscode:${event}`
  return version === undefined && events.copilot.some(({ name }) => name === own) ? own : event
}

const readFile = (file: string, ports: ForeignPorts): readonly (CopilotHook | ProposedHook)[] => {
  const row = (code: string, message: string, line?: number): readonly ProposedHook[] => [
    invalid({ event: 'copilot', command: file, origin: file, line }, code, message),
  ]
  const read = ports.read(file)
  if ('why' in read) return row('source.unreadable', `Expected a readable file, but it is ${read.why}.`)
  const document = readJson(read.text, { file, maxChars })
  if ('problem' in document)
    return [{ kind: 'invalid', event: 'copilot', command: file, problem: document.problem }]
  const { root, lineOf } = document
  const { version, hooks, disableAllHooks } = isObject(root) ? root : {}
  // VS Code writes no version. A later version could have another meaning.
  if (!isObject(root) || (version !== undefined && version !== 1))
    return row(
      'source.version',
      `Expected an object with "version": 1, got ${got(isObject(root) ? version : root)}.`,
      lineOf(['version']),
    )
  const remarks =
    version === 1 ? [] : ['Its file has no "version". Copilot CLI ignores such a file, and VS Code reads it.']
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
        ),
      ]
    const base = {
      event: eventIn(named, version, ports),
      file,
      isDisabled: disableAllHooks === true,
      remarks,
    }
    // Hooks beyond the limit are not listed, and each line number costs a search.
    return list
      .slice(0, maxHooks + 1)
      .map((raw: Json, index): CopilotHook => ({ ...base, raw, line: lineOf(['hooks', named, index]) }))
  })
}

/** Reads Copilot's hook files: one `*.json` file, or all of them in a folder. */
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
              `Expected at most ${maxHooks} hooks, got more. The rest is not listed.`,
              'Propose fewer hooks. Approved hooks stay in force.',
            ),
          ]
        : []),
    ],
  }
}
