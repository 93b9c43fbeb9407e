import { inQuotes } from '../../../../../shared/base/shell.ts'
import { judgeSetting, setVariable } from '../../reading/variables.ts'
import { type Call, type Programs, tools } from '../../call.ts'
import {
  eachOr,
  either,
  empty,
  literal,
  mapped,
  OPEN,
  open,
  origin,
  textOf,
  textsOf,
  type Value,
  valueOf,
} from '../../reading/value.ts'

/** The first line of what is read. */
const firstLines = (call: Call): Value => {
  const [stream] = call.values('u')
  return mapped(stream === undefined ? call.input : call.stream(stream), (text) => text.replace(/\n.*/s, ''))
}

/** What a shell does itself: it changes what it knows. */
export const stateTools: Programs = {
  ...tools('export declare typeset local readonly', '+', (call) => {
    const { state } = call
    if (call.operands.length === 0) return open(origin.environment)
    for (const word of call.operands)
      for (const text of word.texts.slice(0, 1)) {
        const [start, name = ''] = /^([A-Za-z_]\w*)\+?=/.exec(text) ?? []
        if (start === undefined) continue
        const value = mapped(word, (one) => one.slice(start.length))
        // `declare -n` gives a variable another name.
        if (call.has('n') && call.name !== 'export') state.aliases.set(`$${name}`, value)
        else setVariable(state, name, value, start.endsWith('+='))
        if (call.name === 'export') judgeSetting(call.machine, state, name, value)
      }
  }),
  ...tools('unset', '+', (call) => {
    const names = call.operands.flatMap(({ texts }) => texts)
    if (names.includes('HISTFILE')) call.find('privilege', 'dropsProtection', 'HISTFILE')
    if (call.state.isCertain) for (const name of names) call.state.variables.delete(name)
  }),
  ...tools('set', '+', (call) => {
    if (call.words.length === 0) return open(origin.environment)
    if (call.operands.length > 0)
      call.state.words = call.state.isCertain ? call.operands : eachOr(call.state.words, call.operands)
  }),
  ...tools('enable', '+f=', (call) => {
    for (const file of call.values('f')) call.find('remote-exec', 'loadsCode', file.texts[0])
  }),
  ...tools('shift', '+', (call) => {
    call.state.words = call.state.words.slice(1)
  }),
  ...tools('alias', '+', (call) => {
    for (const text of call.operands.flatMap(({ texts }) => texts)) {
      const cut = text.indexOf('=')
      const [name, value] = [text.slice(0, cut), literal(text.slice(cut + 1))]
      const before = call.state.isCertain ? undefined : call.state.aliases.get(name)
      if (cut > 0) call.state.aliases.set(name, before === undefined ? value : either([before, value]))
    }
  }),
  ...tools('cd pushd chdir', '+', (call) => {
    const [to] = call.operands
    const { state } = call
    const moved = valueOf(call.paths(to === undefined ? literal('~') : textOf(to) === '-' ? open() : to))
    state.folder = state.isCertain ? moved : either([state.folder, moved])
  }),
  ...tools('popd', '', (call) => {
    call.state.folder = open()
  }),
  ...tools('read', '+p= d= n= N= t= u= a= i=', (call) => {
    if (call.input === empty && !call.has('u')) {
      for (const name of textsOf(call.operands)) setVariable(call.state, name, open(origin.list))
      return
    }
    const lines = firstLines(call)
    const [array] = call.values('a')
    const names = array === undefined ? call.operands : [array]
    const separators = call.given.variables.get('IFS')?.texts[0] ?? ''
    const separator = /^[,:;|/_-]$/.test(separators) ? separators : /[ \t]+/
    const wordsIn = (line: string): readonly string[] => (line === OPEN ? [OPEN] : line.split(separator))
    if (array !== undefined)
      call.state.lists.set(
        textOf(array),
        lines.texts.flatMap(wordsIn).map((text) => ({ texts: [text], from: lines.from })),
      )
    if (names.length === 0) setVariable(call.state, 'REPLY', lines)
    names.forEach((name, index) => {
      const text = textOf(name)
      const ofLine = (line: string): string => (line === OPEN ? OPEN : (wordsIn(line)[index] ?? ''))
      const word = names.length === 1 ? lines : mapped(lines, ofLine)
      if (/^\w+$/.test(text)) setVariable(call.state, text, word.texts[0] === '' ? open(lines.from) : word)
    })
  }),
  ...tools('mapfile readarray', '+d= n= O= s= u= C= c=', (call) => {
    for (const text of call.values('C')) call.machine.guess(() => call.runsShell(text))
    setVariable(call.state, call.text(0) || 'MAPFILE', firstLines(call))
  }),
  ...tools('trap', '+', (call) => {
    const [text] = call.operands
    if (text === undefined || /^-$|^\d+$/.test(textOf(text))) return
    call.runsShell(text)
    call.machine.later.push(() => void call.runsShell(text))
  }),
  ...tools('hash', '+p=', (call) => {
    const [file] = call.values('p')
    if (file !== undefined) call.state.aliases.set(call.text(0), literal(inQuotes(textOf(file))))
  }),
  ...tools('bind complete compgen', '+x= C= F= W=', (call) => {
    for (const text of call.values('x C')) call.runsShell(text)
  }),
}
