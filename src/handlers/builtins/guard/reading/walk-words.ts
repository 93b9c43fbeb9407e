import type { Assignment, ParsedScript, Statement, Word } from 'unbash'
import { fields, wordValue } from './expand.ts'
import { forked, type State } from '../machine.ts'
import { eachOr, either, empty, joined, literal, OPEN, type Value } from './value.ts'
import { judgeSetting, setVariable } from './variables.ts'

/** Follows the commands of a parsed text. It keeps what the shell would know, and runs nothing. */
export interface Walk {
  /** The text of which the positions are. */
  readonly source: string
  /** Follows a list of commands. */
  readonly list: (statements: readonly Statement[], state: State, input: Value, walk: Walk) => Value
}

export const expansionOf = (walk: Walk, state: State) => ({
  state,
  run: (script: ParsedScript, inner: State, input: Value): Value =>
    state.machine.within(() =>
      walk.list(script.commands, forked(inner), input, {
        ...walk,
        source: script.source ?? walk.source,
      }),
    ),
})

/** The text of a here-document in which the shell replaces variables and substitutions. */
export const hereText = (
  text: string,
  parts: NonNullable<Word['parts']>,
  walk: Walk,
  state: State,
): Value => {
  const value = wordValue(
    { type: 'Word', text, value: text, pos: 0, end: text.length, parts },
    expansionOf(walk, state),
  )
  return value.texts.includes(OPEN) ? { texts: [text], from: value.from } : value
}

export const assign = (walk: Walk, state: State, { name, value, append, index }: Assignment): void => {
  const expansion = expansionOf(walk, state)
  if (index !== undefined) wordValue(index, expansion)
  if (value.type === 'Word') {
    const set = wordValue(value, expansion)
    setVariable(state, name, set, append)
    judgeSetting(state, name, set)
  } else {
    // The elements of a map begin with their keys.
    const words = value.elements
      .flatMap((word) => fields(word, expansion))
      .map((one) => ({ ...one, texts: one.texts.map((text) => text.replace(/^\[[^\]]*\]=/, '')) }))
    const before = state.lists.get(name) ?? []
    state.lists.set(
      name,
      append === true ? [...before, ...words] : state.isCertain ? words : eachOr(before, words),
    )
    setVariable(state, name, words.length === 0 ? empty : either(words))
  }
}

/** The words of a setting such as `export A=b`. */
export const setting = (
  { name, append, value }: Assignment,
  expansion: ReturnType<typeof expansionOf>,
): readonly Value[] => {
  if (value.type !== 'Word') return [literal(name)]
  const start = literal(`${name}${append === true ? '+' : ''}=`)
  return fields(value, expansion).map((word) => joined([start, word]))
}

/** A state in which these variables have their old or their new value. */
export const eachOf = (old: State, next: State, names: readonly string[]): State => {
  const variables = new Map(old.variables)
  for (const name of names) {
    const before = old.variables.get(name)
    const value = next.variables.get(name)
    if (value !== undefined)
      variables.set(
        name,
        before === undefined && !/^(?:HOME|TMPDIR|TMP|TEMP)$/.test(name)
          ? value
          : either([before ?? value, value]),
      )
  }
  return { ...old, variables }
}
