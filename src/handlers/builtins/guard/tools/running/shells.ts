import { type Call, type Programs, tools } from '../../call.ts'
import { either, joined, OPEN, open, textOf, type Value } from '../../reading/value.ts'
import { runsOther } from './windows.ts'

const shellOptions = '+o= O= rcfile=,init-file= help version'

const shell = (call: Call): Value | void => {
  if (call.has('help', 'version', 'n') && !call.words.some(({ texts }) => texts.includes('+n'))) return
  const operands = call.operands.filter(
    (word) => !/^[+-][a-zA-Z]$/.test(textOf(word)) || textOf(word) === '-',
  )
  const [first, ...rest] = operands
  if (call.has('c')) {
    if (first === undefined) return
    const [name, ...words] = rest
    const variables = new Map(call.given.variables)
    if (name !== undefined) variables.set('0', name)
    return call.runsText(first, { words, variables })
  }
  for (const file of call.values('rcfile')) call.runsFile(file, (content) => call.runsText(content))
  if (first !== undefined && !call.has('s') && textOf(first) !== '-')
    return call.runsFile(first, (content) => call.runsText(content, { words: rest })) ?? open()
  return call.machine.guess(() => call.runsText(call.input, { words: rest }))
}

/** `eval` and `source` change the shell that runs them. */
const inSameShell = (call: Call, text: Value): Value => {
  call.runsFresh(text)
  return call.machine.guess(() => call.inShell(text))
}

export const shellTools: Programs = {
  ...tools('sh bash dash zsh ksh ksh93 mksh ash yash rbash posh bash5 oksh', shellOptions, shell),
  ...tools('fish nu elvish xonsh csh tcsh rc', '+c,command= C= e=', (call) => {
    const [file] = call.operands
    const given = call.values('c C e')
    for (const text of given) runsOther(call, text)
    if (file !== undefined) call.runsFile(file, (content) => runsOther(call, content))
    else if (given.length === 0) runsOther(call, call.input)
    return open()
  }),
  ...tools('eval', '+', (call) => inSameShell(call, joined(call.operands, ' '))),
  ...tools('source .', '+', (call) => {
    const [name] = call.operands
    // In fish, it can be the input.
    if (name === undefined) return inSameShell(call, call.input)
    const content = call.reads(name, true)
    if (call.runsFresh(content)) return
    const known = content.texts.filter((text) => text !== OPEN)
    if (known.length > 0) return inSameShell(call, { ...content, texts: known })
    // A file that nobody knows can set each variable anew.
    for (const [key, value] of call.state.variables)
      call.state.variables.set(key, either([value, open(value.from)]))
  }),
}
