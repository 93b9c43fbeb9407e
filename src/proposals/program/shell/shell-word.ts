import { bounded, marks } from './shell-values.ts'

/** One word of a command: its possible values, and its written form. */
export interface ShellWord {
  readonly values: readonly string[]
  readonly shown: string
}

const maxShownUnits = 80

/** The state of reading a word, part by part. */
export interface WordReading {
  isBegun(): boolean
  /** Begins a word at this index, unless one has begun. */
  begin(at: number): void
  /** The written form of the word up to index `at`. */
  written(at: number): string
  /** Appends a text. */
  addText(text: string): void
  /** Appends one of several possible values. */
  addValues(values: readonly string[]): void
  /** Replaces the values by the `open` mark, because only a run can determine them. */
  leaveOpen(): void
  /** Ends the word and returns it. Undefined when none had begun. */
  end(at: number): ShellWord | undefined
  /** Discards the word. */
  drop(): void
}

export const createWordReading = (text: string): WordReading => {
  let values: readonly string[] = ['']
  /** The text after each of the values. It is added to them late, since it grows by single characters. */
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
