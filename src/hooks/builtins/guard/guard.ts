import { isObject, type JsonObject } from '../../../model/base/json.ts'
import type { Payload } from '../../../model/events/payload.ts'
import { EFFECTS, type Finding } from './effects.ts'
import { judgeCall } from './judge.ts'
import { sayingText } from '../../../model/hooks/guard-words.ts'

/** What an owner can say of an effect. */
const words = ['ask', 'block', 'allow'] as const

type Word = (typeof words)[number]

interface Settings {
  readonly words: ReadonlyMap<string, Word>
  /** Places and machines that are never asked about. */
  readonly paths: readonly string[]
  readonly hosts: readonly string[]
}

const maxArgs = 40

/** Reads args such as `git-loss=block`, `path=/srv/scratch` and `host=get.example.com`. */
const settingsOf = (args: readonly string[]): Settings | undefined => {
  const read = { words: new Map<string, Word>(), paths: [] as string[], hosts: [] as string[] }
  if (args.length > maxArgs) return undefined
  for (const arg of args) {
    const cut = arg.indexOf('=')
    const [key, value] = [arg.slice(0, cut), arg.slice(cut + 1)]
    const word = words.find((one) => one === value)
    if (cut < 1 || value === '') return undefined
    if (key === 'path') read.paths.push(value.replace(/\/+$/, ''))
    else if (key === 'host') read.hosts.push(value.toLowerCase())
    else if (word !== undefined && [...EFFECTS, 'unreadable'].includes(key)) read.words.set(key, word)
    else return undefined
  }
  return read
}

/** Describes the expected args of `guard_commands`. Undefined when they fit. */
export const guardFlaw = (args: readonly string[]): string | undefined =>
  settingsOf(args) === undefined
    ? `at most ${maxArgs} texts such as "git-loss=block" (${EFFECTS.join(', ')}, unreadable; ask, block, allow), "path=/a/folder" and "host=a.machine"`
    : undefined

const hostsIn = (text: string): readonly string[] =>
  [
    ...text.matchAll(
      /(?:https?|ftp|ssh|rsync):\/\/(?:[^\s@/]*@)?([\w.-]+)|(?<=\s)(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+)(?=[:/\s]|$)/g,
    ),
  ].map(([, first, second]) => (first ?? second ?? '').toLowerCase())

const isExcepted = ({ effect, about }: Finding, { paths, hosts }: Settings, command: string): boolean => {
  if (paths.some((path) => about === path || about.startsWith(`${path}/`))) return true
  if (hosts.length === 0 || (effect !== 'remote-exec' && effect !== 'secret-access')) return false
  const meant = hostsIn(command)
  return meant.length > 0 && meant.every((host) => hosts.includes(host))
}

const maxSentences = 3

/** Judges a tool call. It answers nothing, a question or a block, with what would happen in words. */
export const guardCommands = (
  args: readonly string[],
  payload: Payload,
): JsonObject | { readonly wrong: string } => {
  const settings = settingsOf(args)
  if (settings === undefined)
    return { wrong: `Expected the args of guard_commands to be ${guardFlaw(args) ?? ''}.` }
  const { tool_name: tool, tool_input: input, cwd } = payload
  if (typeof tool !== 'string' || !isObject(input))
    return {
      wrong:
        'Expected a tool call with "tool_name" and "tool_input", got none; guard_commands works at pre_tool_call.',
    }
  const command = typeof input['command'] === 'string' ? input['command'] : ''
  const found = judgeCall({ tool, input, cwd })
    .filter((finding) => !isExcepted(finding, settings, command))
    .map((finding) => ({ finding, word: settings.words.get(finding.effect) ?? finding.word }))
    .filter(({ word }) => word !== 'allow')
  const worst = found.some(({ word }) => word === 'block') ? 'block' : 'ask'
  if (found.length === 0) return {}
  const said = found
    .filter(({ word }) => word === worst)
    .slice(0, maxSentences)
    .map(
      ({ finding: { says, about, part } }) =>
        `${sayingText(says, about)}${part === '' || part === command ? '' : ` (${part})`}`,
    )
  return { decision: worst, reason: [...new Set(said)].join('\n') }
}
