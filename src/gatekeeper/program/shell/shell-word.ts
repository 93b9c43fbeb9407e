import { bounded, marks } from './shell-values.ts'

/** One word of a command: what it may stand for, and how it is written. */
export interface ShellWord {
  readonly values: readonly string[]
  readonly shown: string
}

const maxShownUnits = 80

/** A word of a text while it is read, part by part. */
export interface WordReading {
  isBegun(): boolean
  /** A word begins at this place, unless one has begun. */
  begin(at: number): void
  /** The text of the word so far, as it is written, when it is read up to `at`. */
  written(at: number): string
  /** It goes on with this very text. */
  addText(text: string): void
  /** It goes on with one of these. */
  addValues(values: readonly string[]): void
  /** What was added so far counts for nothing: what it is, only a run knows. */
  leaveOpen(): void
  /** It is over. Undefined when none had begun. */
  end(at: number): ShellWord | undefined
  /** It is over, and was no word. */
  drop(): void
}

export const createWordReading = (text: string): WordReading => {
  let values: readonly string[] = ['']
  /** What comes behind each of the values. It is added to them late, since it grows by single characters. */
  let tail = ''
  let from: number | undefined
  const addTail = (): void => {
    if (tail !== '') values = values.map((value) => value + tail)
    tail = ''
  }
  const drop = (): void => {
    from = undefined
    values = ['']
    tail = ''
  }
  return {
    isBegun: () => from !== undefined,
    begin: (at) => {
      from ??= at
    },
    written: (at) => (from === undefined ? '' : text.slice(from, at)),
    addText: (more) => {
      tail += more
    },
    addValues: (some) => {
      addTail()
      values = bounded(values.flatMap((value) => some.map((one) => value + one)))
    },
    leaveOpen: () => {
      tail = ''
      values = [marks.open]
    },
    end: (at) => {
      if (from === undefined) return undefined
      addTail()
      const atHome = values.map((value) => value.replace(/^~(?=\/|$)/, marks.own))
      const shown = text.slice(from, Math.min(at, from + maxShownUnits))
      drop()
      return { values: bounded(atHome), shown }
    },
    drop,
  }
}
