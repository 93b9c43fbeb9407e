import { oneOf } from '../patterns.ts'
import { isObject, type JsonObject } from '../../../core/model/base/json.ts'
import type { Payload } from '../../../core/model/events/payload.ts'
import type { Finding } from './effects.ts'
import { inside } from './deleting.ts'
import { judgeCall } from './judge.ts'
import { normal } from './places.ts'
import { guardFlaw, settingsOf, type GuardSettings } from './settings.ts'
import { sayingText } from '../../../shared/hooks/guard-words.ts'

const address = /https:\/\/([\w.-]+)(?::\d+)?(?:\/[\w./~%+=,@:-]*)?(?=[\s"'|;&<>()]|$)/g

/** The words beside the addresses in a line that loads something, and runs it. */
const loadingWord = new RegExp(
  `^(?:${oneOf`
    \$ curl wget sudo sh bash zsh eval source python3? node -[fsSLqO]*-? -c =https
    --(?:proto|tlsv1\.[23]|silent|fail|location|show-error|quiet)
  `})?$`,
)

/** The command loads from these machines alone, and names no other, by whatever spelling. */
const loadsFrom = (command: string, hosts: readonly string[]): boolean =>
  command
    .replaceAll(address, (whole, host: string) => (hosts.includes(host.toLowerCase()) ? ' ' : whole))
    .split(/[\s"'|;&<()]+/)
    .every((word) => loadingWord.test(word))

/** What is found, unless an owner excepted its place or its machine. `here`: the agent's folder. */
const isExcepted = (
  { effect, says, about }: Finding,
  { paths, hosts }: GuardSettings,
  command: string,
  here: string,
): boolean => {
  const placed = (name: string): string => normal(name, normal(here, '/'))
  // Other words, such as those of a command, are no path. A part that is not known could lead elsewhere.
  const isPlace = (/^[/~]/.test(about) || says === 'deletesFolder') && !about.includes('…')
  if (isPlace && paths.some((path) => inside(placed(about), placed(path)))) return true
  return effect === 'remote-exec' && hosts.length > 0 && loadsFrom(command, hosts)
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
      wrong: 'The event is no tool call. guard_commands works at pre_tool_call alone. Move it there.',
    }
  const command = typeof input['command'] === 'string' ? input['command'] : ''
  const found = judgeCall({ tool, input, cwd })
    .filter((finding) => !isExcepted(finding, settings, command, cwd))
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
