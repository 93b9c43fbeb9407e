import { type Call, type Programs, tools } from '../../call.ts'
import {
  CUT,
  eachOr,
  either,
  empty,
  joined,
  literal,
  mapped,
  OPEN,
  open,
  origin,
  originsOf,
  textOf,
  textsOf,
  type Value,
  valueOf,
} from '../../reading/value.ts'
import { inQuotes } from '../../../../../shared/base/shell.ts'
import { judgeSetting, setVariable } from '../../reading/variables.ts'

/** The first line of what is read. */
const firstLines = (call: Call): Value => {
  const [stream] = call.values('u')
  return mapped(stream === undefined ? call.input : call.stream(stream), (text) => text.replace(/\n.*/s, ''))
}

/** The text with the escapes that `echo -e` and `printf` read. */
const unescaped = (text: string): string =>
  text.replaceAll(
    /\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|0?([0-7]{1,3})|([abefnrtv\\"']))/gi,
    (_, hex?: string, unicode?: string, octal?: string, letter?: string) => {
      const code = Number.parseInt(hex ?? unicode ?? octal ?? '', octal === undefined ? 16 : 8)
      if (!Number.isNaN(code)) return String.fromCodePoint(code)
      return { n: '\n', t: '\t', r: '\r', '\\': '\\', '"': '"', "'": "'" }[letter ?? ''] ?? ''
    },
  )

const maxPrintedWords = 64

const printed = (format: Value, args: readonly Value[]): Value => {
  let value = empty
  const rest = [...args]
  const text = textOf(format)
  if (text.length > 4096 || args.length > maxPrintedWords)
    return { texts: [CUT], from: originsOf([format, ...args]) }
  do {
    for (const piece of unescaped(text).split(/(%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z%])/)) {
      const [, letter] = /^%.*([a-zA-Z%])$/s.exec(piece) ?? []
      const isText = letter === undefined || letter === '%'
      const arg = isText ? literal(letter ?? piece) : (rest.shift() ?? empty)
      value = joined([value, letter === 'b' ? mapped(arg, unescaped) : arg])
    }
  } while (rest.length > 0 && /%[^%]/.test(text))
  return { ...value, from: value.from | format.from }
}

/** What a shell does itself: it changes what it knows, and prints. */
export const stateTools: Programs = {
  ...tools`export declare typeset local readonly: +`((call) => {
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
        if (call.name === 'export') judgeSetting(state, name, value)
      }
  }),
  ...tools`unset: +`((call) => {
    const names = call.operands.flatMap(({ texts }) => texts)
    if (names.includes('HISTFILE')) call.find('privilege', 'dropsProtection', 'HISTFILE')
    if (call.state.isCertain) for (const name of names) call.state.variables.delete(name)
  }),
  ...tools`set: +`((call) => {
    if (call.words.length === 0) return open(origin.environment)
    if (call.operands.length > 0)
      call.state.words = call.state.isCertain ? call.operands : eachOr(call.state.words, call.operands)
  }),
  ...tools`enable: +f=`((call) => {
    for (const file of call.values('f')) call.find('remote-exec', 'loadsCode', file.texts[0])
  }),
  ...tools`shift: +`((call) => {
    call.state.words = call.state.words.slice(1)
  }),
  ...tools`alias: +`((call) => {
    for (const text of call.operands.flatMap(({ texts }) => texts)) {
      const cut = text.indexOf('=')
      const [name, value] = [text.slice(0, cut), literal(text.slice(cut + 1))]
      const before = call.state.aliases.get(name)
      if (cut > 0)
        call.state.aliases.set(name, call.state.isCertain ? value : either([before ?? literal(name), value]))
    }
  }),
  ...tools`cd pushd chdir: +`((call) => {
    const [to] = call.operands
    const { state } = call
    const moved = valueOf(call.paths(to === undefined ? literal('~') : textOf(to) === '-' ? open() : to))
    state.folder = state.isCertain ? moved : either([state.folder, moved])
  }),
  ...tools`popd`((call) => {
    call.state.folder = open()
  }),
  ...tools`read: +p= d= n= N= t= u= a= i=`((call) => {
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
  ...tools`mapfile readarray: +d= n= O= s= u= C= c=`((call) => {
    for (const text of call.values('C')) call.machine.guess(() => call.runsShell(text))
    setVariable(call.state, call.text(0) || 'MAPFILE', firstLines(call))
  }),
  ...tools`trap: +`((call) => {
    const [text] = call.operands
    if (text === undefined || /^-$|^\d+$/.test(textOf(text))) return
    call.runsShell(text)
    call.machine.later.push(() => void call.runsShell(text))
  }),
  ...tools`hash: +p=`((call) => {
    const [file] = call.values('p')
    if (file !== undefined) call.state.aliases.set(call.text(0), literal(inQuotes(textOf(file))))
  }),
  ...tools`bind complete compgen: +x= C= F= W=`((call) => {
    for (const text of call.values('x C')) call.runsShell(text)
  }),
  ...tools`printf: +v=`((call) => {
    const [format, ...args] = call.operands
    const value = format === undefined ? empty : printed(format, args)
    const [name] = call.values('v')
    if (name === undefined) return value
    setVariable(call.state, textOf(name), value)
    return empty
  }),
  ...tools`echo print`(({ words }) => {
    const first = words.findIndex((word) => !/^-[neE]+$/.test(textOf(word)))
    const letters = textsOf(words.slice(0, Math.max(0, first))).join('')
    const value = joined(first < 0 ? [] : words.slice(first), ' ')
    const texts = letters.includes('e') ? value.texts.map(unescaped) : value.texts
    return { texts: texts.map((text) => (letters.includes('n') ? text : `${text}\n`)), from: value.from }
  }),
}
