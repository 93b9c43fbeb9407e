import path from 'node:path'

/** Marks for parts of a word that have no fixed name. No person uses these characters in file names. */
export const marks = {
  /** The script's own folder. */
  beside: '\uE010',
  /** The hooks' own folders: their home and their temporary files. */
  own: '\uE011',
  /** A value that only a run can determine. */
  open: '\uE012',
  /** The top folder of the repository. */
  top: '\uE013',
  /** The working folder. */
  here: '\uE014',
} as const

const maxValues = 8
const maxValueUnits = 300

const isRooted = (name: string): boolean => /^[/\uE010-\uE014]/.test(name)
/** Joins a name to a folder. A name that begins with a mark or a slash stays as it is. */
export const joined = (folder: string, name: string): string =>
  isRooted(name) ? name : name === '' || name === '.' ? folder : `${folder}/${name}`

/** Limits the possible values of a word. The `open` mark replaces values that are too long or too many. */
export const bounded = (values: readonly string[]): readonly string[] => {
  const some = [...new Set(values)].map((value) => (value.length > maxValueUnits ? marks.open : value))
  return some.length > maxValues ? [...some.slice(0, maxValues - 1), marks.open] : some
}

/** The folder of a value. For the script's own name it is the script's folder. */
export const folderOf = (value: string): string =>
  value.startsWith(marks.beside)
    ? marks.beside
    : value.length === 1 && isRooted(value)
      ? value
      : path.dirname(value)
