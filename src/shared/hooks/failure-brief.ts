/** The longest failure in a list of failures, in UTF-16 units. */
const maxUnits = 120

const firstSentence = (text: string): string => text.split(/[.;] /, 1)[0]?.replace(/\.$/, '') ?? ''

/**
 * A failure in a few words, from its sentence for people: what happened, without what to do. Of a program
 * that failed it is the exit code and the last line that it wrote.
 */
export const failureBrief = (detail: string): string => {
  const [first = '', ...more] = detail.trim().split('\n')
  const [, code, end, said = ''] =
    /^It ended with (?:exit code (\d+)|(a signal))(?:: ?)?(.*)$/.exec(first) ?? []
  const last = firstSentence((more.at(-1) ?? said).trim())
  const words =
    code !== undefined
      ? last === ''
        ? `exit code ${code}`
        : `exit code ${code}: ${last}`
      : end !== undefined
        ? last === ''
          ? 'a signal'
          : `a signal: ${last}`
        : firstSentence(first)
  return words.replaceAll(/\s+/g, ' ').trim().slice(0, maxUnits).toWellFormed()
}
