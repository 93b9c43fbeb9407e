import type {
  Assignment,
  Command,
  CommandNode,
  CompoundList,
  ParsedScript,
  Pipeline,
  PipelineNode,
  Redirection,
  Statement,
  TestExpression,
  Word,
} from 'unbash'
import { fields, inArithmetic, wordValue } from './expand.ts'
import { readFiles, writeFiles } from './files.ts'
import { forked, type Machine, type State, TooMuchError } from './machine.ts'
import { runText, runWords } from './run.ts'
import { empty, either, joined, literal, longText, OPEN, open, origin, type Value, valueOf } from './value.ts'

/** Follows the commands of a parsed text. It keeps what the shell would know, and runs nothing. */
export interface Walk {
  readonly machine: Machine
  /** The text of which the positions are. */
  readonly source: string
}

const expansionOf = (walk: Walk, state: State) => ({
  machine: walk.machine,
  state,
  run: (script: ParsedScript, inner: State, input: Value, text: string): Value =>
    walk.machine.within(() =>
      walkList(script.commands, forked(inner), input, {
        ...walk,
        source: script.source ?? (text.startsWith('`') ? walk.source : walk.source),
      }),
    ),
})

/** Runs `work` as what may not happen. */
const perhaps = <T>(state: State, work: () => T): T => {
  const before = state.isCertain
  state.isCertain = false
  try {
    return work()
  } finally {
    state.isCertain = before
  }
}

export const setVariable = (state: State, name: string, value: Value, isAdded = false): void => {
  const before = state.variables.get(name)
  const next = isAdded ? joined([before ?? empty, value]) : value
  state.variables.set(name, state.isCertain || before === undefined ? next : either([before, next]))
}

/** Programs start what stands in these variables. */
const starters =
  /^(?:(?:GIT_|MAN)?PAGER|(?:GIT_|GIT_SEQUENCE_)?EDITOR|VISUAL|GIT_SSH(?:_COMMAND)?|GIT_(?:EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND)|S(?:SH|UDO)_ASKPASS|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|BROWSER|RUSTC_WRAPPER|CC|CXX|SHELL)$/
/** Programs load what stands in these variables. */
const loaders = /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|ENV|PYTHONSTARTUP|PERL5OPT|RUBYOPT)$/
/** With these, a program does not check whom it talks to, or leaves no trace. */
const unchecked =
  /^(?:NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY)=0$|^GIT_SSL_NO_VERIFY=(?:1|true)$|^HISTFILE=\/dev\/null$|^HISTSIZE=0$/

