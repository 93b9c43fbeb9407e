/** One word of a command. */
export interface ShellWord {
  /** Without its quotes. */
  readonly text: string
  /** True when only the shell knows part of the value. */
  readonly isOpen: boolean
  /** True when it contains a file name pattern. */
  readonly isPattern: boolean
  readonly isQuoted: boolean
}

interface Wrapper {
  /** The options that take the next word as a value. */
  readonly valued?: readonly string[]
  /** The number of operands before the command. */
  readonly operands?: number
  /** With any option the program does something else. */
  readonly isBare?: true
}

/**
 * Programs that run the command after them. Source: Claude Code's documentation of permission rules,
 * "Wrappers".
 */
const wrappers: Readonly<Record<string, Wrapper>> = {
  timeout: { valued: ['-s', '--signal', '-k', '--kill-after'], operands: 1 },
  time: { valued: ['-f', '--format', '-o', '--output'] },
  nice: { valued: ['-n', '--adjustment'] },
  nohup: {},
  stdbuf: { valued: ['-i', '--input', '-o', '--output', '-e', '--error'] },
  command: { isBare: true },
  builtin: {},
  noglob: {},
  xargs: { isBare: true },
}

const maxWrappers = 10
const shells = /^(?:.*\/)?(?:ba|da|z|k|a)?sh$/
const assignment = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/

/** The index of the command that a wrapper runs; undefined when it runs none. */
const behind = (words: readonly ShellWord[]): number | undefined => {
  const name = words[0]?.text ?? ''
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined
  if (wrapper === undefined) return undefined
  let at = 1
  while (words[at]?.text.startsWith('-') === true) {
    if (wrapper.isBare === true) return undefined
    const option = words[at]?.text ?? ''
    at += wrapper.valued?.includes(option) === true ? 2 : 1
    if (option === '--') break
  }
  return at + (wrapper.operands ?? 0)
}

/** The text that `sh -c` or `eval` runs. */
const innerOf = (words: readonly ShellWord[]): ShellWord | undefined => {
  const [name, ...rest] = words
  if (name?.text === 'eval') {
    return {
      text: rest.map(({ text }) => text).join(' '),
      isOpen: rest.some(({ isOpen }) => isOpen),
      isPattern: false,
      isQuoted: true,
    }
  }
  if (name === undefined || !shells.test(name.text)) return undefined
  const flag = rest.findIndex(({ text }) => /^-[a-z]*c[a-z]*$/.test(text))
  return flag < 0 ? undefined : rest[flag + 1]
}

export interface CommandStarts {
  /** The whole command, and again from each position where a program's name is. */
  readonly starts: readonly (readonly ShellWord[])[]
  /** A text in the command that is also run. */
  readonly inner?: ShellWord
}

/**
 * Removes the words before the program, assignments and wrappers, one layer at a time. Undefined when there
 * are too many layers.
 */
export const startsOf = (command: readonly ShellWord[]): CommandStarts | undefined => {
  const starts: (readonly ShellWord[])[] = [command]
  for (let words = command; starts.length <= maxWrappers;) {
    const first = words.findIndex(({ text }) => !assignment.test(text))
    const next = first > 0 ? first : first < 0 ? undefined : behind(words)
    if (next === undefined || next >= words.length) {
      const inner = innerOf(words)
      return { starts, ...(inner === undefined ? {} : { inner }) }
    }
    words = words.slice(next)
    starts.push(words)
  }
  return undefined
}
