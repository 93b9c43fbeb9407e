import fs from 'node:fs'
import path from 'node:path'

/** The maximum number of names of a folder that are linked, however many the folder has. */
const maxNames = 200

const namesIn = (folder: string): readonly string[] => {
  try {
    const names: string[] = []
    const open = fs.opendirSync(folder)
    try {
      for (let one = open.readSync(); one !== null && names.length < maxNames; one = open.readSync())
        names.push(one.name)
    } finally {
      open.closeSync()
    }
    return names
  } catch {
    // A folder that cannot be read has nothing to link.
    return []
  }
}

/** Puts links into `ours` to what lies in `theirs` now. `isLinked` chooses the names. */
export const linkBeside = (ours: string, theirs: string, isLinked: (name: string) => boolean): void => {
  for (const name of namesIn(theirs))
    if (isLinked(name)) fs.symlinkSync(path.join(theirs, name), path.join(ours, name))
}
