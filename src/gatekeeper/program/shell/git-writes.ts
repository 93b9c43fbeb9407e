/**
 * The git commands that change a work tree, its index or its HEAD. In a hook git only reads: see the hook
 * host.
 */
const verbs =
  'add|commit|stash(?![ \\t]+(?:list|show)\\b|[\'"]\\s{0,9},\\s{0,9}[\'"](?:list|show))|checkout|switch|' +
  'restore|reset|merge|rebase|cherry-pick|revert|rm|mv|pull|am'
const verb = `(${verbs})(?![\\w-])`
/** Options that come before git's own command. */
const options =
  '(?:[ \\t]{1,9}-[Cc][ \\t]{1,9}(?:"[^"\\n]{0,200}"|[^\\s"]{1,200})|[ \\t]{1,9}--?[\\w=./-]{1,200}){0,5}'
const call = `git${options}[ \\t]{1,9}${verb}`

/**
 * Matches where a shell expects a command: at the begin of a line, after an operator, and after a word that
 * precedes a command.
 */
const inShell = new RegExp(
  `(?:^|[;|&({\`]|\\b(?:exec|then|do|else|if|while|until|command|env)[ \\t]|!)[ \\t]{0,40}${call}`,
  'gm',
)
/** Matches a list of words, or text that a program gives to a shell. */
const starters =
  '(?:exec|execSync|spawn|spawnSync|system|popen|Popen|run|call|check_call|check_output|getoutput|execa)'
const inProgram = new RegExp(
  `['"]git['"]\\s{0,9},\\s{0,9}(?:\\[\\s{0,9})?['"]${verb}|\\b${starters}\\(\\s{0,9}[fr]?['"\`]${call}`,
  'g',
)

const maxRemarks = 3

const remarkOf = (verb: string): string =>
  `It calls "git ${verb}", but in a hook git can only read, so that call will fail. ` +
  'Let the agent or a person do it.'

/**
 * Remarks about git commands in a program or shell text that would write. A wrong match only causes a remark.
 */
export const gitRemarks = (text: string, isShell: boolean): readonly string[] => {
  const found = [...text.matchAll(isShell ? inShell : inProgram)].flatMap(
    ([, first, second]) => first ?? second ?? [],
  )
  return [...new Set(found)].slice(0, maxRemarks).map(remarkOf)
}
