import { commit, version } from '../config/version.ts'
import { nearest } from '../shared/base/nearest.ts'
import { startClean } from '../shared/base/process-group.ts'
import { ProblemError } from '../core/model/gate/problem.ts'
import { formatProblem, optionWords } from '../shared/base/problem.ts'
import { attack } from './attack.ts'
import { audit } from './audit.ts'
import { history } from './history.ts'
import { hook, install } from './bridge.ts'
import { config } from './config.ts'
import { fire } from './fire.ts'
import { mcp } from './mcp.ts'
import { migrate } from './migrate.ts'
import { node } from './node.ts'
import { backup, restore } from './service/backup.ts'
import { service } from './service/service.ts'
import { scan } from './scan/scan.ts'
import { start } from './start.ts'
import { test } from './test.ts'
import { fail, helpOf, print, type Verb } from './verb.ts'

const verbs: Readonly<Record<string, Verb>> = {
  start,
  config,
  fire,
  test,
  scan,
  bridge: install,
  mcp,
  node,
  attack,
  audit,
  history,
  migrate,
  service,
  backup,
  restore,
}

/** Every verb in the order of the overview. */
export const listedVerbs: readonly Omit<Verb, 'run'>[] = Object.values(verbs).flatMap((verb) =>
  verb === install ? [install, hook] : [verb],
)

const column = 40
/** One verb of the overview: what it does stands beside a short usage, and below a long one. */
const overviewLines = ({ usage, does }: Omit<Verb, 'run'>): readonly string[] => {
  const typed = `  ${usage}`
  const below = does.map((line) => `${' '.repeat(column)}${line}`)
  return typed.length < column - 1
    ? [`${typed.padEnd(column)}${does[0] ?? ''}`, ...below.slice(1)]
    : [typed, ...below]
}

const overview = (): string =>
  [
    'hookgate: the gate that a person holds between an AI agent and the world',
    '',
    ...listedVerbs.flatMap(overviewLines),
    '  hookgate --version | help <verb> | <verb> --help',
    '',
    'None of these can approve a hook or turn the switch. Type /hooks in a chat for that, and /hooks doctor for a check.',
  ].join('\n')

/** `hookgate help`, and `hookgate help <verb>`, which many programs have. */
const help: Verb = {
  usage: 'hookgate help [verb]',
  does: ['prints this overview, or the help of one verb'],
  run: async ([about]) => {
    if (about === undefined) return print(overview())
    const verb = Object.hasOwn(verbs, about) ? verbs[about] : undefined
    return verb === undefined ? unknown(about) : print(helpOf(verb))
  },
}

const unknown = (typed: string | undefined): never => {
  const meant = typed === undefined ? undefined : nearest(typed, [...Object.keys(verbs), 'help'])
  const got = typed === undefined ? 'nothing' : `"${typed}"`
  return fail(
    `Expected a verb, got ${got}.${meant === undefined ? '' : ` Did you mean "${meant}"?`}\n\n${overview()}`,
  )
}

/** Runs one verb. The process ends with 1 after wrong words or a problem, and both are told on stderr. */
export const runCli = async ([typed, ...args]: readonly string[]): Promise<void> => {
  if (typed === '--version' || typed === '-v') return print(`${version()}${commit()}`)
  if (typed === '--help' || typed === '-h') return print(overview())
  const verb =
    typed === 'help' ? help : typed !== undefined && Object.hasOwn(verbs, typed) ? verbs[typed] : undefined
  if (verb === undefined) return unknown(typed)
  if (args.includes('--help') || args.includes('-h')) return print(helpOf(verb))
  startClean()
  try {
    await verb.run(args)
  } catch (error) {
    if (error instanceof ProblemError) fail(error.problems.map(formatProblem).join('\n'))
    const isWrongUsage =
      error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
    if (isWrongUsage) fail(`${optionWords(error)}\n\n${helpOf(verb)}`)
    throw error
  }
}
