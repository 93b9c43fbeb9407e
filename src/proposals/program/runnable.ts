import { withFile } from '../../core/model/disk/durable.ts'
import type { WithProblem } from '../../core/model/gate/problem.ts'
import fs from 'node:fs'
import path from 'node:path'
import { namedFile } from '../../shared/gate/names.ts'
import { fail, lacking, type Outcome } from './program.ts'
import { runsScripts } from './script.ts'
import { findOnPath, foldersOf, toolAt } from './tool.ts'

/** The number of bytes that Linux reads of a program to find its interpreter. */
export const maxHeadBytes = 256

export interface ExecutableFacts {
  /** The name in messages. */
  readonly shown: string
  readonly isExecutable: boolean
  /** Its first bytes. */
  readonly head: Buffer
  /** The fixed PATH of hooks. */
  readonly path: string
  /** The working folder of the hook. */
  readonly cwd: string
}

/** The first bytes of a file. Empty when it cannot be read, which is reported elsewhere. */
const headOf = (file: string): Buffer => {
  try {
    const head = Buffer.alloc(maxHeadBytes)
    return head.subarray(
      0,
      withFile(file, (fd) => fs.readSync(fd, head)),
    )
  } catch {
    return Buffer.alloc(0)
  }
}

/** The mode of a regular file. Undefined for a link or anything else, which the read for the seal reports. */
const modeOf = (file: string): number | undefined => {
  try {
    const stat = fs.lstatSync(file)
    return stat.isFile() ? stat.mode : undefined
  } catch {
    return undefined
  }
}

/**
 * False for an executable text file without a first line that names its interpreter: only a shell would run
 * it, as its own text. True for everything else, so that the reason why it cannot run is found later.
 */
export const isSelfRunning = (file: string): boolean => {
  const mode = modeOf(file)
  if (mode === undefined || (mode & 0o111) === 0) return true
  const head = headOf(file)
  return head.subarray(0, 2).toString('latin1') === '#!' || head.includes(0)
}

/** The words that the system puts before a file's own words when it starts the file. */
export interface Leading {
  readonly words: readonly string[]
  /** The real path of the first word. */
  readonly interpreter: string
  /** True when it is in no folder of the PATH, so its bytes are watched. */
  readonly isOpen: boolean
}

const unclear = (shown: string, text: string, fix: string): WithProblem =>
  fail(
    'first_line',
    `Expected the first line of "${shown}" to name the program that runs it, got ${JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text)}.`,
    fix,
  )

const plain = /^[\w.+/=:,@%-]+$/

/**
 * The words of a first line. For `env`, the program that it looks up and that program's words; otherwise the
 * interpreter and at most one more word.
 */
const wordsOf = (line: string, shown: string): Outcome<{ readonly words: readonly string[] }> => {
  const text = line.slice(2).trim()
  const [interpreter = ''] = text.split(/[ \t]/, 1)
  const rest = text.slice(interpreter.length).trim()
  if (interpreter === '') return unclear(shown, line, 'Write it like #!/bin/sh')
  if (path.basename(interpreter) !== 'env')
    return { words: rest === '' ? [interpreter] : [interpreter, rest] }
  const isSplit = /^(?:-S|--split-string=)/.test(rest)
  const words = rest
    .replace(/^(?:-S|--split-string=)/, '')
    .trim()
    .split(/[ \t]+/)
  const [name = ''] = words
  const fix =
    'Write it like #!/usr/bin/env python3, or #!/usr/bin/env -S python3 -u; variables belong in "env".'
  if (name.startsWith('-') || name.includes('=') || !words.every((word) => plain.test(word)))
    return unclear(shown, line, fix)
  // The system passes everything after "env" as one word.
  return words.length > 1 && !isSplit
    ? unclear(shown, line, `Write #!/usr/bin/env -S ${words.join(' ')}`)
    : { words }
}

/**
 * Finds a file among the words of a first line. It would run unsealed, so it must be sealed in another way.
 */
const strayWord = ([program = '', ...rest]: readonly string[], cwd: string): string | undefined =>
  rest
    .flatMap((word) => word.split(/[ \t]+/))
    .find((word) => {
      const value = word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word
      const isScript =
        !word.startsWith('-') &&
        runsScripts(path.basename(program)) &&
        !/^(?:deno|bun)$/.test(path.basename(program))
      return value.includes('/') || isScript || (value !== '' && namedFile(cwd, value) !== undefined)
    })

const interpreterOf = ({ shown, head, cwd, path: searched }: ExecutableFacts): Outcome<Leading> => {
  const text = head.subarray(0, maxHeadBytes).toString('utf8')
  const [line = ''] = text.split('\n', 1)
  if (head.length >= maxHeadBytes && !text.includes('\n'))
    return unclear(shown, line, `Keep it shorter than ${maxHeadBytes} bytes.`)
  if (line.endsWith('\r')) {
    return fail(
      'line_ends',
      `Expected the first line of "${shown}" to end in a line feed alone, got a carriage return before it.`,
      'Save the file with Unix line ends.',
    )
  }
  const command = wordsOf(line, shown)
  if ('problem' in command) return command
  const [name = '', ...rest] = command.words
  const folders = foldersOf(searched)
  const isLookedUp = !name.includes('/') && /^#!\s*\S*\/env\s/.test(line)
  const file = path.resolve(cwd, name)
  const tool = isLookedUp ? findOnPath(name, folders) : toolAt(file)
  if (tool === undefined) {
    return lacking(
      path.basename(name),
      isLookedUp
        ? fail(
            'interpreter',
            `Expected "${name}", which the first line of "${shown}" asks for, to be a program on the hooks' PATH, got nothing there.`,
            'Install it for all users, or correct the line.',
          )
        : fail(
            'interpreter',
            `Expected the interpreter ${JSON.stringify(name)} of the first line of "${shown}" to be a program, got none there.`,
            'Install it or correct the line.',
          ),
    )
  }
  const stray = strayWord(command.words, cwd)
  if (stray !== undefined)
    return unclear(
      shown,
      line,
      `Remove ${JSON.stringify(stray)}. List a file that the hook runs in "command", and one that it reads in "files".`,
    )
  return {
    words: [tool.found, ...rest],
    interpreter: tool.real,
    isOpen: ![tool.found, tool.real].some((one) => folders.includes(path.dirname(one))),
  }
}

/**
 * Returns the words that the system puts before a file when it starts it, or undefined when the file runs by
 * itself. Returns a problem when the system would not start it, so that no owner approves a hook that can
 * only fail.
 */
export const leadingOf = (program: ExecutableFacts): Outcome<{ readonly leading: Leading | undefined }> => {
  const { shown, head } = program
  if (!program.isExecutable)
    return fail(
      'not_executable',
      `Expected "${shown}" to be executable, got a file that is not.`,
      `Run: chmod +x ${shown}`,
    )
  if (head.length === 0)
    return fail('empty_file', `Expected "${shown}" to be a program, got an empty file.`, 'Write it first.')
  if (head.subarray(0, 2).toString('latin1') === '#!') {
    const leading = interpreterOf(program)
    return 'problem' in leading ? leading : { leading }
  }
  if (head.includes(0)) return { leading: undefined }
  return fail(
    'no_interpreter',
    `Expected the first line of "${shown}" to name the program that runs it, got no line that begins with #!.`,
    'Write one, such as #!/bin/sh or #!/usr/bin/env python3.',
  )
}
