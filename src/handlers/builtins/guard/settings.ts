import { memoizeEach } from '../../../core/model/base/memoize.ts'
import { EFFECTS } from './effects.ts'

/** What an owner can say of an effect. */
const words = ['ask', 'block', 'allow'] as const

type Word = (typeof words)[number]

export interface GuardSettings {
  readonly words: ReadonlyMap<string, Word>
  /** Places, and machines to load from, that are never asked about. */
  readonly paths: readonly string[]
  readonly hosts: readonly string[]
}

const maxArgs = 40

/** Reads args such as `git-loss=block`, `path=/srv/scratch` and `host=get.example.com`. */
export const settingsOf = memoizeEach((args: readonly string[]): GuardSettings | undefined => {
  const read = { words: new Map<string, Word>(), paths: [] as string[], hosts: [] as string[] }
  if (args.length > maxArgs) return undefined
  for (const arg of args) {
    const cut = arg.indexOf('=')
    const [key, value] = [arg.slice(0, cut), arg.slice(cut + 1)]
    const word = words.find((one) => one === value)
    if (cut < 1 || value === '') return undefined
    if (key === 'path') read.paths.push(value)
    else if (key === 'host') read.hosts.push(value.toLowerCase())
    else if (word !== undefined && [...EFFECTS, 'unreadable'].includes(key)) read.words.set(key, word)
    else return undefined
  }
  return read
})

/** Describes the expected args of `guard_commands`. Undefined when they fit. */
export const guardFlaw = (args: readonly string[]): string | undefined =>
  settingsOf(args) === undefined
    ? `at most ${maxArgs} texts such as "git-loss=block" (${EFFECTS.join(', ')}, unreadable; ` +
      'ask, block, allow), "path=/a/folder" and "host=a.machine"'
    : undefined
