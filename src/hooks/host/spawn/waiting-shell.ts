import { spawnSync } from 'node:child_process'
import { closeSync, constants, existsSync, openSync, readSync } from 'node:fs'
import { markName } from './group.ts'
import type { StartRequest } from '../protocol.ts'

/**
 * A shell that was started before an event and becomes the hook's program when the event comes. It reads a
 * line, which it is given with the event, then the values that differ by event, one per line. A shell reads
 * a pipe byte by byte, so the rest stays for the program.
 */
export interface WaitingShell {
  /** How the shell itself is started. */
  readonly start: StartRequest
  /** The shell writes this line to stderr immediately before it becomes the program. */
  readonly ready: string
  /** When it cannot become the program, it writes this line to stderr and exits with `refusedCode`. */
  readonly refusal: string
  /** The lines for a request; undefined when this shell would show the program another world than it asks. */
  lines(request: StartRequest): string | undefined
}

/** The shell exits with this code when it could not become the program. */
export const refusedCode = 113
/** The most bytes that are given to the shell for one event, because it reads them one by one. */
const maxValueBytes = 1024
/** Only Bash can give a program another name than its file has, which every interpreter of a script gets. */
const shells = ['/bin/bash', '/usr/bin/bash', '/run/current-system/sw/bin/bash']
const checkTimeoutMs = 1000

const nameShape = /^[A-Za-z_][A-Za-z0-9_]*$/
/** Bash changes these variables, obeys them, or hides them from programs. */
const ownName =
  /^(?:_|BASH.*|CDPATH|COLUMNS|COMP_.*|COPROC|DIRSTACK|ENV|EPOCH.*|EUID|EXECIGNORE|FUNC.*|GLOB.*|GROUPS|HIST.*|HOST.*|IFS|IGNOREEOF|LINENO|LINES|MACHTYPE|MAIL.*|MAPFILE|OLDPWD|OPT.*|OSTYPE|PIPESTATUS|POSIXLY_CORRECT|PPID|PROMPT_.*|PS\d|PWD|RANDOM|READLINE_.*|REPLY|SECONDS|SHELLOPTS|SHLVL|SRANDOM|TERM|TIMEFORMAT|TMOUT|UID)$/
/** Printable characters of ASCII. A shell may change others, and a line feed ends the value. */
const valueShape = /^[\x20-\x7e]*$/

/**
 * The values never become part of this text, so the shell never reads one as a command. An array is not given
 * to programs, and Bash would give them its own SHLVL otherwise.
 */
const scriptFor = (mark: string, varying: readonly string[]): string =>
  [
    `shopt -s execfail; unset SHLVL; declare -a SHLVL; IFS= read -r REPLY && [[ -z $REPLY ]]`,
    ...varying.map((name) => `IFS= read -r ${name}`),
    `cd -P -- "$0" && unset PWD OLDPWD && echo ${mark}+ >&2 && exec -a "$1" "\${@:2}" || echo ${mark}- >&2; exit ${refusedCode}`,
  ].join(' && ')

const canStart = ({ argv: [program = ''], cwd, env }: StartRequest): boolean =>
  program.startsWith('/') &&
  cwd.startsWith('/') &&
  env['PATH'] !== undefined &&
  Object.keys(env).every((name) => nameShape.test(name) && !ownName.test(name))

/**
 * True for a file that the system itself can start. Any other file is text, which Bash would read as its own,
 * but which otherwise `/bin/sh` reads.
 */
const isProgram = (path: string): boolean => {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const head = Buffer.alloc(4)
      readSync(file, head)
      return head.toString('latin1').startsWith('#!') || head.toString('latin1') === '\x7fELF'
    } finally {
      closeSync(file)
    }
  } catch {
    return false
  }
}

const isSameList = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((one, index) => one === others[index])

const linesFor = (
  prepared: StartRequest,
  varying: readonly string[],
  request: StartRequest,
): string | undefined => {
  const { argv, argv0, cwd, env } = request
  if (!isSameList(argv, prepared.argv) || argv0 !== prepared.argv0 || cwd !== prepared.cwd) return undefined
  const names = Object.keys(env)
  if (names.length !== Object.keys(prepared.env).length) return undefined
  // The mark names the process, which has been started under its own.
  const isKept = (name: string): boolean => name === markName || env[name] === prepared.env[name]
  if (!names.every((name) => name in prepared.env && (isKept(name) || varying.includes(name))))
    return undefined
  const values = varying.map((name) => env[name] ?? '')
  const lines = `\n${values.map((value) => `${value}\n`).join('')}`
  const canBeGiven = lines.length <= maxValueBytes && values.every((value) => valueShape.test(value))
  return canBeGiven && isProgram(argv[0] ?? '') ? lines : undefined
}

/** Undefined when a shell could not become this program, or not without being noticed. */
export const waitingShellFor = (
  shell: string,
  request: StartRequest,
  varying: readonly string[],
  mark: string,
): WaitingShell | undefined => {
  const [program = ''] = request.argv
  if (!canStart(request) || !varying.every((name) => name in request.env && name !== markName))
    return undefined
  return {
    start: {
      argv: [
        shell,
        '--norc',
        '-c',
        scriptFor(mark, varying),
        request.cwd,
        request.argv0 ?? program,
        ...request.argv,
      ],
      // It enters the working folder with its event. Until then it holds no folder.
      cwd: '/',
      env: request.env,
    },
    ready: `${mark}+\n`,
    refusal: `${mark}-\n`,
    lines: (asked) => linesFor(request, varying, asked),
  }
}

/** Every character that a value may have, without and with a shell's meaning. */
const sample = { EMPTY: '', TEXT: ' $(exit 3) `exit 3` \'"\\n é\n日本 ', PATH: '/usr/bin:/bin' }
const markOfCheck = 'mark'

const valueOfCheck = sample.TEXT.replaceAll(/[^ -~]/g, '')

const outcomeOf = (shell: string, text: string) => {
  const request = {
    argv: [shell, '--norc', '-c', text],
    argv0: 'name',
    cwd: '/',
    env: { ...sample, VALUE: '' },
  }
  const waiting = waitingShellFor(shell, request, ['VALUE'], markOfCheck)
  const lines = waiting?.lines({ ...request, env: { ...sample, VALUE: valueOfCheck } })
  const [program = '', ...args] = waiting?.start.argv ?? []
  return spawnSync(program, args, {
    input: `${lines ?? ''}the rest`,
    env: request.env,
    cwd: '/',
    encoding: 'utf8',
    timeout: checkTimeoutMs,
    killSignal: 'SIGKILL',
  })
}

/** True when a program finds the same world behind this shell as without it. Takes some milliseconds. */
const isUnnoticed = (shell: string): boolean => {
  const expected = { ...sample, VALUE: valueOfCheck }
  const lines = Object.entries(expected).map(([name, value]) => `${name}=${value}`)
  const shown = outcomeOf(shell, 'echo "$0"; cat /proc/$$/environ -; :')
  const [name, ...rest] = shown.stdout.split('\n')
  const seen = rest.join('\n').split('\0')
  if (shown.stderr !== `${markOfCheck}+\n` || name !== 'name' || seen.pop() !== 'the rest') return false
  return seen.sort().join('\0') === lines.sort().join('\0')
}

let found: { readonly shell: string | undefined } | undefined

/** The shell that waits on this machine; undefined when none of them stays unnoticed. Linux only. */
export const findWaitingShell = (): string | undefined => {
  found ??= {
    shell:
      process.platform === 'linux' ? shells.filter((path) => existsSync(path)).find(isUnnoticed) : undefined,
  }
  return found.shell
}
