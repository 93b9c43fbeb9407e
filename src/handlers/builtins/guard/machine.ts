import type { Finding } from './effects.ts'
import { normal } from './places.ts'
import type { SayingName } from '../../../shared/hooks/guard-words.ts'
import { literal, shown, type Value } from './reading/value.ts'

/** The text is too large or too deep to be judged within the bounds. */
export class TooMuchError extends Error {}

/** A file that the command line itself writes, and what a program that stands for a file is given. */
export interface Written {
  readonly content: Value
  readonly feeds?: (input: Value) => void
}

/** What a function does. */
export type FunctionBody = (state: State, input: Value) => Value

/** What a shell knows between two commands. */
export const newState = (machine: Machine) => ({
  machine,
  variables: new Map<string, Value>(),
  /** The words of arrays. */
  lists: new Map<string, readonly Value[]>(),
  functions: new Map<string, FunctionBody>(),
  aliases: new Map<string, Value>(),
  /** Files by their path in normal form. Subshells share them. */
  files: new Map<string, Written>(),
  /** What the line links or moves to another path, by that path in normal form. Subshells share them. */
  links: new Map<string, { readonly target: string; readonly isMoved: boolean }>(),
  /** Streams by their number or the name of the variable that holds it. */
  streams: new Map<string, Written>(),
  folder: literal(machine.cwd),
  /** The words that a function or a script was called with. */
  words: [] as readonly Value[],
  /** False where a command may not run, so that what it sets is added to what was. */
  isCertain: true,
})

export type State = ReturnType<typeof newState>

export const forked = (state: State): State => ({
  ...state,
  variables: new Map(state.variables),
  lists: new Map(state.lists),
  functions: new Map(state.functions),
  aliases: new Map(state.aliases),
  streams: new Map(state.streams),
})

/** Runs `work` as what may not happen. */
export const perhaps = <T>(state: State, work: () => T): T => {
  const before = state.isCertain
  state.isCertain = false
  try {
    return work()
  } finally {
    state.isCertain = before
  }
}

const maxSteps = 5000

const maxFindings = 24

const maxUnits = 160

const maxDepth = 16

/** How a program is started. */
export interface Start {
  readonly state: State
  readonly input: Value
  /** The state with the variables that are given to the program alone. */
  readonly given?: State | undefined
}

/** How programs and texts of a shell are followed. */
interface Following {
  /** Follows one command. Returns what it prints. */
  runWords(words: readonly Value[], start: Start): Value
  /** Follows a text as a shell would read it. */
  runText(text: string, state: State, input?: Value): Value
}

const short = (text: string): string => shown(text).slice(0, maxUnits).toWellFormed()

/** The judge of one tool call. It runs nothing: it follows what a shell would do. */
export const createMachine = (cwd: string, { runWords, runText }: Following) => {
  const found: Finding[] = []
  let steps = 0
  let depth = 0
  let guesses = 0
  const find = (effect: Finding['effect'], says: SayingName, about = '', isCertain?: true): void => {
    const one: Finding = {
      effect,
      word: isCertain === true && guesses === 0 ? 'block' : 'ask',
      says,
      about: short(about),
      part: short(machine.part),
    }
    const same = found.findIndex((other) => other.says === says && other.about === one.about)
    if (same < 0) {
      const isFull =
        found.filter((other) => other.effect === effect && other.word === one.word).length >= maxFindings
      if (!isFull) found.push(one)
      // What is left out could be what the owner wants to know.
      else if (effect !== 'unreadable') find('unreadable', 'tooMuch')
    } else if (one.word === 'block') found[same] = one
  }
  const machine = {
    runWords,
    runText,
    find,
    found,
    /** The folder of the agent in normal form. */
    cwd: normal(cwd, '/'),
    /** The programs that run, each with all that its words can be. */
    programs: [] as { readonly name: string; readonly words: readonly string[] }[],
    /** The part of the command that is judged now. */
    part: '',
    /** How many programs ran beside others so far. */
    forks: 0,
    /** What runs beside the rest or at its end is followed once more, when all is written. */
    later: [] as (() => void)[],
    /** The functions that run now, each with the number of `forks` at its start. */
    calls: new Map<FunctionBody, number>(),
    /** The functions that may not have been set, so that their name may mean a program. */
    doubtful: new Set<FunctionBody>(),
    /** Counts work. Throws TooMuchError when the budget is spent. */
    step: (count = 1): void => {
      steps += count
      if (steps > maxSteps) throw new TooMuchError()
    },
    /** Does work one level deeper. Throws TooMuchError when it is too deep. */
    within: <T>(work: () => T): T => {
      if (++depth > maxDepth) throw new TooMuchError()
      try {
        return work()
      } finally {
        depth--
      }
    },
    /** Does work on a text that was put together at run time. What is found in it is a guess, and asks. */
    guess: <T>(work: () => T): T => {
      guesses++
      try {
        return work()
      } finally {
        guesses--
      }
    },
  }
  return machine
}

export type Machine = ReturnType<typeof createMachine>
