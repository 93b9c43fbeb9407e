import type { PatternShape } from '../../model/gate/grant.ts'
import { quote, type Problem } from '../../model/gate/problem.ts'
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
      `The pattern has ${pattern.length} characters, and at most ${maxPatternUnits} fit.`,
      'Write a shorter one.',
    )
  const matches = compileWhole(pattern)
  if (typeof matches !== 'function')
    return problem(
      `${quote(pattern)} is no pattern that can be decided in linear time (RE2): ${matches.wrong}.`,
      'Write it without lookaround and backreferences.',
    )
  const commands = isShellField(field) ? knownCommands(example) : [example]
  if (commands === undefined)
    return problem(
      `${quote(example)} may run other programs, so no pattern can say what is allowed.`,
      'Give a grant for exactly this call.',
    )
  if (!commands.every(matches))
    return problem(
      `${quote(pattern)} does not match ${isShellField(field) ? `each command in ${field}` : field} of this call as a whole.`,
      'Write a pattern for all of it.',
    )
  const others = isShellField(field) ? commands.map((command) => command.replace(/^\S+/, 'zq')) : []
  return [...anything, ...others].some(matches)
    ? problem(
        `${quote(pattern)} does not say what ${field} looks like: it matches any text.`,
        'Begin it with the words that you allow.',
      )
    : undefined
}
