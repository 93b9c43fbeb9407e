import { type Call, type Programs, tools } from '../../call.ts'
import {
  CUT,
  empty,
  filled,
  isOpen,
  literal,
  OPEN,
  open,
  origin,
  originsOf,
  textOf,
  textsOf,
  type Value,
  valueOf,
} from '../../reading/value.ts'

const maxAdded = 64

/** Words that a program reads from its input, and adds to each start. */
const added = (call: Call): readonly Value[] => {
  const isByLine = call.name === 'parallel' || call.has('I', 'i', 'J', 'L')
  const input = call.shows(call.name === 'parallel' ? [] : call.values('a'))
  const texts = input.texts.flatMap((text) =>
    text === OPEN ? [OPEN] : text.split(isByLine ? /[\n\0]+/ : /[\s\0]+/).filter((piece) => piece !== ''),
  )
  if (texts.length > maxAdded) texts.splice(maxAdded, texts.length, CUT)
  const from = input.from | origin.list
  return texts.length === 0
    ? [open(from)]
    : texts.map((text) => ({ texts: [text], from: isOpen(text) ? from : input.from }))
}

const xargs = (call: Call): Value => {
  const words = call.operands.length === 0 ? [literal('echo')] : call.operands
  if (call.has('r') && call.input.texts[0] === '') return empty
  const more = added(call)
  const [sign] = textsOf(call.values('I i J')).map((text) => text || '{}')
  if (sign === undefined) return call.runs([...words, ...more], empty)
  if (!words.some(({ texts }) => texts.some((text) => text.includes(sign)))) {
    call.runs([...words, ...more], empty)
    return call.runs(words, empty)
  }
  const texts = more.flatMap((one) => one.texts)
  return call.runs(
    words.map((word) => filled(word, sign, texts, word.from | originsOf(more))),
    empty,
  )
}

/** The place of an argument in the words of `parallel`. */
const hole = /\{[./#%]*\}/

const parallel = (call: Call): Value => {
  const isList = (word: Value): boolean => textOf(word).startsWith(':::')
  const cut = call.operands.findIndex(isList)
  const words = cut < 0 ? call.operands : call.operands.slice(0, cut)
  const args = cut < 0 ? added(call) : call.operands.slice(cut + 1).filter((word) => !isList(word))
  if (words.length === 0) {
    call.runsFresh(call.input)
    for (const arg of args) if (arg.texts[0] !== OPEN) call.runsText(arg)
    return open()
  }
  const line = textsOf(words).join(' ')
  const lines = args.flatMap((arg) =>
    arg.texts.map((one) => (hole.test(line) ? line.split(hole).join(one) : `${line} ${one}`)),
  )
  if (words.length > 1)
    for (const arg of args) {
      const own = words.map((word) =>
        valueOf(
          word.texts.flatMap((text) =>
            hole.test(text) ? arg.texts.map((one) => text.split(hole).join(one)) : [text],
          ),
          word.from | arg.from,
        ),
      )
      call.runs(hole.test(line) ? own : [...own, arg], empty)
    }
  return call.runsText(valueOf(lines.length === 0 ? [line] : lines))
}

/** Programs that start another one for each word of a list. */
export const listTools: Programs = {
  ...tools(
    'xargs gxargs',
    '+a=,arg-file= d=,delimiter= E= e?,eof? I= i?,replace? J= L= l?,max-lines? n=,max-args= P=,max-procs= ' +
      'R= r,no-run-if-empty s=,max-chars= S= process-slot-var=',
    xargs,
  ),
  ...tools(
    'parallel sem rush',
    '+j=,jobs= a=,arg-file= C=,colsep= d= S=,sshlogin= results= joblog= delay= timeout= retries= halt= ' +
      'tmpdir= N= n= L= I= P=',
    parallel,
  ),
}
