import type { CompoundList } from 'unbash'

export const isForever = (list: CompoundList): boolean => {
  const [only] = list.commands
  return (
    list.commands.length === 1 &&
    only?.command.type === 'Command' &&
    /^(?:true|:|1|\/\S*\/true|false|\/\S*\/false|\[ (?:true|1) \]|test \S+|\[\[? 1 \]\]?)$/.test(
      `${only.command.name?.value ?? ''} ${only.command.args.map((arg) => (arg.type === 'Word' ? arg.value : '')).join(' ')}`.trim(),
    )
  )
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
