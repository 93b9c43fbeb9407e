import { judgePowerShell } from './running/shells.ts'
import type { Call } from '../call.ts'
import { perhaps } from '../machine.ts'
import { globOf } from '../places.ts'
import {
  empty,
  fits,
  isOpen,
  literal,
  OPEN,
  open,
  origin,
  STAR,
  textOf,
  type Value,
} from '../reading/value.ts'
import { anyOf, raw } from '../../patterns.ts'
import { hasRules, judgeByRules } from './rules.ts'
import { toolNamed } from './table.ts'

/** Programs such as `uv run`, `bundle exec` or `op run --` start the words behind. */
const startsWords = (call: Call): boolean => {
  const { texts } = call
  const verb = texts.slice(0, maxBefore).findIndex((text) => /^(?:run|exec|x|dlx|--)$/.test(text))
  if (verb < 0) return false
  const at = texts.findIndex(
    (text, index) => index > verb && index <= verb + maxBefore && isProgram(text.replace(/^.*\//s, '')),
  )
  if (at < 0) return false
  call.runs(call.words.slice(at))
  return true
}

/** One of the tables knows it. */
export const isProgram = (name: string): boolean => toolNamed(name) !== undefined || hasRules(name)

/** How many words of its own a starting program may have. */
const maxBefore = 5

/** Names of programs that can lose or give away something by their words alone. */
const grave = anyOf(
  '',
  raw`^(?:rm|dd|mkfs(?:\.\w+)?|shred|wipefs|find|chmod|chown|truncate|mv|shutdown|reboot)$`,
  raw`^(?:sh|bash|zsh|dash|eval|git|cat|curl|wget|nc)$`,
)

/** Commands of PowerShell and of Windows. */
const ofWindows = anyOf(
  'i',
  raw`^[A-Z][a-z]+-[A-Z]\w+$|^(?:iex|iwr|irm|ri|rd|del|erase|cipher|icacls|takeown|reg|schtasks)$`,
  raw`^(?:vssadmin|diskpart|wmic|bitsadmin|certutil|mshta|regsvr32|rundll32)$`,
)

/** Flags behind which programs take a line of a shell. */
const lineFlags = /^(?:-c|--command|--cmd|-x|--exec|-e|--run|--shell|--pre|--post|--hook)$/

/**
 * A program that no table knows: a script of the line, a pattern of a name, or one that may start what its
 * words say. Undefined where it is nothing of this.
 */
export const otherProgram = (
  { text, name, from }: { text: string; name: string; from: number },
  call: Call,
): Value | undefined => {
  const { machine, words } = call
  if (hasRules(name)) {
    const output = judgeByRules(call)
    startsWords(call)
    call.readsWords()
    return output
  }
  if ((from & (origin.network | origin.decoded)) !== 0) call.runsFresh({ texts: [text], from })
  // A name that is not known can be any. With the words of a deleting it is asked about.
  if (isOpen(text) || /[\uE013\uE014]/.test(text)) {
    const before = machine.found.length
    const meant = text === OPEN ? undefined : globOf(name.replaceAll(OPEN, STAR))
    const names =
      meant === undefined
        ? ['rm']
        : 'rm dd cat curl bash sh git find mkfs shred chmod'.split(' ').filter((one) => meant.test(one))
    perhaps(call.state, () => {
      for (const one of names) call.runs([literal(one), ...words])
    })
    // It is a guess, so it asks.
    for (let index = before; index < machine.found.length; index++) {
      const found = machine.found[index]
      if (found !== undefined && meant === undefined) {
        if (found.word === 'block') machine.found[index] = { ...found, word: 'ask' }
        else machine.found.splice(index--, 1)
      }
    }
    return undefined
  }
  if (/\//.test(text)) {
    const content = call.runsFile(literal(text), (known) => call.runsShell(known, { words }))
    if (content !== undefined) return content
  }
  if (ofWindows.test(name)) judgePowerShell(call, `${text} ${call.line()}`)
  if (name === 'format' && words.some((word) => /^[a-z]:/i.test(textOf(word))))
    call.find('destroy', 'formatsDisk', textOf(words[0]))
  if (startsWords(call)) return open()
  const at = words.findIndex(({ texts }) => texts.some((one) => grave.test(one.replace(/^.*\//s, ''))))
  if (at >= 0 && at < 6 && at < words.length - 1) call.runs(words.slice(at))
  for (const [index, word] of words.entries())
    if (fits(words[index - 1] ?? empty, lineFlags) && fits(word, /\s/)) call.runsShell(word)
  call.readsWords()
  return open()
}
