import path from 'node:path'

/** What stands in a word for what no name says. None is a character of a person's file names. */
export const marks = {
  /** Where the script lies itself. */
  beside: '\uE010',
  /** The hooks' own places: their home, their temporary files. */
  own: '\uE011',
  /** What only a run knows. */
  open: '\uE012',
  /** The top folder of the repository. */
  top: '\uE013',
  /** The working folder. */
  here: '\uE014',
} as const

const maxValues = 8
const maxValueUnits = 300

const isRooted = (name: string): boolean => /^[/\uE010-\uE014]/.test(name)
/** A name as it would be found from a folder; what is open stays open. */
export const joined = (folder: string, name: string): string =>
  isRooted(name) ? name : name === '' || name === '.' ? folder : `${folder}/${name}`

/** What a word may stand for, with `open` in the place of values that are too long or too many. */
export const bounded = (values: readonly string[]): readonly string[] => {
  const some = [...new Set(values)].map((value) => (value.length > maxValueUnits ? marks.open : value))
  return some.length > maxValues ? [...some.slice(0, maxValues - 1), marks.open] : some
}

/** The folder of a value, which for the script's own name is where the script lies. */
export const folderOf = (value: string): string =>
  value.startsWith(marks.beside)
    ? marks.beside
    : value.length === 1 && isRooted(value)
      ? value
      : path.dirname(value)
