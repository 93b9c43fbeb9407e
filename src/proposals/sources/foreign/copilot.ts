import { dirname, isAbsolute, join, normalize } from 'node:path'
import { quote } from 'shlex'
import type { Shell } from '../../../core/model/hooks/dialect.ts'
import { isObject, type Json } from '../../../core/model/base/json.ts'
import { got } from '../../../core/model/gate/problem.ts'
import { copilotMatcher } from './copilot-matcher.ts'
import { envOf, headersOf } from './foreign-headers.ts'
import {
  folderFlaw,
  invalid,
  listedHooks,
  nativeIn,
  proposeForeign,
  readHook,
  type ForeignHook,
  type ForeignPorts,
  type HookForm,
  type HookPlace,
  type ReadForeign,
  type Subject,
  type UnreadHook,
} from './foreign.ts'
import { readJson } from '../json.ts'
import type { HookOptions } from '../options.ts'
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

/**
 * Reads the target of the hook, or the reason why it cannot run here. `at` resolves a path that is relative
 * to the hook's folder.
 */
const subjectOf = (options: HookOptions, at: (path: string) => string, shell: Shell): Subject => {
  const type = options.oneOf('type', ['command', 'http', 'prompt']) ?? 'command'
  const { bash, powershell, command, exec } = options.words('bash', 'powershell', 'command', 'exec')
  const [args, url] = [options.texts('args'), options.text('url')]
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
      shell,
      remarks: [args && 'Its "args" have no effect without "exec".'],
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

const form: HookForm = {
  shown: ['bash', 'command', 'exec', 'url', 'powershell', 'prompt'],
  expected: 'a hook with type and bash',
}

interface CopilotFile {
  readonly isDisabled: boolean
  /** Remarks about the file. */
  readonly remarks: readonly string[]
}

const hookOf = (
  raw: Json,
  place: HookPlace,
  { isDisabled, remarks }: CopilotFile,
  ports: ForeignPorts,
): ForeignHook | ProposedHook =>
  readHook(raw, place, form, (options, shown) => {
    const project = projectOf(place.origin)
    const { cwd, comment, matcher } = options.words('cwd', 'comment', 'matcher')
    const folder = folderOf(cwd, shown, project, ports)
    const subject = subjectOf(
      options,
      (path) =>
        [join(folder.cwd, path), join(project, path)].find((file) => ports.isExecutable(file)) ??
        join(project, path),
      ports.dialects.copilot.shell,
    )
    const { env, remarks: envRemarks } = envOf(options, /\$\{?[A-Za-z_]/)
    const [named, alias] = [options.seconds('timeoutSec'), options.seconds('timeout')]
    if (isDisabled) return { why: 'its file sets "disableAllHooks"' }
    if ('why' in subject) return subject
    const found = copilotMatcher(matcher, nativeIn(ports, 'copilot', place.event))
    const isProgram = subject.type !== 'http'
    return (
      folderFlaw(cwd, 'project') ?? {
        ...subject,
        dialect: 'copilot',
        matcher: found.matcher,
        timeoutMs: named ?? alias,
        cwd: isProgram && folder.cwd !== '.' ? folder.cwd : undefined,
        env,
        name: comment?.trim() || undefined,
        remarks: [
          ...remarks,
          ...(subject.remarks ?? []),
          ...(isProgram ? folder.remarks : []),
          ...envRemarks,
          ...found.remarks,
        ],
      }
    )
  })

/**
 * A file without a version belongs to VS Code. Those of its events that Copilot does not have use another
 * form.
 */
const eventIn = (event: string, version: Json | undefined, ports: ForeignPorts): string => {
  const own = `vscode:${event}`
  return version === undefined && nativeIn(ports, 'copilot', own) !== undefined ? own : event
}

const readFile = (file: string, ports: ForeignPorts): readonly UnreadHook[] => {
  const row = (code: string, message: string, line?: number): readonly UnreadHook[] => [
    () => invalid({ event: 'copilot', command: file, origin: file, line }, code, message),
  ]
  const read = ports.read(file)
  if ('why' in read) return row('source.unreadable', `Expected a readable file, but it is ${read.why}.`)
  const document = readJson(read.text, { file, maxChars })
  if ('problem' in document)
    return [() => ({ kind: 'invalid', event: 'copilot', command: file, problem: document.problem })]
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
  const about = { isDisabled: disableAllHooks === true, remarks }
  return listedHooks(hooks, file, (named, raw, index) =>
    hookOf(
      raw,
      { event: eventIn(named, version, ports), origin: file, line: lineOf(['hooks', named, index]) },
      about,
      ports,
    ),
  )
}

/** Reads Copilot's hook files: one `*.json` file, or all of them in a folder. */
export const readCopilot: ReadForeign = (place, ports) => {
  const listed = place.endsWith('.json') ? { names: [''] } : ports.list(place)
  if ('why' in listed) return unreadable(place, listed.why, 'folder')
  const files = place.endsWith('.json')
    ? [place]
    : listed.names.filter((name) => name.endsWith('.json')).map((name) => join(place, name))
  const found: UnreadHook[] = []
  for (const file of files) {
    found.push(...readFile(file, ports).slice(0, maxHooks + 1))
    if (found.length > maxHooks) break
  }
  return {
    proposed: [
      ...found.slice(0, maxHooks).map((read) => proposeForeign(read(), ports)),
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
