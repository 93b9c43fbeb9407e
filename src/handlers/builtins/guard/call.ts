import { deleteFiles, pathsOf, readFiles, sendContent, writeFiles } from './files.ts'
import { forked, type Machine, type Start, type State } from './machine.ts'
import { lossOf } from './deleting.ts'
import type { Effect } from './effects.ts'
import { kindsOf, lastPart } from './places.ts'
import type { SayingName } from '../../../shared/hooks/guard-words.ts'
import { readWords } from './reading/options.ts'
import {
  either,
  empty,
  literal,
  OPEN,
  open,
  origin,
  textOf,
  textsOf,
  under,
  type Value,
} from './reading/value.ts'

const isInput = (text: string): boolean => /^\/dev\/stdin$|^\/(?:dev|proc\/[^/]+)\/fd\/0$/.test(text)

/** An owner is asked about a program that stands nowhere in the command. */
const asksUnknown = (machine: Machine, { texts, from }: Value): void => {
  if ((from & (origin.list | origin.unread)) !== 0 && texts.some((text) => text.startsWith(OPEN)))
    machine.find('remote-exec', 'runsUnknown', machine.part)
}

/** One start of a program. `settings`: what stands before a command of it, such as `git -c … push`. */
export const createCall = (
  name: string,
  words: readonly Value[],
  grammar: string,
  start: Start,
  settings = '',
) => {
  const { state, input, given = state } = start
  const { machine } = state
  const { options, operands, isInert } = readWords(words, grammar)
  const { find } = machine

  const reads = (names: Value, isQuiet?: boolean): Value =>
    names.texts.every(isInput) ? input : readFiles(state, names, isQuiet)
  const readsKey = (file: Value): Value => (textOf(file) === '-' ? input : reads(file))

  const runsFresh = ({ from }: Value): boolean => {
    if ((from & (origin.network | origin.decoded)) === 0) return false
    find('remote-exec', (from & origin.network) !== 0 ? 'runsDownload' : 'runsDecoded')
    return true
  }
  const runsShell = (text: Value, change: Partial<State> = {}): Value => {
    asksUnknown(machine, text)
    return either(
      text.texts.map((one) => {
        const { part } = machine
        const output = machine.runText(one, { ...forked(given), ...change }, input)
        machine.part = part
        return output
      }),
    )
  }

  return {
    name,
    /** The words behind the name, as they stand. */
    words,
    /** The first texts of the words. */
    texts: textsOf(words),
    line: (): string => textsOf(words).join(' '),
    grammar,
    options,
    operands,
    /** It has an option, such as `--help`, with which it does nothing. */
    isInert,
    input,
    machine,
    state,
    /** The state with the variables that the program alone is given. */
    given,
    settings,
    find,
    has: (...names: readonly string[]): boolean => names.some((one) => options.has(one)),
    /** The values of options, such as `e exec`. */
    values: (names: string): readonly Value[] =>
      options.get(names) ?? names.split(' ').flatMap((one) => options.get(one) ?? []),
    /** The first text of an operand. */
    text: (index: number): string => textOf(operands[index]),
    /** The paths that names can mean. */
    paths: (names: Value): readonly string[] => pathsOf(names, state),
    /** Starts another program with these words. Returns what it prints. */
    runs: (inner: readonly Value[], fed = input): Value =>
      inner.length === 0 ? empty : machine.runWords(inner, { state: given, input: fed }),
    /** Finds what is run without that anybody could read it before. */
    runsFresh,
    /** Runs the text of a shell of its own, here or on another machine. */
    runsShell,
    /** Runs a text of a shell that can come from somewhere else. */
    runsText: (text: Value, change?: Partial<State>): Value => {
      runsFresh(text)
      return runsShell(text, change)
    },
    /** Runs lines of a shell that stand in a text. */
    runsLines: (text: string, pattern: RegExp): void => {
      for (const [, line = ''] of text.matchAll(pattern)) runsShell(literal(line))
    },
    /** Runs a text in the same shell, which keeps what it sets. */
    inShell: (text: Value): Value => {
      asksUnknown(machine, text)
      return either(text.texts.map((one) => machine.runText(one, state, input)))
    },
    /** The file that a program runs. What the line wrote into it is known. */
    runsFile: (file: Value, run: (content: Value) => Value | void): Value | void => {
      const content = reads(file, true)
      if (runsFresh(content)) return undefined
      const known = content.texts.filter((one) => one !== OPEN)
      return known.length === 0 ? undefined : run({ ...content, texts: known })
    },
    /** The content of files. The input has names, too. */
    reads,
    /** The content of a file that the agent gets to see. */
    readsKey,
    /** The content of a file that only the program sees. */
    contentOf: (file: Value): Value => (textOf(file) === '-' ? input : reads(file, true)),
    /** What is read of files that the agent gets to see, or of the input where there are none. */
    shows: (files: readonly Value[], read: (file: Value) => Value = readsKey): Value => {
      const contents = files.map((file) => read(file))
      return contents.length === 0 ? input : either(contents)
    },
    /** The content of a stream that the line has opened. */
    stream: (names: Value): Value =>
      either(
        names.texts.map(
          (text) =>
            state.streams.get(text.replace(/^\/dev\/fd\//, ''))?.content ??
            state.files.get(text)?.content ??
            open(),
        ),
      ),
    /** What another machine sends. A place of keys is one there, too. */
    loads: (source: Value): Value => {
      const paths = source.texts.map((text) => text.replace(/^(?:\w+:\/\/[^/]*|[^:]*:)/, ''))
      return open(readsKey({ ...source, texts: paths }).from | origin.network)
    },
    /** What is lost when a path is deleted. */
    loss: (path: string, isRecursive = true) => lossOf(path, { isRecursive }, machine.cwd),
    writes: (names: Value, content: Value, isAdded?: boolean): void =>
      writeFiles(state, names, content, isAdded),
    /** Writes to a file or into a folder, under the name of the source. */
    writesInto: (target: Value, source: Value, content: Value): void => {
      for (const file of [target, under(target, lastPart(textOf(source)))]) writeFiles(state, file, content)
    },
    deletes: (names: readonly Value[], isRecursive: boolean, isWiped?: true): void => {
      for (const one of names) deleteFiles(state, one, { isRecursive, isWiped })
    },
    sends: (content: Value, isByLogin?: boolean): void => sendContent(state, content, isByLogin),
    /** Words of a program that nothing is known of: it can read a place of keys, and print it. */
    readsWords: (): void => {
      for (const { texts, from } of words)
        for (const text of texts) {
          const path = text.replace(/^(?:-{0,2}[\w-]+=)?@?(?:file:\/\/)?/, '')
          if (text === OPEN || /^-\w?$|\s/.test(path) || !/[./~]/.test(path)) continue
          // A file of variables that is given to a program is what it is for.
          if (/\.env(?:\.\w+)?$/.test(path) && /env/.test(machine.part.replace(path, ''))) continue
          if (kindsOf(path).has('key') && !/(?:^|\/)\.(?:aws|kube|ssh|docker|gnupg|config)\/?$/.test(path))
            readsKey({ texts: [path], from })
        }
    },
  }
}

export type Call = ReturnType<typeof createCall>

/** The same call with another state. */
export const withState = ({ name, words, grammar, input }: Call, state: State): Call =>
  createCall(name, words, grammar, { state, input })

export interface Program {
  /** The grammar of its options. */
  readonly options: string
  /** What it does: it returns what it prints. Undefined where it prints nothing that matters. */
  readonly act: (call: Call) => Value | void
}

export type Act = Program['act']

export type Programs = Readonly<Record<string, Program>>

/** What the program prints. */
export const perform = (act: Act, call: Call): Value => (call.isInert ? undefined : act(call)) ?? empty

/** Programs that do the same: their names, and behind a colon the grammar of their options. */
export const tools =
  (text: TemplateStringsArray, ...parts: readonly string[]) =>
  (act: Act): Programs => {
    const [names = '', options = ''] = String.raw(text, ...parts).split(/(?<=\S):(?=\s|$)/)
    const program = { options: options.trim().replaceAll(/\s+/g, ' '), act }
    return Object.fromEntries(
      names
        .trim()
        .split(/\s+/)
        .map((name) => [name, program]),
    )
  }

/**
 * Finds one thing, where the program has one of the options, or where its operands, each in a line, fit the
 * pattern.
 */
export const finds =
  (
    effect: Effect,
    says: SayingName,
    about: string | ((call: Call) => string) = '',
    when: string | RegExp = /(?:)/,
  ): Act =>
  (call) => {
    const isMeant =
      typeof when === 'string' ? call.has(...when.split(' ')) : when.test(textsOf(call.operands).join('\n'))
    if (isMeant) call.find(effect, says, typeof about === 'string' ? about : about(call))
  }

/** Does one after the other. */
export const inOrder =
  (...acts: readonly Act[]): Act =>
  (call) => {
    for (const act of acts) act(call)
  }

export const lineOf = (call: Call): string => call.line()

export const nameOf = (call: Call): string => call.name

/** The name with all words. */
export const wholeOf = (call: Call): string => `${call.name} ${call.line()}`
