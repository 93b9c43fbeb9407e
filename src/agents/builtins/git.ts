import { spawn } from 'node:child_process'
import { killGroup } from '../../shared/base/process-group.ts'

/** The input and the limits of one run of git. */
export interface GitRequest {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string | Buffer
  readonly maxBytes?: number
  readonly timeoutMs?: number
}

/** The result of one run. `isCut` is true when git printed more than `maxBytes` and was ended. */
export interface GitResult {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
  readonly isCut: boolean
}

export type Git = (request: GitRequest) => Promise<GitResult>

/** Says in a text for the person why a builtin failed. */
export class BuiltinError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BuiltinError'
  }
}

const timeoutMs = 10_000
const maxStdoutBytes = 8 * 1024 * 1024
const maxStderrChars = 2_000
const maxFilters = 50

/**
 * A repository's own configuration can name programs, and none of them may run. These settings override every
 * configuration file. Flags of `diff` and `log`, and the names of filters, are added where they are needed.
 */
const settings: Readonly<Record<string, string>> = {
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'core.pager': 'cat',
  'core.sshCommand': 'false',
  'core.gitProxy': '',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'credential.helper': '',
  'diff.external': '',
  'diff.ignoreSubmodules': 'all',
  'gpg.program': 'false',
  'gpg.ssh.program': 'false',
  'gpg.x509.program': 'false',
  'log.showSignature': 'false',
  'protocol.allow': 'never',
  'safe.bareRepository': 'explicit',
  'status.submoduleSummary': 'false',
  'submodule.recurse': 'false',
  'color.ui': 'never',
}

const environment = (path: string | undefined): Readonly<Record<string, string>> => ({
  PATH: path ?? '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  // A repository may allow a transport by name, and this overrides it. A missing object is not fetched.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_SSH_COMMAND: 'false',
  GIT_ASKPASS: 'false',
  GIT_EDITOR: 'false',
})

const flags = [
  '--no-pager',
  '--no-optional-locks',
  '--literal-pathspecs',
  ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
]

/**
 * Runs git in a process group of its own with limits of time and output. Rejects with a text for the person
 * when git is missing or takes too long.
 */
export const createGit =
  (path: string | undefined): Git =>
  (request) =>
    new Promise((resolve, reject) => {
      const { args, cwd, env = {}, stdin = '', maxBytes = maxStdoutBytes } = request
      const child = spawn('git', [...flags, ...args], {
        cwd,
        env: { ...environment(path), ...env },
        detached: true,
        stdio: 'pipe',
      })
      const chunks: Buffer[] = []
      let [bytes, stderr, isLate] = [0, '', false]
      const timer = setTimeout(() => {
        isLate = true
        killGroup(child.pid)
      }, request.timeoutMs ?? timeoutMs)
      child.stdout.on('data', (chunk: Buffer) => {
        if (bytes <= maxBytes) chunks.push(chunk)
        bytes += chunk.length
        if (bytes > maxBytes) killGroup(child.pid)
      })
      child.stderr.on('data', (chunk: Buffer) => {
        if (stderr.length < maxStderrChars) stderr += chunk.toString()
      })
      child.stdin.on('error', () => undefined)
      child.stdin.end(stdin)
      child.on('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer)
        reject(
          new BuiltinError(
            error.code === 'ENOENT'
              ? 'The agent host finds no git on its PATH. Install git.'
              : `git did not start (${error.message}).`,
          ),
        )
      })
      child.on('close', (code) => {
        clearTimeout(timer)
        killGroup(child.pid)
        const isCut = bytes > maxBytes
        if (isLate)
          reject(
            new BuiltinError(
              `git ${args[0] ?? ''} took longer than ${(request.timeoutMs ?? timeoutMs) / 1000} s and was ended.`,
            ),
          )
        else
          resolve({
            code: code ?? (isCut ? 0 : 1),
            stdout: Buffer.concat(chunks).subarray(0, maxBytes),
            stderr: stderr.slice(0, maxStderrChars),
            isCut,
          })
      })
    })

/**
 * Filters cannot be switched off. So each filter in a repository's configuration gets an empty program, by
 * environment variables that override the configuration.
 */
const withoutFilters = async (git: Git, cwd: string): Promise<Readonly<Record<string, string>>> => {
  const { stdout, isCut } = await git({
    args: ['config', '--includes', '--null', '--name-only', '--get-regexp', String.raw`^filter\.`],
    cwd,
    maxBytes: 64 * 1024,
  })
  const names = new Set(
    stdout
      .toString('latin1')
      .split('\0')
      .flatMap((key) => /^filter\.([^]*)\.[^.]*$/.exec(key)?.[1] ?? []),
  )
  if (isCut || names.size > maxFilters)
    throw new BuiltinError(
      `The configuration of the repository has more than ${maxFilters} filters. Remove some.`,
    )
  const pairs = [...names].flatMap((name) => [
    [`filter.${name}.clean`, ''],
    [`filter.${name}.smudge`, ''],
    [`filter.${name}.process`, ''],
    [`filter.${name}.required`, 'false'],
  ])
  const variables = pairs.flatMap(([key = '', value = ''], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return Object.fromEntries([['GIT_CONFIG_COUNT', String(pairs.length)], ...variables])
}

/**
 * Runs git in a repository that somebody else may control. Resolves with undefined outside a repository.
 * Rejects with git's error text when git fails.
 */
export const inRepository = async (
  git: Git,
  cwd: string,
  args: readonly string[],
  maxBytes: number,
): Promise<{ readonly text: string; readonly isCut: boolean } | undefined> => {
  const inside = await git({ args: ['rev-parse', '--is-inside-work-tree'], cwd, maxBytes: 1000 })
  if (inside.code !== 0 && /not a git repository/i.test(inside.stderr)) return undefined
  if (inside.code !== 0)
    throw new BuiltinError(`git refuses this folder: ${inside.stderr.trim().slice(0, 300)}`)
  if (inside.stdout.toString().trim() !== 'true') return undefined
  const { code, stdout, stderr, isCut } = await git({
    args,
    cwd,
    maxBytes,
    env: await withoutFilters(git, cwd),
  })
  if (code === 0) return { text: new TextDecoder().decode(stdout).trimEnd(), isCut }
  // A repository without a commit has no history.
  if (/does not have any commits yet|unknown revision|bad default revision/i.test(stderr))
    return { text: '', isCut: false }
  throw new BuiltinError(`git ${args[0] ?? ''} failed: ${stderr.trim().slice(0, 300)}`)
}
