import { got, type Problem } from '../../model/gate/problem.ts'

/** The longest pattern of a grant, in UTF-16 units. A card shows all of it. */
export const maxPatternUnits = 300

/** Texts that no pattern means unless it means any text. */
const anything = ['⌀7~ ;&|`$(q) zw', '\u{2021}\u{2300} q9\n;zw']

/** What a shell reads as the start of another command, a substitution or a file. */
const shellTails = ['; zq', '& zq', '| zq', '\nzq', ' $(zq)', ' `zq`', ' > zq', ' < zq', ' ${zq}']

/** The arguments that a shell reads. */
const shellFields: ReadonlySet<string> = new Set(['command', 'cmd', 'script'])
export const isShellField = (field: string): boolean => shellFields.has(field.toLowerCase())

const problem = (message: string, fix: string): Problem => ({ code: 'grant.pattern', message, fix })

/**
 * The problem of a grant's pattern. `example`: the argument of the call that the owner was asked about. It
 * has to match, because a grant that does not cover that call was not meant.
 */
export const patternProblem = (
  { pattern, field }: { readonly pattern: string; readonly field: string },
  example: string,
  linear: (source: string) => ((text: string) => boolean) | { readonly wrong: string },
): Problem | undefined => {
  if (pattern.length > maxPatternUnits)
    return problem(
      `Expected a pattern of at most ${maxPatternUnits} characters, got ${pattern.length}.`,
      'Write a shorter one.',
    )
  const matches = linear(pattern)
  if (typeof matches !== 'function')
    return problem(
      `Expected a pattern that can be decided in linear time (RE2), got ${got(pattern)}: ${matches.wrong}.`,
      'Write it without lookaround and backreferences.',
    )
  if (!matches(example))
    return problem(
      `Expected a pattern that matches ${field} of this call as a whole, got ${got(pattern)}, which does not.`,
      'Write a pattern for all of the argument.',
    )
  if (anything.some(matches))
    return problem(
      `Expected a pattern that says what ${field} looks like, got ${got(pattern)}, which matches any text.`,
      'Begin it with the words that you allow.',
    )
  const tail = isShellField(field) ? shellTails.find((end) => matches(`${example}${end}`)) : undefined
  return tail === undefined
    ? undefined
    : problem(
        `Expected a pattern that allows no other command, got ${got(pattern)}, which also matches ${got(`${example}${tail}`)}.`,
        'Use [\\w ./-]* instead of .* for what may follow.',
      )
}
