import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { ProblemError } from '../../core/model/gate/problem.ts'

/** Whoever has the file can try passphrases as fast as their machines can. */
const minLength = 12
const maxBytes = 1024

const refused = (message: string, fix: string, file?: string): ProblemError =>
  new ProblemError({ code: 'passphrase', message, fix, file })

const checked = (passphrase: string): string => {
  const length = passphrase.length
  if (length >= minLength && Buffer.byteLength(passphrase) <= maxBytes) return passphrase
  throw refused(
    `Expected a passphrase of ${minLength} characters to ${maxBytes} bytes, got ${length} characters.`,
    'Take a longer one, such as six random words.',
  )
}

const openFile = (file: string): number => {
  try {
    return openSync(file, 'r')
  } catch (error) {
    throw refused(
      `Expected a file with a passphrase, got an error (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown'}).`,
      'Correct the path or the rights.',
      file,
    )
  }
}

/** The first line of a file. It may be a pipe, as of `--passphrase-file <(pass show hookgate)`. */
const inFile = (file: string): string => {
  const descriptor = openFile(file)
  try {
    const stat = fstatSync(descriptor)
    if (stat.isFile() && (stat.mode & (constants.S_IRWXG | constants.S_IRWXO)) !== 0)
      throw refused(
        'Expected a file that only you may read, got one that others may read.',
        `Close it: chmod 600 ${file}`,
        file,
      )
    const bytes = Buffer.alloc(maxBytes + 3)
    let length = 0
    for (let count = -1; count !== 0 && length < bytes.length; length += count)
      count = readSync(descriptor, bytes, length, bytes.length - length, null)
    return bytes.toString('utf8', 0, length).split(/\r?\n/, 1)[0] ?? ''
  } finally {
    closeSync(descriptor)
  }
}

const backspaces: ReadonlySet<string> = new Set(['\b', '\u007F'])
const ends: ReadonlySet<string> = new Set(['\r', '\n', '\u0004'])

/** The keys that are typed, one by one. */
async function* typedKeys(): AsyncGenerator<string, undefined> {
  const { stdin } = process
  for await (const text of stdin.setEncoding('utf8').iterator({ destroyOnReturn: false })) yield* String(text)
}

interface HiddenTerminal {
  /** Asks one question. Ctrl-C ends the program. */
  ask(question: string): Promise<string>
  close(): void
}

/** The terminal, which shows nothing of what is typed until it is closed. */
const openHidden = (): HiddenTerminal => {
  const { stdin, stderr } = process
  // Before the first question, because a person types as soon as it is there.
  stdin.setRawMode(true)
  const keys = typedKeys()
  const close = (): void => {
    stdin.setRawMode(false)
    stdin.pause()
  }
  return {
    ask: async (question) => {
      stderr.write(question)
      let line: string[] = []
      for (;;) {
        const { value: key = '\u0004' } = await keys.next()
        if (ends.has(key) || key === '\u0003') {
          stderr.write('\n')
          if (key !== '\u0003') return line.join('')
          close()
          process.exit(130)
        }
        if (backspaces.has(key)) line.pop()
        else if (key === '\u0015') line = []
        else if (key >= ' ' && line.length < maxBytes) line.push(key)
      }
    },
    close,
  }
}

/**
 * The passphrase from a file, or from the person at the terminal. A new one is asked for twice, because a
 * slip of the finger would lose the backup. Rejects with a ProblemError when there is neither, and when it is
 * too short.
 */
export const passphraseFor = async (file: string | undefined, isNew: boolean): Promise<string> => {
  if (file !== undefined) return checked(inFile(file))
  if (!process.stdin.isTTY)
    throw refused(
      'Expected a terminal to ask for the passphrase on, got none.',
      'Name a file that holds it: --passphrase-file FILE.',
    )
  const terminal = openHidden()
  try {
    const first = checked(
      await terminal.ask(isNew ? 'Passphrase for the backup: ' : 'Passphrase of the backup: '),
    )
    if (isNew && (await terminal.ask('The same again: ')) !== first)
      throw refused('Expected the same passphrase twice, got two.', 'Nothing was written. Try again.')
    return first
  } finally {
    terminal.close()
  }
}
