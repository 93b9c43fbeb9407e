import { judgeByRules } from '../rules.ts'
import { type Act, type Call, type Programs, tools } from '../../call.ts'
import { empty, filtered, literal, open, origin, textOf, type Value } from '../../reading/value.ts'
import { bringsOf, judgeCode } from './code.ts'

/** The code of another language: on the line, in a file, or as the input. */
const interpreter =
  (language: string, code: string): Act =>
  (call) => {
    if (call.has('version', 'help')) return
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
    if (first === undefined || textOf(first) === '-') {
      call.runsFresh(call.input)
      judgeCode(call, language, call.input)
      return open(origin.unread)
    }
    // A script of a framework, such as `python manage.py flush`.
    const script = textOf(first).replace(/^.*\//s, '')
    if (/^(?:manage\.py|artisan)$/.test(script))
      return call.runs([literal(script), ...call.operands.slice(1)])
    call.runsFile(first, (content) => judgeCode(call, language, content))
    return open()
  }

const pythonModule = (call: Call, name: string): Value | void => {
  if (name === 'pip') return call.runs([literal('pip'), ...call.operands])
  call.readsWords()
  // `timeit` and others take code.
  for (const word of call.operands) if (/\s/.test(textOf(word))) judgeCode(call, 'python', word)
  if (name === 'base64' && call.words.some(({ texts }) => texts.includes('-d'))) return open(origin.decoded)
}

/** Programs that run code of other languages. */
export const interpreterTools: Programs = {
  ...tools`python python2 python3 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy
    pypy3 ipython micropython:
    +c= m= V,version W= X= h,help`((call) => {
    const [module] = call.values('m')
    return module === undefined ? interpreter('python', 'c')(call) : pythonModule(call, textOf(module))
  }),
  ...tools`node nodejs:
    +e,eval= p,print= r,require= v,version c!,check input-type= import= loader= h,help`(
    interpreter('node', 'e p'),
  ),
  ...tools`java: +jar= cp=,classpath,class-path`((call) => {
    for (const file of call.values('jar')) call.runsFile(file, () => undefined)
    call.readsWords()
    return open()
  }),
  ...tools`deno`((call) => {
    const verb = call.text(0)
    const [, second] = call.operands
    if (verb === 'eval' && second !== undefined) judgeCode(call, 'node', second)
    else if (/^(?:run|install)$/.test(verb) && call.operands.some((word) => /^https?:/.test(textOf(word))))
      call.find('remote-exec', 'runsDownload')
    else if (verb === 'run' && call.text(1) === '-') call.runsFresh(call.input)
  }),
  ...tools`bun tsx ts-node: +e,eval= p,print=`((call) => {
    // A command of its own, and no file.
    const isOwn = call.name === 'bun' && /^[a-z]+$/.test(call.text(0))
    return isOwn ? judgeByRules(call) : interpreter('node', 'e p')(call)
  }),
  ...tools`perl perl5: +e= E= M= m= I= v!,version c! F= h,help`(interpreter('perl', 'e E')),
  ...tools`ruby: +e= r= I= v,version c! F= h,help`(interpreter('ruby', 'e')),
  ...tools`php: +r= B= E= R= f= d= c= v,version h,help l! m! i!`((call) => {
    const [file] = call.values('f')
    if (file !== undefined) call.runsFile(file, () => undefined)
    return interpreter('php', 'r B E R')(call)
  }),
  ...tools`lua luajit tclsh Rscript julia osascript groovy scala elixir erl ghci swift kotlin jshell R
    racket guile sbcl octave gawk-code:
    +e= E= l= f=`(interpreter('other', 'e E')),
  ...tools`awk gawk mawk nawk: +f,file= F= v= e=,source= i=`((call) => {
    const program = call.has('f') ? undefined : call.operands[0]
    const files = call.has('f') ? call.operands : call.operands.slice(1)
    const given = [...(program === undefined ? [] : [program]), ...call.values('e')]
    for (const text of given) {
      judgeCode(call, 'awk', text)
      if (text.texts.some((one) => /\bsystem\s*\(|\|\s*(?:getline|"\w*sh\b)/.test(one)))
        call.runsFresh(call.input)
    }
    for (const file of call.values('f')) call.runsFile(file, (content) => judgeCode(call, 'awk', content))
    const read = files.filter((file) => !/^\w+=/.test(textOf(file)))
    const output = filtered(call.shows(read, call.reads))
    return { ...output, from: output.from | origin.unread }
  }),
  ...tools`sed gsed: e,expression= f,file= i,in-place l= help! version!`((call) => {
    const scripts = call.values('e')
    const isGiven = scripts.length > 0 || call.has('f')
    const files = isGiven ? call.operands : call.operands.slice(1)
    const given = isGiven ? scripts : call.operands.slice(0, 1)
    for (const { texts } of [...given, ...call.values('f').map(call.contentOf)])
      for (const text of texts.slice(0, 4)) {
        // The command `e`, and the flag of the same name, start a shell. `w` writes a file.
        call.runsLines(text, /(?:^|[;{\d$/!])[ \t]*e[ \t]+(.+)/gm)
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
    return filtered(call.shows(files, call.reads))
  }),
}
