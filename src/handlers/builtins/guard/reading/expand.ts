import type { ArithmeticCommandExpansion, ParsedScript, SyntaxNode, Word, WordPart } from 'unbash'
import { forEachPart } from '../../../../core/model/shell/parse.ts'
import type { State } from '../machine.ts'
import { runsInside } from './variables.ts'
import {
  ANY,
  CUT,
  either,
  empty,
  joined,
  literal,
  mapped,
  OPEN,
  open,
  origin,
  STAR,
  TEMPORARY,
  type Value,
  valueOf,
} from './value.ts'

interface Expansion {
  readonly state: State
  /** Runs the commands of a substitution and returns what they print. */
  readonly run: (script: ParsedScript, state: State, input: Value) => Value
}

/** A variable that the line does not set. */
const unset = open(origin.unread)

const maxWords = 64

const unitsAStep = 1000

const bounded = (words: readonly string[]): readonly string[] =>
  words.length > maxWords ? [...words.slice(0, maxWords), CUT] : words

/** Splits `{a,b}` and `{1..3}`. Undefined where the text is no brace expansion. */
const braced = (text: string): readonly string[] | undefined => {
  const inner = text.slice(1, -1)
  const range = /^(-?\d{1,9}|[a-z])\.\.(-?\d{1,9}|[a-z])(?:\.\.-?\d{1,9})?$/i.exec(inner)
  if (range !== null) return [range[1] ?? '', OPEN, range[2] ?? '']
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < inner.length && parts.length <= maxWords; at++) {
    const char = inner.charAt(at)
    if (char === '\\') at++
    else if (char === '{') depth++
    else if (char === '}') depth--
    else if (char === ',' && depth === 0) {
      parts.push(inner.slice(from, at))
      from = at + 1
    }
  }
  parts.push(parts.length > maxWords ? CUT : inner.slice(from))
  return parts.length < 2 ? undefined : parts.flatMap((part) => unbraced(part))
}

