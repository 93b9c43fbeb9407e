import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { markName } from './group.ts'
import { isAlike, type StartRequest } from '../protocol.ts'

/**
 * A shell that was started before an event and becomes the hook's program when the event comes. It reads a
 * line at descriptor 3, which it is given with the event, then the values that differ by event, one per line.
 * It leaves stdin to the program. A shell that cannot become the program exits with a code above 125, as a
 * crashed hook does.
 *
 * The program sees what it would see without the shell, with these exceptions: the order of its variables,
 * the age of its process, and the processor time that the shell took.
 */
export interface WaitingShell {
  /** How the shell itself is started. */
  readonly start: StartRequest
  /** The lines for a request; undefined when this shell would show the program another world than it asks. */
  lines(request: StartRequest): string | undefined
}

/** Only Bash can give a program another name than its file has, which every interpreter of a script gets. */
const shells = ['/bin/bash', '/usr/bin/bash', '/run/current-system/sw/bin/bash']
const checkTimeoutMs = 1000
/** The most bytes that are given to the shell for one event, because it reads them one by one. */
const maxValueBytes = 1024

const nameShape = /^[A-Za-z_][A-Za-z0-9_]*$/
/**
 * Bash changes these variables, obeys them, complains about them, or hides them from programs. Some of them
 * would load a hook's own library into it.
 */
const ownName =
  /^(?:_|BASH.*|CDPATH|COLUMNS|COMP_.*|COPROC|DIRSTACK|ENV|EPOCH.*|EUID|EXECIGNORE|FUNC.*|GCONV_PATH|GLIBC_.*|GLOB.*|GROUPS|HIST.*|HOST.*|IFS|IGNOREEOF|LC_.*|LD_.*|LINENO|LINES|LOCPATH|MACHTYPE|MAIL.*|MAPFILE|OLDPWD|OPT.*|OSTYPE|PIPESTATUS|POSIXLY_CORRECT|PPID|PROMPT_.*|PS\d|PWD|RANDOM|READLINE_.*|REPLY|SECONDS|SHELLOPTS|SHLVL|SRANDOM|TERM|TIMEFORMAT|TMOUT|UID)$/
/** Printable characters of ASCII. A shell may change others, and a line feed ends the value. */
const valueShape = /^[\x20-\x7e]*$/

/**
 * The values never become part of this text, so the shell never reads one as a command. An array is not given
 * to programs, and Bash would give them its own SHLVL otherwise.
 */
const scriptFor = (varying: readonly string[]): string =>
  [
    'unset SHLVL; declare -a SHLVL; read -r -u 3',
    ...varying.map((name) => `IFS= read -r -u 3 ${name}`),
    `cd -P -- "$0" && unset PWD OLDPWD && exec 3<&- && exec -a "$1" "\${@:2}"; exit 126`,
  ].join(' && ')

const linesFor = (
  prepared: StartRequest,
  varying: readonly string[],
  request: StartRequest,
): string | undefined => {
  const { env } = request
  // The mark names the process, which has been started under its own.
  const isGiven = (name: string): boolean =>
    name === markName || varying.includes(name) || env[name] === prepared.env[name]
  if (!isAlike(request, prepared) || !Object.keys(env).every(isGiven)) return undefined
  const values = varying.map((name) => env[name] ?? '')
  const lines = `\n${values.map((value) => `${value}\n`).join('')}`
  const canBeGiven = lines.length <= maxValueBytes && values.every((value) => valueShape.test(value))
  return canBeGiven ? lines : undefined
}

const waitingIn = (path: string, request: StartRequest, varying: readonly string[]): WaitingShell => {
  const { argv, argv0, cwd, env } = request
  const words = [cwd, argv0 ?? argv[0] ?? '', ...argv]
  return {
    // It enters the working folder with its event. Until then it holds no folder.
    start: { argv: [path, '--norc', '-c', scriptFor(varying), ...words], cwd: '/', env },
    lines: (asked) => linesFor(request, varying, asked),
  }
}

/** Every character that a value may have, without and with a shell's meaning. */
const sample = { EMPTY: '', TEXT: ' $(exit 3) `exit 3` \'"\\n é\n日本 ', PATH: '/usr/bin:/bin' }
const valueOfCheck = sample.TEXT.replaceAll(/[^ -~]/g, '')

/** True when a program finds the same world behind this shell as without it. Takes some milliseconds. */
const isUnnoticed = (path: string): boolean => {
  const request = {
    argv: ['/bin/sh', '-c', 'echo "$0"; cat /proc/$$/environ -; :', 'name'],
    cwd: '/',
    env: { ...sample, VALUE: '' },
  }
  const { start, lines } = waitingIn(path, request, ['VALUE'])
  const expected = { ...sample, VALUE: valueOfCheck }
  const [program = '', ...args] = start.argv
  const given = `exec 3<<'END'\n${lines({ ...request, env: expected }) ?? ''}END\nexec "$@"`
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', given, 'sh', program, ...args], {
    input: 'the rest',
    env: request.env,
    cwd: '/',
    encoding: 'utf8',
    timeout: checkTimeoutMs,
    killSignal: 'SIGKILL',
  })
  const [name, ...rest] = stdout.split('\n')
  const seen = rest.join('\n').split('\0')
  if (stderr !== '' || name !== 'name' || seen.pop() !== 'the rest') return false
  const variables = Object.entries(expected).map(([key, value]) => `${key}=${value}`)
  return seen.sort().join('\0') === variables.sort().join('\0')
}

let found: { readonly path: string | undefined } | undefined
/** The shell that waits on this machine. */
const findShell = (): string | undefined => {
  found ??= { path: shells.find((path) => existsSync(path) && isUnnoticed(path)) }
  return found.path
}

/**
 * The shell that waits for this request. `varying` names the variables whose values come with the event.
 * Undefined when no shell could become this program, or not without being noticed.
 */
export const waitingShellFor = (
  request: StartRequest,
  varying: readonly string[],
): WaitingShell | undefined => {
  const { argv, cwd, env } = request
  const canWait =
    process.platform === 'linux' &&
    argv[0]?.startsWith('/') === true &&
    cwd.startsWith('/') &&
    env['PATH'] !== undefined &&
    Object.keys(env).every((name) => nameShape.test(name) && !ownName.test(name)) &&
    varying.every((name) => Object.hasOwn(env, name) && name !== markName)
  const path = canWait ? findShell() : undefined
  return path === undefined ? undefined : waitingIn(path, request, varying)
}
