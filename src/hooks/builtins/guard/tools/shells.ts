import { type Call, type Tools, tools } from '../call.ts'
import { pathsOf } from '../files.ts'
import { quoted } from '../run.ts'
import { judgeSetting, setVariable } from '../walk.ts'
import { either, empty, isOpen, joined, literal, OPEN, open, origin, type Value, valueOf } from '../value.ts'
import { judgeCode } from './code.ts'
import { readsWords } from './reads-words.ts'
import { reads, writes } from './files.ts'

const fresh = origin.network | origin.decoded

/** Finds what is run without that anybody could read it before. */
export const runsFresh = ({ machine }: Call, content: Value): boolean => {
  if ((content.from & fresh) === 0) return false
  machine.find('remote-exec', (content.from & origin.network) !== 0 ? 'runsDownload' : 'runsDecoded')
  return true
}

/** Runs a text of a shell that can come from somewhere else. */
export const runsText = (call: Call, text: Value, change: Parameters<Call['runsShell']>[1] = {}): Value => {
  runsFresh(call, text)
  const known = text.texts.filter((one) => one !== OPEN)
  if (known.length === 0 && (text.from & origin.list) !== 0) call.machine.find('remote-exec', 'runsUnknown')
  return known.length === 0 ? open(text.from & ~fresh) : call.runsShell({ ...text, texts: known }, change)
}

/** The file that a program runs. What the line wrote into it is known. */
export const runsFile = (
  call: Call,
  name: Value,
  run: (content: Value) => Value | undefined,
): Value | undefined => {
  const content = reads(call, name, true)
  if (runsFresh(call, content)) return undefined
  const known = content.texts.filter((one) => one !== OPEN)
  return known.length === 0 ? undefined : run({ ...content, texts: known })
}

const shellOptions =
  '+c o= O= l,login i s n e u x v a f h k m p t r rcfile= init-file= norc noprofile posix help version'

const shell = (call: Call): Value | undefined => {
  if (call.has('help', 'version', 'n') && !call.words.some(({ texts }) => texts.includes('+n'))) return empty
  const operands = call.operands.filter(
    ({ texts }) => !/^[+-][a-zA-Z]$/.test(texts[0] ?? '') || texts[0] === '-',
  )
  const [first, ...rest] = operands
  if (call.has('c')) {
    if (first === undefined) return empty
    return runsText(call, first, { words: rest.slice(1) })
  }
  if (first !== undefined && !call.has('s') && !['-', '/dev/stdin'].includes(first.texts[0] ?? ''))
    return runsFile(call, first, (content) => runsText(call, content, { words: rest })) ?? open()
  return runsText(call, call.input, { words: rest })
}

