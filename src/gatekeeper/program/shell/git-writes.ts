/**
 * What git would change of a work tree, its index or its HEAD with. In a hook git only reads: see the hook
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

/** Where a shell expects a command: as a line begins, behind an operator, behind a word that leads one in. */
const inShell = new RegExp(
  `(?:^|[;|&({\`]|\\b(?:exec|then|do|else|if|while|until|command|env)[ \\t]|!)[ \\t]{0,40}${call}`,
  'gm',
)
/** As a list of words, or as the text that a program gives to a shell. */
const starters =
  '(?:exec|execSync|spawn|spawnSync|system|popen|Popen|run|call|check_call|check_output|getoutput|execa)'
const inProgram = new RegExp(
  `['"]git['"]\\s{0,9},\\s{0,9}(?:\\[\\s{0,9})?['"]${verb}|\\b${starters}\\(\\s{0,9}[fr]?['"\`]${call}`,
  'g',
)

const maxSaid = 3

const said = (verb: string): string =>
  `It calls "git ${verb}", but in a hook git only reads: that call will fail. ` +
  'Let the agent or its person do it.'

/**
 * What is told of a program or shell text by which git would write. What only looks like it costs no more
 * than a remark.
 */
export const gitRemarks = (text: string, isShell: boolean): readonly string[] => {
  const found = [...text.matchAll(isShell ? inShell : inProgram)].flatMap(
    ([, first, second]) => first ?? second ?? [],
  )
  return [...new Set(found)].slice(0, maxSaid).map(said)
}
