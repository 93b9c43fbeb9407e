import { inQuotes } from '../../../shared/base/shell.ts'
import { isWritten, pathsOf } from './files.ts'
import { toolNamed } from './tools/table.ts'
import { isProgram, otherProgram } from './tools/other.ts'
import { parseShell } from '../../../core/model/shell/parse.ts'
import { walkList } from './reading/walk.ts'
import { createCall, perform } from './call.ts'
import { forked, type FunctionBody, perhaps, type Start, type State } from './machine.ts'
import { either, empty, isCut, literal, open, type Value } from './reading/value.ts'

/** A variable can hold a long text that is run many times. */
const unitsAStep = 200

const maxPathUnits = 1024

/** The cost of reading once more behind an error. */
const repairSteps = 400

/** Judges a text as a shell would read it. */
export const runText = (text: string, state: State, input: Value = empty): Value =>
  state.machine.within(() => {
    const { machine } = state
    machine.step(Math.ceil(text.length / unitsAStep))
    if (isCut(text)) machine.find('unreadable', 'tooMuch')
    // A leading operator makes the parser drop what stands behind it, and a lone return is no word for it.
    const source = text.replace(/^[\s|&;]+/, (lead) => ' '.repeat(lead.length)).replaceAll(/\r(?!\n)/g, '\n')
    const script = parseShell(source)
    if (script === undefined) {
      machine.find('unreadable', 'tooMuch')
      return empty
    }
    const output = walkList(script.commands, state, input, { source, list: walkList })
    // The shell refuses a text whose quote has no end. Behind another error, the parser reads no further.
    const error = script.errors?.find(({ message }) => !message.startsWith('unterminated'))
    if (error !== undefined) {
      machine.find('unreadable', 'brokenText')
      machine.step(repairSteps)
      const rest = source.slice(error.pos).replace(/^[\s|&;(){}<>]+|^\S/, '')
      if (rest.length < source.length - error.pos) runText(rest, state)
    }
    return output
  })

/** The name of a program without its folder, and without what zsh puts before its own. */
const baseOf = (text: string): string =>
  text
    .replace(/^=/, '')
    .replace(/^.*[/\\]/s, '')
    .replace(/\.exe$/i, '')
    .replace(/^zf_/, '')

/** Follows one command. Returns what it prints. */
export const runWords = (words: readonly Value[], start: Start): Value => {
  const { state, input } = start
  const { machine } = state
  machine.step(1 + words.length)
  const [first, ...rest] = words
  if (first === undefined) return empty
  return machine.within(() => {
    const { texts } = first
    const runOne = (text: string): Value => {
      const alias = state.aliases.get(text)
      const body = state.functions.get(text)
      if (alias === undefined && body === undefined) return runProgram(text, first.from, rest, start)
      const outputs: Value[] = []
      if (alias !== undefined) {
        const inner = { ...state, aliases: new Map([...state.aliases].filter(([name]) => name !== text)) }
        const words = rest.map((word) => inQuotes(word.texts[0] ?? '')).join(' ')
        for (const one of alias.texts) outputs.push(runText(`${one} ${words}`, inner, input))
      }
      // `command rm`, `\rm`, `sudo rm` and `unset -f rm` mean the program, whatever else has its name. A
      // function that names itself means the program too.
      const isMeant = body !== undefined && (machine.calls.has(body) || machine.doubtful.has(body))
      if (body !== undefined) outputs.push(runFunction(body, rest, start))
      if (isMeant || isProgram(baseOf(text))) outputs.push(runProgram(text, first.from, rest, start))
      return either(outputs)
    }
    const [only] = texts
    return texts.length === 1 && only !== undefined
      ? runOne(only)
      : either(texts.map((text) => perhaps(state, () => runOne(text))))
  })
}

const runFunction = (body: FunctionBody, words: readonly Value[], { state, input }: Start): Value => {
  const { machine } = state
  const forks = machine.calls.get(body)
  if (forks !== undefined) {
    if (machine.forks > forks) machine.find('destroy', 'floods', '', true)
    return empty
  }
  machine.calls.set(body, machine.forks)
  const before = state.words
  state.words = words
  try {
    return body(state, input)
  } finally {
    state.words = before
    machine.calls.delete(body)
  }
}

/** The path of a program that the line itself writes or brings, by its name or in a folder of PATH. */
const ownProgram = (name: string, { state, given = state }: Start): string | undefined => {
  if (state.files.size === 0) return undefined
  const [path = ''] = given.variables.get('PATH')?.texts ?? []
  const folders = path === '' ? [] : path.slice(0, maxPathUnits).split(':').slice(0, 8)
  const files = name.includes('/') ? [name] : folders.map((folder) => `${folder || '.'}/${name}`)
  return files.find((file) => isWritten(literal(file), state))
}

/** The shell runs what stands in the index of a variable's name that it gives to these. */
const evaluating =
  /^(?:let|test|\[|declare|typeset|local|export|readonly|printf|read|unset|mapfile|readarray|wait)$/

const runProgram = (text: string, from: number, words: readonly Value[], start: Start): Value => {
  if (isCut(text)) start.state.machine.find('unreadable', 'tooMuch')
  // An old line is put in the place of `!!` and `!rm`.
  if (/^!./.test(text)) start.state.machine.find('remote-exec', 'runsUnknown', text)
  const base = baseOf(text)
  // Some file systems do not tell `RM` from `rm`.
  const name = toolNamed(base) === undefined ? base.toLowerCase() : base
  start.state.machine.programs.push({ name, words: words.flatMap(({ texts }) => texts) })
  const own = ownProgram(text, start)
  if (own !== undefined) {
    // A link to a program does what the program does.
    const meant = pathsOf(literal(own), start.state).filter(
      (path) => isProgram(baseOf(path)) && !isWritten(literal(path), start.state),
    )
    return either([
      ...meant.map((path) => runWords([literal(path), ...words], start)),
      otherProgram({ text: own, name, from }, createCall(name, words, '', start)) ?? open(),
    ])
  }
  if (evaluating.test(name))
    for (const { texts } of words) {
      const [word = ''] = texts
      const from = word.indexOf('[')
      const index = from < 1 ? '' : word.slice(from + 1, Math.max(from + 1, word.lastIndexOf(']')))
      if (/\$\(|`/.test(index)) runText(`: ${index}`, forked(start.state))
    }
  const tool = toolNamed(name)
  if (tool !== undefined) return perform(tool.act, createCall(name, words, tool.options, start))
  return otherProgram({ text, name, from }, createCall(name, words, '', start)) ?? open()
}
