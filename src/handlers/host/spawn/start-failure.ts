import type { RunFailure } from '../../../core/model/hooks/run-result.ts'
import { accessSync, constants, openSync, readSync, closeSync, statSync, type Stats } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import type { StartRequest } from '../protocol.ts'

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

/** The first bytes of a file: as many as the system reads to find out how to start it. */
const headOf = (path: string): string => {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const head = Buffer.alloc(256)
      return head.toString('utf8', 0, readSync(file, head))
    } finally {
      closeSync(file)
    }
  } catch {
    return ''
  }
}

/** The text after `#!` in the first line, with a carriage return if there is one. */
const interpreterIn = (head: string): string | undefined =>
  head.startsWith('#!') ? head.slice(2).split('\n', 1)[0] : undefined

const interpreterOf = (line: string): string => line.trimStart().split(/[ \t]/, 1)[0] ?? ''

/**
 * The path that the system would start. A name without a slash is searched in PATH; every other name is
 * relative to the working folder.
 */
const located = (program: string, request: StartRequest): string | undefined =>
  program.includes('/')
    ? resolve(request.cwd, program)
    : (request.env['PATH'] ?? '')
        .split(delimiter)
        .map((folder) => join(folder, program))
        .find((path) => statOf(path) !== undefined)

const folderFailure = (cwd: string): string | undefined => {
  const stats = statOf(cwd)
  if (stats === undefined) return `Its working folder ${cwd} does not exist. Make it, or correct "cwd".`
  if (!stats.isDirectory()) return `Its working folder ${cwd} is a file. Correct "cwd".`
  if (isExecutable(cwd)) return undefined
  return `The hooks' user may not enter its working folder ${cwd}. Correct the mode of the folder, or "cwd".`
}

/** True when no program can start in that folder. */
export const isClosed = (cwd: string): boolean => folderFailure(cwd) !== undefined

/**
 * True when the system would start the program itself, as far as its files show. A text without `#!` is
 * started as a script of the shell that tries it.
 */
export const canStart = ({ argv: [program = ''], cwd }: StartRequest): boolean => {
  // The dot makes sure that it is a folder.
  if (!isExecutable(`${cwd}/.`) || !isExecutable(program)) return false
  const head = headOf(program)
  const line = interpreterIn(head)
  return line === undefined ? head.startsWith('\x7fELF') : isExecutable(resolve(cwd, interpreterOf(line)))
}

const programFailure = (program: string, path: string, code: string): string | undefined => {
  const stats = statOf(path)
  if (stats === undefined)
    return `The program ${program} does not exist. Put it back, or correct the command.`
  if (stats.isDirectory()) return `${program} is a folder. Name the program inside it.`
  if (!isExecutable(path) && (stats.mode & 0o111) !== 0)
    return `The hooks' user may not run programs in the folder of ${program}: it is closed, or mounted noexec. Open it, or choose another one with HOOKGATE_HOME.`
  if (!isExecutable(path))
    return `${program} is not executable: its mode is ${(stats.mode & 0o777).toString(8).padStart(3, '0')}. Run chmod +x ${program}`
  const line = interpreterIn(headOf(path))
  if (code !== 'ENOENT' || line === undefined) return undefined
  const interpreter = JSON.stringify(interpreterOf(line))
  return line.endsWith('\r')
    ? `The first line of ${program} ends in a carriage return, so no interpreter ${interpreter} is found. Save the file with Unix line ends.`
    : `The interpreter ${interpreter}, which the first line of ${program} names, does not exist. Install it, or correct the line.`
}

const noRoom = ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'ENOSPC', 'EDQUOT']

/**
 * Why a program did not start, in one sentence that distinguishes the causes. The files are inspected only
 * after a failure.
 */
export const failureOfStart = (request: StartRequest, error: unknown): RunFailure => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const [program = ''] = request.argv
  if (program === '') return { kind: 'start', detail: 'It has no command. Write one.' }
  if (code === 'E2BIG') {
    return {
      kind: 'limit',
      detail: `The arguments and the environment of ${program} are too long for the system (E2BIG). Shorten "args" or "env".`,
    }
  }
  if (noRoom.includes(code)) {
    return {
      kind: 'limit',
      detail: `${program} could not start: the machine is out of processes, files or memory (${code}). End some programs, or raise the limit.`,
    }
  }
  const folder = folderFailure(request.cwd)
  if (folder !== undefined) return { kind: 'folder', detail: folder }
  const path = located(program, request)
  if (path === undefined) {
    const searched = request.env['PATH'] ?? 'empty'
    return {
      kind: 'start',
      detail: `No program ${program} is in the PATH of hooks (${searched}). Install it, or write its full path.`,
    }
  }
  const stuck = programFailure(program, path, code)
  if (stuck !== undefined) return { kind: 'start', detail: stuck }
  // No file explains the failure: a file may have changed since, or the machine lacks a resource.
  const reason = error instanceof Error ? error.message : String(error)
  return {
    kind: 'limit',
    detail: `${program} did not start (${reason}). Run it by hand as the hooks' user to see why.`,
  }
}
