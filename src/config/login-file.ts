import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, sep } from 'node:path'

/**
 * The file that holds the login links while the console output goes to a file. A person who may read that
 * output must not be able to log in.
 */
export interface LoginFile {
  /** The path as a person would type it. */
  readonly name: string
  /** Replaces the previous file. Throws if the file cannot be written. */
  write(text: string): void
  remove(): void
}

export const createLoginFile = (home: string): LoginFile => {
  const file = join(home, 'secrets', 'login')
  const own = homedir() + sep
  return {
    name: file.startsWith(own) ? `~/${file.slice(own.length)}` : file,
    write: (text) => {
      rmSync(`${file}.new`, { force: true })
      writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o600, flag: 'wx' })
      renameSync(`${file}.new`, file)
    },
    remove: () => {
      try {
        rmSync(file, { force: true })
      } catch {
        // A code that stays in the file is used already or expires soon, so this failure must not stop the
        // person who used it.
      }
    },
  }
}