/** Judges a variable that changes what other programs do. */
export const judgeSetting = (machine: Machine, state: State, name: string, { texts }: Value): void => {
  const { part } = machine
  for (const text of texts.slice(0, 2)) {
    if (unchecked.test(`${name}=${text}`)) machine.find('privilege', 'dropsProtection', `${name}=${text}`)
    if (loaders.test(name) && /[./]/.test(text)) machine.find('remote-exec', 'loadsCode', `${name}=${text}`)
    if (starters.test(name) && /\s|\//.test(text)) runText(text, machine, forked(state))
  }
  machine.part = part
}

const assign = (walk: Walk, state: State, { name, value, append }: Assignment): void => {
  const expansion = expansionOf(walk, state)
  if (value.type === 'Word') {
    const set = wordValue(value, expansion)
    setVariable(state, name, set, append)
    judgeSetting(walk.machine, state, name, set)
  } else {
    const words = value.elements.flatMap((word) => fields(word, expansion))
    state.lists.set(name, append === true ? [...(state.lists.get(name) ?? []), ...words] : words)
    setVariable(state, name, words.length === 0 ? empty : either(words))
  }
}

/** What the redirections of a command do to its streams. */
interface Streams {
  readonly input: Value | undefined
  /** Gives the output its way. Returns what is left for the next program of a pipeline. */
  readonly give: (output: Value) => Value
}

const descriptorOf = (redirection: Redirection): string => {
  const { descriptor } = redirection
  if (descriptor?.type === 'FileDescriptor') return String(descriptor.value)
  if (descriptor?.type === 'FileDescriptorVariable') return descriptor.name
  return redirection.type === 'Redirect' && /^(?:>|&>)/.test(redirection.operator) ? '1' : '0'
}

const redirect = (
  walk: Walk,
  state: State,
  redirections: readonly Redirection[],
  stays: boolean,
): Streams => {
  const { machine } = walk
  const expansion = expansionOf(walk, state)
  let input: Value | undefined
  const outputs: ((output: Value) => void)[] = []
  let isTaken = false
  const fromStream = (name: string): Value | undefined => state.streams.get(name)?.content
  for (const redirection of redirections) {
    machine.step()
    const stream = descriptorOf(redirection)
    const keeps = (content: Value, feeds?: (input: Value) => void): void => {
      if (!stays && /^[012]$/.test(stream)) return
      state.streams.set(stream, { content, ...(feeds === undefined ? {} : { feeds }) })
      if (/^[a-z_]/i.test(stream)) setVariable(state, stream, literal(stream))
    }
    if (redirection.type === 'HereDoc') {
      const { body } = redirection
      const content =
        body.parts === undefined
          ? longText(body.text)
          : body.parts.every(({ type }) => type === 'Literal')
            ? longText(body.parts.map((part) => ('value' in part ? part.value : part.text)).join(''))
            : hereText(body.text, body.parts, walk, state)
      if (stream === '0') input = content
      keeps(content)
      continue
    }
    const { target } = redirection
    if (target === undefined) continue
    if (redirection.type === 'HereString') {
      const content = joined([wordValue(target, expansion), literal('\n')])
      if (stream === '0') input = content
      keeps(content)
      continue
    }
    const name = wordValue(target, expansion)
    const { operator } = redirection
    if (operator === '>&' || operator === '<&') {
      const [meant = ''] = name.texts
      const other = meant.replace(/-$/, '')
      if (meant === '-') {
        if (stays) state.streams.delete(stream)
      } else if (state.streams.has(other)) {
        const there = state.streams.get(other)
        if (stream === '0') input = fromStream(other)
        else if (stream === '1') {
          isTaken = true
          outputs.push((output) => there?.feeds?.(output))
        }
        if (stays && there !== undefined) state.streams.set(stream, there)
      } else if (stream === '1' && !/^\d*$/.test(other)) {
        isTaken = true
        outputs.push((output) => writeFiles(machine, state, name, output))
      } else if (stream === '0' && /^\/dev\//.test(other)) input = readFiles(machine, state, name)
      continue
    }
    if (operator === '<') {
      const content = readFiles(machine, state, name)
      if (stream === '0') input = content
      keeps(content)
      continue
    }
    // A stream that is opened for reading and writing can be a connection.
    const isNetwork = name.texts.some((text) => /^\/dev\/(?:tcp|udp)\//.test(text))
    if (operator === '<>' && stream === '0') input = readFiles(machine, state, name)
    const isAdded = operator.endsWith('>>') || operator === '<>'
    keeps(isNetwork ? open(origin.network) : empty, (content) =>
      writeFiles(machine, state, name, content, true),
    )
    if (stream === '1' || operator.startsWith('&')) {
      isTaken = true
      outputs.push((output) => writeFiles(machine, state, name, output, isAdded))
    } else if (!stays) writeFiles(machine, state, name, stream === '2' ? empty : open(), isAdded)
  }
  const standard = state.streams.get('1')
  return {
    input: input ?? (state.streams.has('0') && !stays ? fromStream('0') : undefined),
    give: (output) => {
      for (const give of outputs) give(output)
      if (!isTaken && standard?.feeds !== undefined && !stays) {
        standard.feeds(output)
        return empty
      }
      return isTaken ? empty : output
    },
  }
}

/** The text of a here-document in which the shell replaces variables and substitutions. */
const hereText = (text: string, parts: NonNullable<Word['parts']>, walk: Walk, state: State): Value => {
  const value = wordValue(
    { type: 'Word', text, value: text, pos: 0, end: text.length, parts },
    expansionOf(walk, state),
  )
  return value.texts.includes(OPEN) ? longText(text, value.from) : value
}

/** The words of a setting such as `export A=b`. */
const setting = (
  { name, append, value }: Assignment,
  expansion: ReturnType<typeof expansionOf>,
): readonly Value[] => {
  const start = literal(`${name}${append === true ? '+' : ''}=`)
  const words =
    value.type === 'Word'
      ? fields(value, expansion)
      : [
          joined(
            value.elements.flatMap((word) => fields(word, expansion)),
            ' ',
          ),
        ]
  return words.map((word) => joined([start, word]))
}

/** A state in which these variables have their old or their new value. */
const eachOf = (old: State, next: State, names: readonly string[]): State => {
  const variables = new Map(old.variables)
  for (const name of names) {
    const before = old.variables.get(name)
    const value = next.variables.get(name)
    if (value !== undefined)
      variables.set(
        name,
        before === undefined && !/^(?:HOME|TMPDIR|TMP|TEMP)$/.test(name)
          ? value
          : either([before ?? value, value]),
      )
  }
  return { ...old, variables }
}

const walkCommand = (command: Command, state: State, input: Value, walk: Walk): Value => {
  const { machine } = walk
  machine.step(2)
  const expansion = expansionOf(walk, state)
  const { name } = command
  const assignments = command.prefix.filter((part) => part.type === 'Assignment')
  machine.part = walk.source.slice(command.pos, command.end)
  if (name === undefined) {
    for (const one of assignments) assign(walk, state, one)
    // `$(<file)` prints the file.
    const { input: file, give } = redirect(walk, state, command.redirects, false)
    return give(file ?? empty)
  }
  // Variables before a command hold for the command alone.
  const inner = assignments.length === 0 ? state : { ...state, variables: new Map(state.variables) }
  const given: string[] = []
  for (const one of assignments) {
    assign(walk, inner, one)
    given.push(one.name)
  }
  // The words of the command are read before, but an owner would not bet on it.
  const both = assignments.length === 0 ? expansion : expansionOf(walk, eachOf(state, inner, given))
  const words = [
    ...fields(name, both),
    ...command.suffix.flatMap((part): readonly Value[] =>
      part.type === 'Word' ? fields(part, both) : part.type === 'Assignment' ? setting(part, expansion) : [],
    ),
  ]
  machine.part = walk.source.slice(command.pos, command.end)
  const isExec = words.length === 1 && words[0]?.texts[0] === 'exec'
  const streams = redirect(walk, state, command.redirects, isExec)
  machine.part = walk.source.slice(command.pos, command.end)
  if (words.length === 0) return streams.give(empty)
  const toNetwork = command.redirects.some(
    (one) =>
      one.type === 'Redirect' &&
      /^[>&]/.test(one.operator) &&
      /^\/dev\/(?:tcp|udp)\//.test(one.target?.value ?? ''),
  )
  if (toNetwork && words.length < 3 && /^(?:\S*\/)?(?:ba|z|da|k|a)?sh$/.test(words[0]?.texts[0] ?? ''))
    machine.find('remote-exec', 'opensShell', '', true)
  const output = runWords(words, {
    machine,
    state,
    input: streams.input ?? input,
    given: inner === state ? undefined : inner,
  })
  if (inner !== state) {
    state.folder = inner.folder
    for (const [key, value] of inner.variables) if (!given.includes(key)) state.variables.set(key, value)
  }
  return streams.give(output)
}

const walkTest = (expression: TestExpression, walk: Walk, state: State): void => {
  switch (expression.type) {
    case 'TestUnary':
      wordValue(expression.operand, expansionOf(walk, state))
      return
    case 'TestBinary':
      wordValue(expression.left, expansionOf(walk, state))
      wordValue(expression.right, expansionOf(walk, state))
      return
    case 'TestLogical':
      for (const one of expression.operands) walkTest(one, walk, state)
      return
    case 'TestNot':
      return walkTest(expression.operand, walk, state)
    case 'TestGroup':
      return walkTest(expression.expression, walk, state)
  }
}

const arithmetic = (expressions: Parameters<typeof inArithmetic>[0][], walk: Walk, state: State): void => {
  const { run } = expansionOf(walk, state)
  for (const expression of expressions)
    inArithmetic(expression, (part) => {
      if (part.type === 'ArithmeticCommandExpansion' && part.script !== undefined)
        run(part.script, state, empty, part.text)
    })
}

const isForever = (list: CompoundList): boolean => {
  const [only] = list.commands
  return (
    list.commands.length === 1 &&
    only?.command.type === 'Command' &&
    /^(?:true|:|1|\/\S*\/true|false|\/\S*\/false|\[ (?:true|1) \]|test \S+|\[\[? 1 \]\]?)$/.test(
      `${only.command.name?.value ?? ''} ${only.command.args.map((arg) => ('value' in arg ? String(arg.value) : '')).join(' ')}`.trim(),
    )
  )
}

const wordsIn = (list: CompoundList): readonly string[] =>
  list.commands.flatMap(({ command, background }) => [
    ...(background === true ? ['&'] : []),
    ...(command.type === 'Command'
      ? [command.name?.value ?? '']
      : command.type === 'Subshell' || command.type === 'BraceGroup'
        ? wordsIn(command.body).map((word) => (command.type === 'Subshell' ? `(${word}` : word))
        : []),
  ])

/** A loop without an end that starts programs and never waits for them fills the machine. */
const isFlood = (words: readonly string[], text: string): boolean => {
  const waits = /\b(?:sleep|wait|break|exit|return|read|inotifywait|select)\b/
  if (!waits.test(text) && />>|\bof=|\/dev\/(?:zero|u?random)|\+=\(|\btee\s+-a/.test(text)) return true
  const started = words.lastIndexOf('&')
  return started >= 0 && !words.slice(started).some((word) => /^(?:wait|break|exit|return|fg)$/.test(word))
}

const walkCompound = (node: CommandNode, state: State, input: Value, walk: Walk): Value => {
  const { machine } = walk
  const list = (body: CompoundList, inner = state): Value => walkList(body.commands, inner, input, walk)
  switch (node.type) {
    case 'Command':
      return walkCommand(node, state, input, walk)
    case 'Redirected': {
      const streams = redirect(walk, state, node.redirects, false)
      return streams.give(walkCompound(node.command, state, streams.input ?? input, walk))
    }
    case 'Subshell':
      return list(node.body, forked(state))
    case 'BraceGroup':
      return list(node.body)
    case 'If': {
      const outputs = [list(node.clause)]
      perhaps(state, () => {
        outputs.push(list(node.then))
        for (const one of node.elif) outputs.push(list(one.clause), list(one.then))
        if (node.else !== undefined) outputs.push(list(node.else))
      })
      return sum(outputs)
    }
    case 'For':
    case 'Select': {
      const expansion = expansionOf(walk, state)
      const words = node.wordlist?.flatMap((word) => fields(word, expansion)) ?? state.words
      state.variables.set(node.name.value, words.length === 0 ? open() : either(words))
      return perhaps(state, () => list(node.body))
    }
    case 'ArithmeticFor':
      arithmetic([node.initialize, node.test, node.update], walk, state)
      if (node.test === undefined && isFlood(wordsIn(node.body), walk.source.slice(node.pos, node.end)))
        machine.find('destroy', 'floods')
      return perhaps(state, () => list(node.body))
    case 'While': {
      list(node.clause)
      machine.part = walk.source.slice(node.pos, node.end)
      if (isForever(node.clause) && isFlood(wordsIn(node.body), walk.source.slice(node.pos, node.end)))
        machine.find('destroy', 'floods')
      return perhaps(state, () => {
        list(node.body)
        return list(node.body)
      })
    }
    case 'Case': {
      wordValue(node.word, expansionOf(walk, state))
      return perhaps(state, () => sum(node.items.map(({ body }) => list(body))))
    }
    case 'Function': {
      const { body, name } = node
      const own = name.value
      state.functions.set(own, (_, inner, given) =>
        body.type === 'CompoundList'
          ? walkList(body.commands, inner, given, walk)
          : walkCompound(body, inner, given, walk),
      )
      return empty
    }
    case 'Coproc': {
      const { body } = node
      const output =
        body.type === 'CompoundList' ? list(body) : walkCompound(body, forked(state), input, walk)
      const job = node.name?.value ?? 'COPROC'
      setVariable(state, job, literal(job))
      state.streams.set(job, { content: output })
      return empty
    }
    case 'TestCommand':
      walkTest(node.expression, walk, state)
      return empty
    case 'ArithmeticCommand':
      arithmetic([node.expression], walk, state)
      return empty
  }
}

const sum = (outputs: readonly Value[]): Value => {
  const some = outputs.filter((output) => output !== empty)
  if (some.length === 0) return empty
  const [only] = some
  return some.length === 1 && only !== undefined ? only : joined(some)
}

const walkPipeline = ({ commands }: Pipeline, state: State, input: Value, walk: Walk): Value => {
  let stream = input
  commands.forEach((command, index) => {
    const next = commands[index + 1]
    if (
      command.type === 'Command' &&
      next?.type === 'Command' &&
      /^(?:\S*\/)?(?:ba|z|da|k|a)?sh$/.test(command.name?.value ?? '') &&
      command.args.some((arg) => arg.type === 'Word' && arg.value === '-i') &&
      /^(?:nc|ncat|netcat|telnet|openssl|socat)$/.test(next.name?.value ?? '')
    )
      walk.machine.find('remote-exec', 'opensShell', '', true)
  })
  for (const command of commands)
    stream = walkCompound(command, commands.length > 1 ? forked(state) : state, stream, walk)
  return stream
}

const walkNode = (
  node: PipelineNode | Statement['command'],
  state: State,
  input: Value,
  walk: Walk,
): Value => {
  if (node.type === 'Pipeline') return walkPipeline(node, state, input, walk)
  if (node.type !== 'AndOr') return walkCompound(node, state, input, walk)
  const outputs = node.commands.map((command, index) =>
    index === 0
      ? walkNode(command, state, input, walk)
      : perhaps(state, () => walkNode(command, state, input, walk)),
  )
  return sum(outputs)
}

export const walkList = (statements: readonly Statement[], state: State, input: Value, walk: Walk): Value =>
  walk.machine.within(() => {
    const outputs: Value[] = []
    for (const { command, background } of statements) {
      walk.machine.step()
      if (background === true || command.type === 'Pipeline') walk.machine.forks++
      outputs.push(walkNode(command, background === true ? forked(state) : state, input, walk))
    }
    return sum(outputs)
  })

export { TooMuchError, valueOf }
