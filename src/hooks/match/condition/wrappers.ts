/** One word of a command. */
export interface ShellWord {
  /** Without its quotes. */
  readonly text: string
  /** Some of it only the shell knows. */
  readonly isOpen: boolean
  /** It names files by a pattern. */
  readonly isPattern: boolean
  readonly isQuoted: boolean
}

interface Wrapper {
  /** Its options that take the next word. */
  readonly valued?: readonly string[]
  /** Words of its own before the command. */
  readonly operands?: number
  /** With an option it does something else. */
  readonly isBare?: true
}

/**
 * What runs the command that stands behind it. Source: Claude Code's documentation of permission rules,
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

/** Where the command begins that a wrapper runs; undefined where it runs none. */
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

export interface Starts {
  /** The command whole, and again from each place at which a program's name stands. */
  readonly starts: readonly (readonly ShellWord[])[]
  /** A text in it that is run as well. */
  readonly inner?: ShellWord
}

/**
 * A command without what stands before its program: assignments and wrappers. Undefined where there are too
 * many.
 */
export const startsOf = (command: readonly ShellWord[]): Starts | undefined => {
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