/** The code of another language: on the line, in a file, or as the input. */
const interpreter =
  (language: string, code: string, inert = '') =>
  (call: Call): Value | undefined => {
    if (call.has('version', 'help', ...inert.split(' ').filter((one) => one !== ''))) return undefined
    const given = code.split(' ').flatMap((option) => call.values(option))
    for (const text of given) {
      runsFresh(call, text)
      judgeCode(call, language, text)
    }
    if (given.length > 0) {
      // What the code reads of its input is data. Perl reads files line by line.
      if (language === 'perl' || language === 'ruby') for (const file of call.operands) reads(call, file)
      return open(call.input.from)
    }
    const [first] = call.operands
    if (first === undefined || ['-', '/dev/stdin'].includes(first.texts[0] ?? '')) {
      runsFresh(call, call.input)
      judgeCode(call, language, call.input)
      return open()
    }
    // A script of a framework, such as `python manage.py flush`.
    const [script = ''] = first.texts
    const known = /^(?:manage\.py|artisan)$/.exec(script.replace(/^.*\//s, ''))
    if (known !== null) return call.runs([literal(known[0]), ...call.operands.slice(1)])
    runsFile(call, first, (content) => {
      judgeCode(call, language, content)
      return undefined
    })
    return open()
  }

const evaluate = (call: Call): Value =>
  runsText({ ...call, runsShell: call.runsShell }, joined(call.operands, ' '))

/** `eval` and `source` change the shell that runs them. */
const inSameShell = (call: Call, text: Value): Value => {
  runsFresh(call, text)
  const known = text.texts.filter((one) => one !== OPEN)
  if (known.length === 0 && (text.from & origin.list) !== 0) call.machine.find('remote-exec', 'runsUnknown')
  if (known.length === 0) return open()
  return either(known.slice(0, 4).map((one) => call.inShell(one)))
}

export const shellTools: Tools = {
  ...tools('sh bash dash zsh ksh ksh93 mksh ash yash rbash posh bash5 oksh', shellOptions, shell),
  ...tools('fish nu elvish xonsh csh tcsh rc', '+c,command= l i n N C= e=', (call) => {
    const [text] = call.values('c')
    if (text !== undefined) return runsText(call, text)
    if (call.operands.length === 0) runsFresh(call, call.input)
    else if (call.operands[0] !== undefined) runsFile(call, call.operands[0], () => undefined)
    return open()
  }),
  ...tools('powershell pwsh', '', (call) => {
    const texts = call.words.map(({ texts: [text = ''] }) => text)
    const encoded = texts.find((text) => /^[-/]e(?:n?c?|ncod\w*)$/i.test(text))
    if (encoded !== undefined) call.machine.find('remote-exec', 'runsDecoded')
    const given = texts.findIndex((text) => /^[-/]c(?:o\w*)?$/i.test(text))
    const file = texts.findIndex((text) => /^[-/]f(?:i\w*)?$/i.test(text))
    if (given >= 0) judgePowerShell(call, texts.slice(given + 1).join(' '))
    else {
      const name = call.words[file >= 0 ? file + 1 : texts.findIndex((text) => !/^[-/]/.test(text))]
      if (name === undefined) runsFresh(call, call.input)
      else runsFile(call, name, () => undefined)
    }
    return open()
  }),
  ...tools('cmd cmd.exe', '', (call) => {
    judgePowerShell(call, call.words.map(({ texts: [text = ''] }) => text).join(' '))
  }),
  ...tools('eval', '+', (call) => inSameShell(call, joined(call.operands, ' '))),
  ...tools('source .', '+', (call) => {
    const [name] = call.operands
    if (name === undefined) return undefined
    const content = reads(call, name, true)
    if (name.texts.includes('/dev/stdin')) return inSameShell(call, call.input)
    if (name.texts.some((text) => /^\/dev\/fd\//.test(text))) return inSameShell(call, stream(call, name))
    if (runsFresh(call, content)) return undefined
    const known = content.texts.filter((text) => text !== OPEN)
    if (known.length > 0) return inSameShell(call, { ...content, texts: known })
    // A file that nobody knows can set each variable anew.
    for (const [key, value] of call.state.variables)
      call.state.variables.set(key, either([value, open(value.from)]))
    return undefined
  }),
  ...tools(
    'python python2 python3 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3 ipython micropython',
    '+c= m= V,version W= X= u i I E s S B O b v h,help',
    (call) => {
      const [module] = call.values('m')
      if (module !== undefined) return pythonModule(call, module)
      return interpreter('python', 'c')(call)
    },
  ),
  ...tools(
    'node nodejs',
    '+e,eval= p,print= r,require= v,version c,check i input-type= import= loader= h,help',
    interpreter('node', 'e p', 'c'),
  ),
  ...tools('deno', '', (call) => {
    const [verb = ''] = call.operands[0]?.texts ?? []
    const [, second] = call.operands
    if (verb === 'eval' && second !== undefined) judgeCode(call, 'node', second)
    else if (verb === 'run' && call.operands.some(({ texts }) => /^https?:/.test(texts[0] ?? '')))
      call.machine.find('remote-exec', 'runsDownload')
    else if (verb === 'run' && second?.texts[0] === '-') runsFresh(call, call.input)
  }),
  ...tools('bun tsx ts-node', '+e,eval= p,print=', (call) => {
    const [verb = ''] = call.operands[0]?.texts ?? []
    if (call.name === 'bun' && /^(?:run|test|install|add|x|build|create|remove|update|pm)$/.test(verb))
      return undefined
    return interpreter('node', 'e p')(call)
  }),
  ...tools(
    'perl perl5',
    '+e= E= i n p w s M= m= I= c v,version l a F= 0 T h,help',
    interpreter('perl', 'e E', 'c v'),
  ),
  ...tools('ruby', '+e= r= I= w n p i c v,version l a F= h,help', interpreter('ruby', 'e', 'c')),
  ...tools('php', '+r= B= E= R= f= d= c= l m i v,version h,help', (call) => {
    const [file] = call.values('f')
    if (file !== undefined) runsFile(call, file, () => undefined)
    return interpreter('php', 'r B E R', 'l m i')(call)
  }),
  ...tools(
    'lua luajit tclsh Rscript julia osascript groovy scala elixir erl ghci swift kotlin jshell racket guile sbcl octave gawk-code',
    '+e= E= l= f= i v',
    interpreter('other', 'e E'),
  ),
  ...tools('awk gawk mawk nawk', '+f,file= F= v= e=,source= i=', (call) => {
    const program = call.has('f') ? undefined : call.operands[0]
    const files = call.has('f') ? call.operands : call.operands.slice(1)
    for (const text of [...(program === undefined ? [] : [program]), ...call.values('e')])
      judgeCode(call, 'awk', text)
    for (const text of call.values('f')) runsFile(call, text, () => undefined)
    const contents = files
      .filter((file) => !/^\w+=/.test(file.texts[0] ?? ''))
      .map((file) => reads(call, file))
    return open(contents.reduce((bits, { from }) => bits | from, contents.length === 0 ? call.input.from : 0))
  }),
  ...tools('sed gsed', 'e,expression= f,file= i,in-place n E r s z u l= help version', (call) => {
    if (call.has('help', 'version')) return undefined
    const scripts = call.values('e')
    const files = scripts.length > 0 || call.has('f') ? call.operands : call.operands.slice(1)
    const [script] = scripts.length > 0 ? scripts : call.operands
    const [text = ''] = script?.texts ?? []
    // The command `e`, and the flag of the same name, start a shell.
    const [, started = ''] = /(?:^|[;{\d$])\s*e\s+(.+)/.exec(text) ?? []
    if (started !== '') call.runsShell(literal(started))
    const [, , replaced = ''] = /s(.)[^\n]*?\1([^\n]*?)\1[a-z\d]*e/.exec(text) ?? []
    if (replaced !== '') call.runsShell(literal(replaced))
    const [, target = ''] = /(?:^|[;{\d$/])\s*w\s+(\S+)/.exec(text) ?? []
    if (target !== '') writes(call, literal(target), open())
    if (call.has('i')) {
      for (const file of files) writes(call, file, open(), true)
      return empty
    }
    const contents = files.map((file) => reads(call, file))
    return contents.length === 0
      ? open(call.input.from)
      : open(contents.reduce((bits, { from }) => bits | from, 0))
  }),
  ...tools('export declare typeset local readonly', '+n p x r a A i l u g f', (call) => {
    const { state } = call
    if (call.operands.length === 0) return open(origin.environment)
    for (const word of call.operands)
      for (const text of word.texts.slice(0, 1)) {
        const [start, name = ''] = /^([A-Za-z_]\w*)\+?=/.exec(text) ?? []
        if (start === undefined) continue
        const value = valueOf(
          word.texts.map((one) => one.slice(start.length)),
          word.from,
        )
        if (call.has('n')) {
          // Another name for a variable: what is set by one name holds for both.
          state.aliases.set(`$${name}`, value.texts[0] ?? '')
        }
        setVariable(state, name, value, start.endsWith('+='))
        if (call.name === 'export') judgeSetting(call.machine, state, name, value)
      }
  }),
  ...tools('unset', '+f v n', (call) => {
    if (call.operands.some(({ texts }) => texts.includes('HISTFILE')))
      call.machine.find('privilege', 'dropsProtection', 'HISTFILE')
    for (const { texts } of call.operands) for (const text of texts) call.state.variables.delete(text)
  }),
  ...tools('set', '+', (call) => {
    if (call.words.length === 0) return open(origin.environment)
    if (call.operands.length > 0) call.state.words = call.operands
  }),
  ...tools('shift', '+', (call) => {
    call.state.words = call.state.words.slice(1)
  }),
  ...tools('alias', '+', (call) => {
    for (const { texts } of call.operands)
      for (const text of texts) {
        const cut = text.indexOf('=')
        if (cut > 0) call.state.aliases.set(text.slice(0, cut), text.slice(cut + 1))
      }
  }),
  ...tools('cd pushd chdir', '+L P e q', (call) => {
    const [to] = call.operands
    const { state } = call
    const target = to === undefined ? literal('~') : to.texts[0] === '-' ? open() : to
    const moved = valueOf(pathsOf(target, state))
    state.folder = state.isCertain ? moved : either([state.folder, moved])
  }),
  ...tools('popd', '', (call) => {
    call.state.folder = open()
  }),
  ...tools('read', '+r s p= d= n= N= t= u= a= e i=', (call) => {
    const [stream0] = call.values('u')
    const content = stream0 === undefined ? call.input : stream(call, stream0)
    if (call.input === empty && stream0 === undefined) {
      for (const name of call.operands)
        setVariable(call.state, call.text(call.operands.indexOf(name)), open(origin.list))
      return
    }
    const lines = valueOf(
      content.texts.map((text) => text.replace(/\n.*/s, '')),
      content.from,
    )
    const [array] = call.values('a')
    const names = array === undefined ? call.operands : [array]
    if (names.length === 0) setVariable(call.state, 'REPLY', lines)
    names.forEach((name, index) => {
      const [text = ''] = name.texts
      const word =
        names.length === 1
          ? lines
          : valueOf(
              lines.texts.map((line) => (line === OPEN ? OPEN : (line.split(/\s+/)[index] ?? ''))),
              content.from,
            )
      if (/^\w+$/.test(text))
        setVariable(call.state, text, word === empty || word.texts[0] === '' ? open(content.from) : word)
    })
  }),
  ...tools('mapfile readarray', '+d= n= O= s= t u= C= c=', (call) => {
    for (const text of call.values('C')) call.runsShell(text)
    const [stream0] = call.values('u')
    const content = stream0 === undefined ? call.input : stream(call, stream0)
    setVariable(
      call.state,
      call.text(0) || 'MAPFILE',
      valueOf(
        content.texts.map((text) => text.replace(/\n.*/s, '')),
        content.from,
      ),
    )
  }),
  ...tools('printf', '+v=', (call) => {
    const [format, ...args] = call.operands
    const value = format === undefined ? empty : printed(format, args)
    const [name] = call.values('v')
    if (name === undefined) return value
    setVariable(call.state, name.texts[0] ?? '', value)
    return empty
  }),
  ...tools('echo print', '', ({ words }) => {
    const first = words.findIndex(({ texts }) => !/^-[neE]+$/.test(texts[0] ?? ''))
    const letters = words
      .slice(0, Math.max(0, first))
      .map(({ texts: [text = ''] }) => text)
      .join('')
    const value = joined(first < 0 ? [] : words.slice(first), ' ')
    const texts = letters.includes('e') ? value.texts.map(unescaped) : value.texts
    return { texts: texts.map((text) => (letters.includes('n') ? text : `${text}\n`)), from: value.from }
  }),
  ...tools('trap', '+l p', (call) => {
    const [text] = call.operands
    if (text !== undefined && !/^-$|^\d+$/.test(text.texts[0] ?? '')) call.runsShell(text)
  }),
  ...tools('hash', '+p= r d t', (call) => {
    const [file] = call.values('p')
    if (file !== undefined) call.state.aliases.set(call.text(0), quoted(file.texts[0] ?? ''))
  }),
  ...tools('bind complete compgen', '+x= C= F= W=', (call) => {
    for (const text of [...call.values('x'), ...call.values('C')]) call.runsShell(text)
  }),
}

const stream = ({ state }: Call, name: Value): Value =>
  either(
    name.texts.map(
      (text) =>
        state.streams.get(text.replace(/^\/dev\/fd\//, ''))?.content ??
        state.files.get(text)?.content ??
        open(),
    ),
  )

/** The text with the escapes that `echo -e` and `printf` read. */
export const unescaped = (text: string): string =>
  text.replaceAll(
    /\\(?:x([\da-f]{1,2})|u([\da-f]{1,4})|0?([0-7]{1,3})|([abefnrtv\\"']))/gi,
    (all, hex?: string, unicode?: string, octal?: string, letter?: string) => {
      const code = hex ?? unicode
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16))
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8))
      return { n: '\n', t: '\t', r: '\r', '\\': '\\', '"': '"', "'": "'" }[letter ?? ''] ?? all.slice(0, 0)
    },
  )

const maxPrintedWords = 64

const printed = (format: Value, args: readonly Value[]): Value => {
  let value = empty
  const rest = args.slice(0, maxPrintedWords)
  const [text = ''] = format.texts
  if (text.length > 4096) return open(format.from)
  do {
    for (const piece of unescaped(text).split(/(%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z%])/)) {
      const [letter] = /^%.*([a-zA-Z%])$/s.exec(piece)?.slice(1) ?? []
      if (letter === undefined) value = joined([value, literal(piece)])
      else if (letter === '%') value = joined([value, literal('%')])
      else {
        const arg = rest.shift() ?? empty
        value = joined([value, letter === 'b' ? valueOf(arg.texts.map(unescaped), arg.from) : arg])
      }
    }
  } while (rest.length > 0 && /%[^%]/.test(text))
  return { ...value, from: value.from | format.from }
}

const pythonModule = (call: Call, module: Value): Value | undefined => {
  const [name = ''] = module.texts
  if (name === 'pip') return call.runs([literal('pip'), ...call.operands])
  readsWords(call)
  if (name === 'base64' && call.words.some(({ texts }) => texts.includes('-d'))) return open(origin.decoded)
  return undefined
}

/** PowerShell and cmd are not read by a grammar here: words that destroy or load are asked about. */
export const judgePowerShell = (call: Call, text: string): void => {
  const { machine } = call
  if (/\b(?:iex|invoke-expression)\b|downloadstring|frombase64string/i.test(text))
    machine.find('remote-exec', /frombase64/i.test(text) ? 'runsDecoded' : 'runsDownload')
  else if (
    /\b(?:remove-item|ri|rd|rmdir|del|erase|format(?:-volume)?|clear-(?:content|disk|item)|remove-\w+|stop-computer|diskpart|cipher\s+\/w|vssadmin)\b/i.test(
      text,
    )
  )
    machine.find('destroy', 'otherShell', text)
  else if (
    /\b(?:set-executionpolicy|add-localgroupmember|set-mppreference|schtasks|new-service|register-scheduledtask|reg\s+add|net\s+user)\b/i.test(
      text,
    )
  )
    machine.find('privilege', 'otherShell', text)
}

export { isOpen, evaluate }
