import { accessSync, constants, openSync, readSync, closeSync, statSync, type Stats } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import type { StartRequest } from './protocol.ts'

const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** What follows `#!` in the first line, with its line end, at most 256 bytes; undefined when the file has none. */
const interpreterLine = (path: string): string | undefined => {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const head = Buffer.alloc(256)
      const text = head.toString('utf8', 0, readSync(file, head))
      return text.startsWith('#!') ? text.slice(2).split('\n', 1)[0] : undefined
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}

/** Where the system would look: a name without a slash is searched in PATH, all else is relative to the working folder. */
const located = (program: string, request: StartRequest): string | undefined =>
  program.includes('/')
    ? resolve(request.cwd, program)
    : (request.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, program)).find((path) => statOf(path) !== undefined)

const folderFailure = (cwd: string): string | undefined => {
  const stats = statOf(cwd)
  if (stats === undefined) return `Expected the working folder ${cwd} to exist, got nothing there; create it or correct "cwd".`
  if (!stats.isDirectory()) return `Expected the working folder ${cwd} to be a folder, got a file; correct "cwd".`
  return isExecutable(cwd) ? undefined : `Expected the working folder ${cwd} to be open to the hooks' user, got no right to enter it; correct its mode or "cwd".`
}

const programFailure = (program: string, path: string, code: string): string | undefined => {
  const stats = statOf(path)
  if (stats === undefined) return `Expected the program ${program} to exist, got no file there; restore it or correct the command.`
  if (stats.isDirectory()) return `Expected ${program} to be a program, got a folder; name the file inside it that is to run.`
  if (!isExecutable(path) && (stats.mode & 0o111) !== 0) return `Expected ${program} to lie where the hooks' user may run programs, got a folder that is closed to it or mounted noexec; open it, or choose another one with HOOKGATE_HOME.`
  if (!isExecutable(path)) return `Expected ${program} to be executable, got mode ${(stats.mode & 0o777).toString(8).padStart(3, '0')}; run: chmod +x ${program}`
  const line = interpreterLine(path)
  if (code !== 'ENOENT' || line === undefined) return undefined
  const interpreter = JSON.stringify(line.trimStart().split(/[ \t]/, 1)[0])
  return line.endsWith('\r')
    ? `Expected the first line of ${program} to end in a line feed alone, got the interpreter ${interpreter}; save the file with Unix line ends.`
    : `Expected the interpreter ${interpreter} of the first line of ${program} to exist, got nothing there; install it or correct the line.`
}

/** Why a program did not start, in one sentence that tells the causes apart. Looks at the files only now that it failed. */
export const startFailure = (request: StartRequest, error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const [program = ''] = request.argv
  if (program === '') return 'Expected a program to run, got no words; write the command.'
  switch (code) {
    case 'E2BIG':
      return `Expected the arguments and environment of ${program} to fit the system's limit, got too much (E2BIG); shorten "args" or "env".`
    case 'EAGAIN':
    case 'EMFILE':
    case 'ENFILE':
    case 'ENOMEM':
      return `Expected room to start ${program}, got ${code}: the machine is out of processes, files or memory; end some programs or raise the limit.`
    default: {
      const folder = folderFailure(request.cwd)
      if (folder !== undefined) return folder
      const path = located(program, request)
      if (path === undefined) return `Expected a program named ${program} in PATH (${request.env['PATH'] ?? 'empty'}), got none; install it or write its full path.`
      return (
        programFailure(program, path, code) ??
        `Expected ${program} to start, got "${error instanceof Error ? error.message : String(error)}"; run it by hand as the hooks' user to see why.`
      )
    }
  }
}
