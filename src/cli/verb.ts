/**
 * One verb of the command line. Its file imports little, because the overview imports the files of all verbs.
 */
export interface Verb {
  /** How it is typed. */
  readonly usage: string
  /** What it does, as one line of the overview or several. */
  readonly does: readonly string[]
  /** The rest of its own help: options, exit codes, examples. Absent: its line says all. */
  readonly help?: string
  /**
   * Runs it with the words behind the verb. Throws a ProblemError or an error of `parseArgs` for wrong words.
   */
  run(args: readonly string[]): Promise<void>
}

export const print = (lines: string): void => void process.stdout.write(`${lines}\n`)

/** Ends the process with the words on stderr. */
export const fail = (words: string, code = 1): never => {
  process.stderr.write(`${words}\n`)
  process.exit(code)
}

/** What `hookgate <verb> --help` prints. */
export const helpOf = ({ usage, does, help }: Verb): string =>
  [`${usage}\n\n  ${does.join('\n  ')}`, ...(help === undefined ? [] : [help])].join('\n\n')
