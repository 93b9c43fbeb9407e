import { judgeByRules } from '../rules.ts'
import { type Call, type Programs, tools } from '../../call.ts'
import { either, empty, filtered, literal, open, origin, textOf, type Value } from '../../reading/value.ts'
import { bringsOf, judgeCode } from './code.ts'

/** The code of another language: on the line, in a file, or as the input. */
const interpreter =
  (language: string, code: string, inert = '') =>
  (call: Call): Value | undefined => {
    if (call.has('version', 'help', ...inert.split(' ').filter((one) => one !== ''))) return undefined
    const given = call.values(code)
    for (const text of given) {
      call.runsFresh(text)
      judgeCode(call, language, text)
    }
    if (given.length > 0) {
      // What the code reads of its input is data. Perl reads files line by line.
      if (language === 'perl' || language === 'ruby')
        for (const file of call.operands)
          if (call.has('i')) call.writes(file, open(), true)
          else call.reads(file)
      return open(given.reduce((from, text) => from | bringsOf(text), call.input.from | origin.unread))
    }
    const [first] = call.operands
    if (first === undefined || first.texts[0] === '-') {
      call.runsFresh(call.input)
      judgeCode(call, language, call.input)
      return open(origin.unread)
    }
    // A script of a framework, such as `python manage.py flush`.
    const script = textOf(first)
    const known = /^(?:manage\.py|artisan)$/.exec(script.replace(/^.*\//s, ''))
    if (known !== null) return call.runs([literal(known[0]), ...call.operands.slice(1)])
    call.runsFile(first, (content) => {
      judgeCode(call, language, content)
      return undefined
    })
    return open()
  }

const pythonModule = (call: Call, module: Value): Value | undefined => {
  const name = textOf(module)
  if (name === 'pip') return call.runs([literal('pip'), ...call.operands])
  call.readsWords()
  // `timeit` and others take code.
  for (const word of call.operands) if (/\s/.test(textOf(word))) judgeCode(call, 'python', word)
  if (name === 'base64' && call.words.some(({ texts }) => texts.includes('-d'))) return open(origin.decoded)
  return undefined
}

/** Programs that run code of other languages. */
export const interpreterTools: Programs = {
  ...tools(
    'python python2 python3 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3 ' +
      'ipython micropython',
    '+c= m= V,version W= X= h,help',
    (call) => {
      const [module] = call.values('m')
      if (module !== undefined) return pythonModule(call, module)
      return interpreter('python', 'c')(call)
    },
  ),
  ...tools(
    'node nodejs',
    '+e,eval= p,print= r,require= v,version c,check input-type= import= loader= h,help',
    interpreter('node', 'e p', 'c'),
  ),
  ...tools('java', '+jar= cp=,classpath,class-path', (call) => {
    for (const file of call.values('jar')) call.runsFile(file, () => undefined)
    call.readsWords()
    return open()
  }),
  ...tools('deno', '', (call) => {
    const verb = textOf(call.operands[0])
    const [, second] = call.operands
    if (verb === 'eval' && second !== undefined) judgeCode(call, 'node', second)
    else if (/^(?:run|install)$/.test(verb) && call.operands.some((word) => /^https?:/.test(textOf(word))))
      call.find('remote-exec', 'runsDownload')
    else if (verb === 'run' && second?.texts[0] === '-') call.runsFresh(call.input)
  }),
  ...tools('bun tsx ts-node', '+e,eval= p,print=', (call) => {
    const verb = textOf(call.operands[0])
    // A command of its own, and no file.
    if (call.name === 'bun' && /^[a-z]+$/.test(verb)) return judgeByRules(call)
    return interpreter('node', 'e p')(call)
  }),
  ...tools('perl perl5', '+e= E= M= m= I= v,version F= h,help', interpreter('perl', 'e E', 'c v')),
  ...tools('ruby', '+e= r= I= v,version F= h,help', interpreter('ruby', 'e', 'c')),
  ...tools('php', '+r= B= E= R= f= d= c= v,version h,help', (call) => {
    const [file] = call.values('f')
    if (file !== undefined) call.runsFile(file, () => undefined)
    return interpreter('php', 'r B E R', 'l m i')(call)
  }),
  ...tools(
    'lua luajit tclsh Rscript julia osascript groovy scala elixir erl ghci swift kotlin jshell R racket ' +
      'guile sbcl octave gawk-code',
    '+e= E= l= f=',
    interpreter('other', 'e E'),
  ),
  ...tools('awk gawk mawk nawk', '+f,file= F= v= e=,source= i=', (call) => {
    const program = call.has('f') ? undefined : call.operands[0]
    const files = call.has('f') ? call.operands : call.operands.slice(1)
    const given = [...(program === undefined ? [] : [program]), ...call.values('e')]
    for (const text of given) {
      judgeCode(call, 'awk', text)
      if (text.texts.some((one) => /\bsystem\s*\(|\|\s*(?:getline|"\w*sh\b)/.test(one)))
        call.runsFresh(call.input)
    }
    for (const file of call.values('f'))
      call.runsFile(file, (content) => {
        judgeCode(call, 'awk', content)
        return undefined
      })
    const contents = files.filter((file) => !/^\w+=/.test(textOf(file))).map((file) => call.reads(file))
    const output = filtered(contents.length === 0 ? call.input : either(contents))
    return { ...output, from: output.from | origin.unread }
  }),
  ...tools('sed gsed', 'e,expression= f,file= i,in-place l= help version', (call) => {
    if (call.has('help', 'version')) return undefined
    const scripts = call.values('e')
    const files = scripts.length > 0 || call.has('f') ? call.operands : call.operands.slice(1)
    const given = scripts.length > 0 || call.has('f') ? scripts : call.operands.slice(0, 1)
    for (const { texts } of [...given, ...call.values('f').map((file) => call.contentOf(file))])
      for (const text of texts.slice(0, 4)) {
        // The command `e`, and the flag of the same name, start a shell. `w` writes a file.
        for (const [, line = ''] of text.matchAll(/(?:^|[;{\d$/!])[ \t]*e[ \t]+(.+)/gm))
          call.runsShell(literal(line))
        const [, , replaced = '', flags = '', target = ''] =
          /s([^\w\s\\])[^\n]{0,400}?\1([^\n]{0,400}?)\1([a-z\d]*)\s*(\/\S+)?/.exec(text) ?? []
        if (flags.includes('e')) call.runsShell(literal(replaced))
        if (flags.endsWith('w')) call.writes(literal(target), open())
        for (const [, name = ''] of text.matchAll(/(?:^|[;{\d$/!])[ \t]*w[ \t]+(\S+)/gm))
          call.writes(literal(name), open())
      }
    if (call.has('i')) {
      for (const file of files) call.writes(file, open(), true)
      return empty
    }
    const contents = files.map((file) => call.reads(file))
    return filtered(contents.length === 0 ? call.input : either(contents))
  }),
}
