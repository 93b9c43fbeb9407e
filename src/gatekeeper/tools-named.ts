import { findOnPath, foldersOf } from './tool.ts'

/** Programs that hooks start and that a system may lack. What only looks like one costs no more than a remark. */
const wellKnown = [
  'bash|python3?|node|deno|bun|bunx|npx?|npm|pnpm|yarn|uvx?|ruby|perl|php|lua|jq|yq|curl|wget|git|gh|rg|make|docker',
  'mail|osascript|notify-send|powershell|pwsh|black|ruff|prettier|eslint',
].join('|')
const leading = '(?:exec|then|do|else|if|while|until|command|sudo|env)'
/** Where a shell expects a command: as a line begins, behind an operator, behind a word that leads one in. */
const started = new RegExp(
  `(?:^|[;|&(\`]|\\b${leading}[ \\t]|!)[ \\t]{0,40}(${wellKnown})(?=[\\s;|&)\`<>]|$)`,
  'gm',
)

/** The well-known programs that shell text starts, each once. */
export const toolsIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(started)].map(([, name = '']) => name)),
]

/** The program that a shell script puts in its own place with its first command: it does nothing without it. */
export const handsOverTo = (text: string): string | undefined => {
  const first = text.split('\n').find((line) => line.trim() !== '' && !line.startsWith('#'))
  return /^exec[ \t]+([\w.+-]+)(?=[ \t]|$)/.exec(first ?? '')?.[1]
}

const absentWords = (name: string): string =>
  `It starts "${name}", which is not on the hooks' PATH, and may fail at each event: ` +
  'what waits for its answer would then be stopped. Install it where the system looks for programs.'

/** What is told of programs that are not there. */
export const absentTools = (names: readonly string[], searched: string): readonly string[] => {
  const folders = foldersOf(searched)
  return names.filter((name) => findOnPath(name, folders) === undefined).map(absentWords)
}
