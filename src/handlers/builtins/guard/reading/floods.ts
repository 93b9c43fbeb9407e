import type { CompoundList } from 'unbash'

const endless = /^(?:(?:\/\S*\/)?(?:true|false)|:|1|\[ true \]|\[\[? 1 \]\]?|test \S+)$/

/** The condition of a loop is one command that always says the same. */
export const isForever = ({ commands: [first, second] }: CompoundList): boolean => {
  if (first?.command.type !== 'Command' || second !== undefined) return false
  const { name, args } = first.command
  return endless.test([name, ...args].map((word) => (word?.type === 'Word' ? word.value : '')).join(' '))
}

export const wordsIn = (list: CompoundList): readonly string[] =>
  list.commands.flatMap(({ command, background }) => [
    ...(background === true ? ['&'] : []),
    ...(command.type === 'Command'
      ? [command.name?.value ?? '']
      : command.type === 'Subshell' || command.type === 'BraceGroup'
        ? wordsIn(command.body).map((word) => (command.type === 'Subshell' ? `(${word}` : word))
        : []),
  ])

/** A loop without an end that starts programs and never waits for them fills the machine. */
export const isFlood = (words: readonly string[], text: string): boolean => {
  const waits = /\b(?:sleep|wait|break|exit|return|read|inotifywait|select)\b/
  if (!waits.test(text) && />>|\bof=|\/dev\/(?:zero|u?random)|\+=\(|\btee\s+-a/.test(text)) return true
  const started = words.lastIndexOf('&')
  return started >= 0 && !words.slice(started).some((word) => /^(?:wait|break|exit|return|fg)$/.test(word))
}
