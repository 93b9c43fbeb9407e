import { interpreter } from './text-names.ts'

/** The maximum number of characters before a name that are read. */
const maxBefore = 400

/** A text that a command is given in quotes, such as `node -e "…"`. The first word is the command. */
const givenText =
  /(?<![\w./-])([\w./-]+)(?:[ \t]+-[\w-]+){0,5}?[ \t]+-{1,2}(?:[A-Za-z]*[ceEpr]|eval|print)[ \t]+(["'])/g
const shellName = /(?:^|\/)(?:ba|da|z|k)?sh$/
/** A variable behind a slash or another variable. Then a name in a variable can be joined to a folder. */
const join = /(?:\/|\$\{?\w{1,60}\}?)["'\\]*\$[\w{@*]/
/** Words that precede a command's own word. */
const leader =
  /^(?:then|do|else|elif|if|while|until|!|exec|command|env|sudo|time|nohup|timeout|\d+\w?|-\S*|\w+=\S*)$/

/** The ranges of a text that another language reads. */
const foreignRanges = (text: string): readonly (readonly [number, number])[] => {
  const ranges: (readonly [number, number])[] = []
  for (const { 0: found, 1: command = '', 2: quote = '', index } of text.matchAll(givenText)) {
    if (shellName.test(command)) continue
    const from = index + found.length
    let to = from
    while (to < text.length && text.charAt(to) !== quote)
      to += quote === '"' && text.charAt(to) === '\\' ? 2 : 1
    ranges.push([from, to])
  }
  const heredoc = text.search(/(?<!<)<<-?[ \t]{0,9}["'\\]?\w/)
  return heredoc < 0 ? ranges : [...ranges, [heredoc, text.length]]
}

/**
 * Tells whether the name between two indexes of a shell's text is opened as it is written. A full path always
 * is. A relative name can be joined to a folder by a variable, by a script that gets it as an argument, or by
 * a text in another language. Then another path in its place would name no file.
 */
export const openedNames = (text: string): ((start: number, end: number) => boolean) => {
  const ranges = foreignRanges(text)
  const isJoining = join.test(text)
  return (start, end) => {
    if (/^\\?["'`]?[/~$`]/.test(text.slice(start, end))) return true
    if (ranges.some(([from, to]) => start >= from && start < to)) return false
    const before = text.slice(Math.max(0, start - maxBefore), start)
    const command = before.split(/[;|&()`\n]|(?:^|\s)[{}](?=\s)/).at(-1) ?? ''
    const words = command.replace(/^.*\s-[A-Za-z]*c\s+["']/, '').split(/\s+/)
    const begun = words.pop() ?? ''
    if (begun.includes('<')) return true
    const [verb, ...others] = words.filter((word) => word !== '' && !leader.test(word))
    if (verb === undefined) return !isJoining || !/^\w+\+?=/.test(begun)
    if (verb === 'cd' || interpreter.test(verb)) return others.length === 0
    return !isJoining && /^[\w.+-]+$/.test(verb)
  }
}