/** One of the parts, which can have braces itself. */
const unbraced = (part: string): readonly string[] => {
  const at = part.indexOf('{')
  const end = part.lastIndexOf('}')
  if (at < 0 || end < at) return [part.replaceAll(/\\(.)|["']/g, '$1')]
  const inner = braced(part.slice(at, end + 1)) ?? [part.slice(at, end + 1)]
  return bounded(inner).map((one) => part.slice(0, at) + one + part.slice(end + 1))
}

/** Calls `run` for the parts of words and the substitutions in an expression of arithmetic. */
export const inArithmetic = (
  node: SyntaxNode | undefined,
  run: (part: WordPart | ArithmeticCommandExpansion) => void,
): void => {
  if (node?.type === 'ArithmeticCommandExpansion') run(node)
  else if (node?.type === 'ArithmeticWord') for (const part of node.parts ?? []) run(part)
  else if (node !== undefined) forEachPart(node, (part) => inArithmetic(part, run))
}

const known: Readonly<Record<string, string>> = {
  HOME: '~',
  TMPDIR: TEMPORARY,
  TMP: TEMPORARY,
  TEMP: TEMPORARY,
  IFS: ' ',
  USER: OPEN,
  SHELL: 'sh',
  BASH: 'bash',
}

/** `"$*"` has nothing between its words where the line empties IFS. */
const isUnseparated = ({ variables }: State): boolean => variables.get('IFS')?.texts[0] === ''

/** The value of a variable or of another parameter. Undefined when the line does not set it. */
const parameter = (name: string, expansion: Expansion): Value | undefined => {
  const { state } = expansion
  const { machine } = state
  if (/^[@*]$/.test(name)) return joined(state.words, name === '*' && isUnseparated(state) ? '' : ' ')
  if (/^\d$/.test(name))
    return name === '0' ? (state.variables.get('0') ?? literal('sh')) : state.words[Number(name) - 1]
  if (name === 'PWD') return state.folder
  // The number of a program that this line started, or of the shell itself.
  if (name === '!' || name === '$') return literal('0')
  const set = state.variables.get(name)
  if (set !== undefined) return set
  const other = state.aliases.size === 0 ? undefined : state.aliases.get(`$${name}`)?.texts[0]
  if (other !== undefined) return machine.within(() => parameter(other, expansion))
  const text = Object.hasOwn(known, name) ? known[name] : undefined
  return text === undefined ? undefined : literal(text)
}

/** A pattern of `${x#…}` or `${x/…}` as text, where it is a plain one. */
const plainPattern = (word: Value): string | undefined => {
  const [text, other] = word.texts
  return other === undefined && text !== undefined && !/[*?[\]\uE012-\uE014]/.test(text) ? text : undefined
}

const partValue = (part: WordPart, expansion: Expansion): Value => {
  const { state, run } = expansion
  const { machine } = state
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return literal(part.value)
    case 'Glob':
      return literal(part.kind === 'star' ? STAR : ANY)
    case 'ExtendedGlob':
      // zsh runs what stands in the brackets of `*(e:"ls -l":)`.
      if (/\s/.test(part.text)) machine.find('unreadable', 'otherShell', part.text)
      return /^[@?+]\(([^()*?[\]\\]*)\)$/.test(part.text) ? valueOf(part.pattern.split('|')) : literal(STAR)
    case 'DoubleQuoted':
    case 'LocaleString':
      return partsValue(part.parts, expansion)
    case 'SimpleExpansion':
      return (
        parameter(part.text.slice(1), expansion) ??
        (/^\$[@*\d]$/.test(part.text) && state.words.length === 0 ? empty : unset)
      )
    case 'ParameterExpansion': {
      const { operation, prefix, index } = part
      if (index !== undefined) wordValue(index, expansion)
      const name = part.parameter
      const set = parameter(name, expansion)
      if (prefix === '#') return open()
      if (prefix === '!') {
        const texts = set?.texts ?? []
        return texts.length === 0 ? open() : either(texts.map((text) => parameter(text, expansion) ?? open()))
      }
      if (operation === undefined) return set ?? unset
      switch (operation.type) {
        case 'Default': {
          const operand = wordValue(operation.operand, expansion)
          const isSet = set !== undefined && !set.texts.includes('')
          if (operation.operator.endsWith('+')) return set === undefined ? either([empty, operand]) : operand
          if (operation.operator.endsWith('=') && !isSet) state.variables.set(name, operand)
          if (operation.operator.endsWith('?')) return set ?? unset
          if (isSet) return set
          if (set !== undefined) return operation.operator.startsWith(':') ? operand : set
          // A variable that nobody sets here can have a value from outside.
          return state.isCertain ? operand : either([operand, unset])
        }
        case 'Remove': {
          const cut = plainPattern(wordValue(operation.operand, expansion))
          if (set === undefined || cut === undefined) return open(set?.from)
          const isStart = operation.operator.startsWith('#')
          return mapped(set, (text) => {
            if (isStart) return text.startsWith(cut) ? text.slice(cut.length) : text
            return text.endsWith(cut) ? text.slice(0, text.length - cut.length) : text
          })
        }
        case 'Replace': {
          const from = plainPattern(wordValue(operation.pattern, expansion))
          const to = plainPattern(wordValue(operation.replacement, expansion))
          if (set === undefined || from === undefined || to === undefined || from === '')
            return open(set?.from)
          const isEach = operation.operator === '//'
          return mapped(set, (text) =>
            isEach ? text.replaceAll(from, () => to) : text.replace(from, () => to),
          )
        }
        case 'CaseModification':
          if (set === undefined) return open()
          return operation.operator.startsWith('^')
            ? valueOf(
                set.texts.flatMap((text) => [
                  text.toUpperCase(),
                  text.charAt(0).toUpperCase() + text.slice(1),
                ]),
                set.from,
              )
            : mapped(set, (text) => text.toLowerCase())
        case 'Transform':
          for (const text of set?.texts ?? []) runsInside(state, text)
          return set ?? unset
        case 'Slice':
        case 'Names':
          return open(set?.from)
        case 'Unknown':
          machine.find('unreadable', 'otherShell', part.text)
      }
      return open()
    }
    case 'CommandExpansion': {
      if (part.script === undefined) return open()
      const value = run(part.script, state, empty)
      return { ...value, texts: value.texts.map((text) => text.replace(/\n+$/, '')) }
    }
    case 'ArithmeticExpansion':
      inArithmetic(part.expression, (inner) => {
        if (inner.type !== 'ArithmeticCommandExpansion') partValue(inner, expansion)
        else if (inner.script !== undefined) run(inner.script, state, empty)
      })
      return open()
    case 'ProcessSubstitution': {
      const { script } = part
      const name = `/dev/fd/p${part.pos}-${state.files.size}`
      if (script === undefined) return open()
      // Its commands are judged even where nothing is written to it.
      const content = run(script, state, empty)
      const feeds = (input: Value): void => void run(script, state, input)
      state.files.set(name, part.operator === '<' ? { content } : { content: empty, feeds })
      return literal(name)
    }
    case 'BraceExpansion':
      return literal(part.text)
  }
}

/** The value of parts that stand side by side. */
const partsValue = (parts: readonly WordPart[], expansion: Expansion): Value => {
  expansion.state.machine.step(parts.length)
  return joined(parts.map((part) => partValue(part, expansion)))
}

/** The value of a word that stays one word, such as a quoted one or the right side of an assignment. */
export const wordValue = (word: Word, expansion: Expansion): Value =>
  word.parts === undefined ? literal(word.value) : partsValue(word.parts, expansion)

/** A substitution outside of quotes is split into words by the shell. */
const isSplit = (part: WordPart): boolean =>
  part.type === 'SimpleExpansion' || part.type === 'ParameterExpansion' || part.type === 'CommandExpansion'

const globsIn = (value: Value): Value => ({
  ...value,
  texts: value.texts.map((text) => text.replaceAll('*', STAR).replaceAll(/\?|\[[^\]]{1,64}\]/g, ANY)),
})

/** The words that the shell makes of a written word. */
export const fields = (word: Word, expansion: Expansion): readonly Value[] => {
  const { parts } = word
  expansion.state.machine.step(1 + (parts?.length ?? 0))
  if (parts === undefined) return [literal(word.value)]
  if (parts.some(({ type }) => type === 'BraceExpansion')) {
    let words: readonly Value[] = [empty]
    for (const part of parts) {
      const choices =
        part.type === 'BraceExpansion'
          ? (braced(part.text) ?? [part.text]).map(literal)
          : [partValue(part, expansion)]
      words = words.flatMap((one) => choices.map((choice) => joined([one, choice])))
      if (words.length > maxWords) words = [...words.slice(0, maxWords), literal(CUT)]
      expansion.state.machine.step(words.length)
    }
    const full = words.filter(({ texts }) => texts.some((text) => text !== ''))
    return full.map((one) => (parts.some(isSplit) ? globsIn(one) : one))
  }
  // "$@" is one word for each.
  const [only] = parts
  if (parts.length === 1 && only !== undefined) {
    const inner = only.type === 'DoubleQuoted' && only.parts.length === 1 ? only.parts[0] : only
    if (inner?.text === '$@' || inner?.text === '${@}') return expansion.state.words
    const [, list, start] =
      (inner?.type === 'ParameterExpansion' &&
        /^\$\{([\w@]+)(?:\[[@*]\])?(?::\s*(\d+)[^}]*)?\}$/.exec(inner.text)) ||
      []
    const words =
      list === undefined
        ? undefined
        : list === '@'
          ? [literal('sh'), ...expansion.state.words]
          : expansion.state.lists.get(list)
    if (words !== undefined && (start !== undefined || list !== '@'))
      return inner?.text.includes('*') === true && isUnseparated(expansion.state)
        ? [joined(words)]
        : words.slice(Number(start ?? 0))
  }
  const value = joined(
    parts.map((part) => (isSplit(part) ? globsIn(partValue(part, expansion)) : partValue(part, expansion))),
  )
  // A variable can hold a long text that is used many times.
  for (const text of value.texts) expansion.state.machine.step(Math.floor(text.length / unitsAStep))
  if (!parts.some(isSplit)) return [value]
  const separators = expansion.state.variables.get('IFS')?.texts[0] ?? ''
  const splitter = /^[,:;|/_-]$/.test(separators) ? separators : /[ \t\n]+/
  const all = value.texts.map((text) => bounded(text.split(splitter).filter((piece) => piece !== '')))
  if (all.every((pieces) => pieces.length === 1))
    return [{ ...value, texts: all.map(([piece = '']) => piece) }]
  return all.flatMap((pieces) => pieces.map((piece): Value => ({ texts: [piece], from: value.from })))
}
