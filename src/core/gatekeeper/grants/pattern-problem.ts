import type { PatternShape } from '../../model/gate/grant.ts'
import { got, type Problem } from '../../model/gate/problem.ts'
import { compileWhole } from '../../model/base/pattern.ts'
import { isShellField, knownCommands } from './pattern-cover.ts'

/** The longest pattern of a grant, in UTF-16 units. A card shows all of it. */
export const maxPatternUnits = 300

/** Texts that no pattern means unless it means any text. */
const anything = ['⌀7~ ;&|`$(q) zw', '\u{2021}\u{2300} q9\n;zw']

const problem = (message: string, fix: string): Problem => ({ code: 'grant.pattern', message, fix })

/**
 * The problem of a grant's pattern. `example`: the argument of the call that the owner was asked about. It
 * has to match, because a grant that does not cover that call was not meant.
 */
export const patternProblem = (
  { pattern, field }: Pick<PatternShape, 'pattern' | 'field'>,
  example: string,
): Problem | undefined => {
  if (pattern.length > maxPatternUnits)
    return problem(
      `Expected a pattern of at most ${maxPatternUnits} characters, got ${pattern.length}.`,
      'Write a shorter one.',
    )
  const matches = compileWhole(pattern)
  if (typeof matches !== 'function')
    return problem(
      `Expected a pattern that can be decided in linear time (RE2), got ${got(pattern)}: ${matches.wrong}.`,
      'Write it without lookaround and backreferences.',
    )
  const commands = isShellField(field) ? knownCommands(example) : [example]
  if (commands === undefined)
    return problem(
      `Expected a call of commands that are known to run nothing else, got ${got(example)}.`,
      'Give a grant for exactly this call.',
    )
  if (!commands.every(matches))
    return problem(
      `Expected a pattern that matches ${isShellField(field) ? `each command in ${field}` : field} of this call as a whole, got ${got(pattern)}, which does not.`,
      'Write a pattern for all of it.',
    )
  const others = isShellField(field) ? commands.map((command) => command.replace(/^\S+/, 'zq')) : []
  return [...anything, ...others].some(matches)
    ? problem(
        `Expected a pattern that says what ${field} looks like, got ${got(pattern)}, which matches any text.`,
        'Begin it with the words that you allow.',
      )
    : undefined
}
