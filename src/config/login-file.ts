import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, sep } from 'node:path'

/** Where the ways in stand while the console goes to a file: whoever may read that file must not get in. */
export interface LoginFile {
  /** As a person would type it. */
  readonly name: string
  /** The one before is gone. Throws where it cannot be written. */
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
        // What stays there is used, or too old soon: it must not stand in the way of whoever used it.
      }
    },
  }
}
