const maxChars = 500
const maxRules = 10

const names = String.raw`[^\s,]+(?:,[^\s,]+)*`
const ruleShape = new RegExp(`^runs=(?<programs>${names})(?: (?<words>${names}))?$`)

/**
 * Reads the programs that the owner is asked about: `runs=sudo,doas` or `runs=git push`. `words`: it has one
 * of these, too. Absent: whatever it has. Undefined: it is no rule.
 */
export const ruleOf = (arg: string) => {
  const { programs, words } = ruleShape.exec(arg)?.groups ?? {}
  if (programs === undefined) return undefined
  return { programs: programs.split(','), words: words?.split(',') }
}

export const isRule = (arg: string): boolean => arg.startsWith('runs=')

/** True for args that look at what a command runs. */
export const asksByPrograms = (args: readonly string[]): boolean => args.some(isRule)

/** Describes the expected args of `ask_owner`. Undefined when they fit. */
export const askFlaw = (args: readonly string[]): string | undefined => {
  const rules = args.filter(isRule)
  const [reason = '', ...more] = args.filter((arg) => !isRule(arg))
  const isFit =
    more.length === 0 &&
    reason.trim() !== '' &&
    rules.length <= maxRules &&
    rules.every((arg) => ruleOf(arg) !== undefined) &&
    args.every((arg) => arg.length <= maxChars)
  return isFit
    ? undefined
    : `one text of at most ${maxChars} characters, which the owner reads, and at most ${maxRules} texts ` +
        'such as "runs=sudo,doas" or "runs=git push"'
}
