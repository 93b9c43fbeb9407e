import { pathsOf } from '../files.ts'
import { redirect } from './streams.ts'
import { setVariable } from './variables.ts'
import { fields, inArithmetic, wordValue } from './expand.ts'
import type {
  Command,
  CommandNode,
  CompoundList,
  Pipeline,
  PipelineNode,
  Statement,
  SyntaxNode,
} from 'unbash'
import { forEachPart } from '../../../../core/model/shell/parse.ts'
import { forked, type FunctionBody, perhaps, type State } from '../machine.ts'
import { either, empty, joined, literal, open, type Value } from './value.ts'
import { assign, eachOf, expansionOf, setting, type Walk } from './walk-words.ts'

/** A loop is followed for so many of its words at once. */
const wordsATurn = 8

const endless = /^(?:(?:\/\S*\/)?(?:true|false)|:|1|\[ true \]|\[\[? 1 \]\]?|test \S+)$/

/** The condition of a loop is one command that always says the same. */
const isForever = ({ commands: [first, second] }: CompoundList): boolean => {
  if (first?.command.type !== 'Command' || second !== undefined) return false
  const { name, args } = first.command
  return endless.test([name, ...args].map((word) => (word?.type === 'Word' ? word.value : '')).join(' '))
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

const shellName = /^(?:\S*\/)?(?:ba|z|da|k|a)?sh$/

const walkCommand = (command: Command, state: State, input: Value, walk: Walk): Value => {
  const { machine } = state
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
  // `declare -a words=(…)`
  for (const part of command.suffix)
    if (part.type === 'Assignment' && part.value.type !== 'Word') assign(walk, state, part)
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
  if (toNetwork && words.length < 3 && pathsOf(words[0] ?? empty, state).some((path) => shellName.test(path)))
    machine.find('remote-exec', 'opensShell', '', true)
  const output = machine.runWords(words, {
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

const walkTest = (node: SyntaxNode, walk: Walk, state: State): void =>
  forEachPart(node, (part) => {
    if (part.type === 'Word') wordValue(part, expansionOf(walk, state))
    else walkTest(part, walk, state)
  })

const arithmetic = (expressions: Parameters<typeof inArithmetic>[0][], walk: Walk, state: State): void => {
  const { run } = expansionOf(walk, state)
  for (const expression of expressions)
    inArithmetic(expression, (part) => {
      if (part.type === 'ArithmeticCommandExpansion' && part.script !== undefined)
        run(part.script, state, empty)
    })
}

const walkCompound = (node: CommandNode, state: State, input: Value, walk: Walk): Value => {
  const { machine } = state
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
      if (words.length === 0) {
        state.variables.set(node.name.value, open())
        return perhaps(state, () => list(node.body))
      }
      const outputs: Value[] = []
      for (let at = 0; at < words.length; at += wordsATurn) {
        state.variables.set(node.name.value, either(words.slice(at, at + wordsATurn)))
        outputs.push(perhaps(state, () => list(node.body)))
      }
      return either(outputs)
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
      const before = state.isCertain ? undefined : state.functions.get(name.value)
      const own: FunctionBody = (inner, given) => walkBody(body, inner, given, walk)
      const next: FunctionBody =
        before === undefined ? own : (...given) => either([before(...given), own(...given)])
      if (!state.isCertain && (before === undefined || machine.doubtful.has(before)))
        machine.doubtful.add(next)
      state.functions.set(name.value, next)
      return empty
    }
    case 'Coproc': {
      const { body } = node
      const inner = forked(state)
      const output = walkBody(body, inner, input, walk)
      const job = node.name?.value ?? 'COPROC'
      setVariable(state, job, literal(job))
      state.streams.set(job, { content: output, feeds: (fed) => void walkBody(body, inner, fed, walk) })
      return empty
    }
    case 'TestCommand':
      walkTest(node, walk, state)
      return empty
    case 'ArithmeticCommand':
      arithmetic([node.expression], walk, state)
      return empty
  }
}

const walkBody = (body: CommandNode | CompoundList, state: State, input: Value, walk: Walk): Value =>
  body.type === 'CompoundList'
    ? walkList(body.commands, state, input, walk)
    : walkCompound(body, state, input, walk)

const sum = (outputs: readonly Value[]): Value => {
  const some = outputs.filter((output) => output !== empty)
  if (some.length === 0) return empty
  const [only] = some
  return some.length === 1 && only !== undefined ? only : joined(some)
}

const walkPipeline = ({ commands }: Pipeline, state: State, input: Value, walk: Walk): Value => {
  let stream = input
  state.machine.step(commands.length)
  commands.forEach((command, index) => {
    const next = commands[index + 1]
    if (
      command.type === 'Command' &&
      next?.type === 'Command' &&
      shellName.test(command.name?.value ?? '') &&
      command.args.some((arg) => arg.type === 'Word' && arg.value === '-i') &&
      /^(?:nc|ncat|netcat|telnet|openssl|socat)$/.test(next.name?.value ?? '')
    )
      state.machine.find('remote-exec', 'opensShell', '', true)
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
  state.machine.within(() => {
    const outputs: Value[] = []
    for (const { command, background } of statements) {
      state.machine.step()
      if (background === true || command.type === 'Pipeline') state.machine.forks++
      const inner = background === true ? forked(state) : state
      if (background === true) state.machine.later.push(() => void walkNode(command, inner, input, walk))
      outputs.push(walkNode(command, inner, input, walk))
    }
    return sum(outputs)
  })
