import { readWords } from '../../reading/options.ts'
import { inQuotes } from '../../../../../shared/base/shell.ts'
import { type Call, type Programs, tools, withState } from '../../call.ts'
import {
  either,
  empty,
  joined,
  literal,
  mapped,
  open,
  textOf,
  textsOf,
  type Value,
} from '../../reading/value.ts'
import { movedTo } from '../../files.ts'
import { judgeCode } from './code.ts'

export const shellText = (call: Call, options: string): Value => {
  for (const text of call.values(options)) call.runsText(text)
  return open()
}

/** What one line tells an editor such as vim, ed or emacs. */
const editorOrder = (call: Call, text: string, files: readonly Value[]): void => {
  call.machine.step()
  const order = text.replace(/^\+?:?(?:silent!?\s+)?(?:\d+|[%$.,]){0,9}\s*/, '')
  const [, program] = /^(?:!|r(?:ead)?\s*!|w(?:rite)?\s+!|te\w*\s+)(.*)$/s.exec(order) ?? []
  if (program !== undefined) {
    call.runsShell(literal(program))
    return
  }
  call.runsLines(order, /(?:shell-command|system|call-process)\S{0,20}\s{0,9}\(?\s{0,9}["']([^"']+)/g)
  const [, verb = '', name = ''] = /^(wq?|x|r|sav|up|e)(?:[a-z]*)!?(?:\s+(?!!)(\S.*))?$/.exec(order) ?? []
  if (/^[re]$/.test(verb)) {
    if (name !== '') call.readsKey(literal(name))
  } else if (verb !== '') for (const file of name === '' ? files : [literal(name)]) call.writes(file, open())
}

const makefiles = ['Makefile', 'makefile', 'GNUmakefile', 'justfile', 'Taskfile.yml'].map(literal)

/** Commands of tmux that start a program or type into one. */
const tmuxStart = /^(?:new|split|run|respawn|send)(?:-\w+|[wp])?$|^(?:if-shell|pipe-pane|(?:display-)?popup)$/

/** A line of a recipe, indented or behind the name of its target, and what `$(shell …)` starts. */
const recipeLine = /^(?:[\t ]+(?:- )?|[\w.-]+:[^\n;]*;)\s*[@+-]*(.+)$|\$\(shell ([^)]{0,400})\)/gm

/** Programs that have lines of a shell among their words or in a file. */
export const lineTools: Programs = {
  ...tools`script: c=,command= t= O= I= B= T=`((call) =>
    call.values('c').length > 0 ? shellText(call, 'c') : call.runs(call.operands.slice(1)),
  ),
  ...tools`nix-shell nix devbox flox guix: c= run=,command= p= packages= A=`((call) => {
    const address = textsOf(call.operands).find((text) => /^(?:git\+)?https?:/.test(text))
    if (address !== undefined) call.find('remote-exec', 'installsUnknown', address)
    return shellText(call, 'run c')
  }),
  ...tools`tmux`((call) => {
    for (const word of call.words.slice(1)) if (/\s/.test(textOf(word))) call.runsShell(word)
    const at = call.words.findIndex((word) => tmuxStart.test(textOf(word)))
    if (at >= 0) {
      const { operands } = readWords(
        call.words.slice(at + 1),
        '+s= n= t= c= x= y= F= d e= l= p= b h v f P A D E X L= N= R',
      )
      const keys = operands.filter((word) => !/^(?:Enter|C-m|KPEnter)$/.test(textOf(word)))
      if (keys.length > 1) call.runs(keys)
      if (keys.length > 0) call.runsShell(joined(keys, ' '))
    }
    return open()
  }),
  ...tools`screen: +S= c= h= p= t= s= r=`((call) => {
    const words = call.text(0) === 'stuff' ? call.operands.slice(1) : call.operands
    if (!call.has('X')) return call.runs(words)
    for (const word of words)
      call.runsShell(mapped({ ...word, from: 0 }, (text) => text.replace(/\\n|\^M|\n$/g, '')))
    return open()
  }),
  ...tools`at batch: f= t= q=`((call) => {
    if (call.has('l', 'c') || call.name === 'atq') return empty
    call.find('persistence', 'startsLater', 'at')
    return call.runsText(call.input)
  }),
  ...tools`ansible ansible-console salt fab: m=,module-name= a=,args= i= u= l= e= f= H=`((call) => {
    for (const text of call.values('a')) {
      call.runsShell(mapped({ ...text, from: 0 }, (one) => one.replace(/^cmd=/, '')))
      if (/\bstate=absent\b/.test(textOf(text))) call.find('destroy', 'deletesUnknown', textOf(text))
    }
    for (const operand of call.operands.slice(1)) if (/\s/.test(textOf(operand))) call.runsShell(operand)
    return open()
  }),
  ...tools`expect: +c= f=`((call) => {
    for (const text of textsOf(call.values('c')))
      for (const line of [text, ...text.split(/[;\n]/)]) {
        const [, verb, inner = ''] = /\b(spawn|exec|send)\s+(?:--\s+)?(.+)$/s.exec(line) ?? []
        // Braces keep a text as it is. Outside of them, `\r` ends a line.
        const own = inner.replaceAll(/\{(.*)\}|\\[rn]/gs, (_, group?: string) =>
          group === undefined ? '\n' : inQuotes(group),
        )
        const typed = verb === 'send' ? own.replace(/^(["'])(.*)\1$/s, '$2') : own
        if (typed !== '') call.runsShell(literal(typed))
      }
    return open()
  }),
  ...tools`gdb lldb: ex= eval-command= iex= x= o= batch p= args`((call) => {
    for (const text of textsOf(call.values('ex eval-command iex o'))) {
      const [, line, code] =
        /^(?:(?:platform )?(?:shell|!)\s*(.*)|(?:python|script|pi)\s+(.*))$/s.exec(text) ?? []
      if (line !== undefined) call.runsShell(literal(line))
      if (code !== undefined) judgeCode(call, 'python', literal(code))
    }
    if (call.has('args')) call.runs(call.operands)
  }),
  ...tools`vim vi nvim ex view emacs less more man nano ed psftp:
    +c= cmd= e= S= u= eval= P= f= batch`((call) => {
    for (const text of call.values('P')) call.runsShell(text)
    const isOrder = (word: Value): boolean => textOf(word).startsWith('+')
    const files = call.operands.filter((operand) => !isOrder(operand))
    if (!/^(?:man|less|more)$/.test(call.name))
      for (const order of [...call.values('c cmd eval'), ...call.operands.filter(isOrder), call.input])
        for (const text of order.texts.slice(0, 4))
          for (const line of text.split('\n')) editorOrder(call, line, files)
    if (call.name === 'man') return open()
    return either([open(), ...files.map(call.readsKey)])
  }),
  ...tools`make gmake ninja just task:
    f=,file=,makefile=,justfile=,taskfile= C=,directory= j= eval= I= o= W= E=`((call) => {
    const folders = call.values('C')
    const own = folders.length === 0 ? call : withState(call, folders.reduce(movedTo, call.state))
    const named = call.values('f')
    const files = (named.length === 0 ? makefiles : named).map((name) =>
      textOf(name) === '-' ? call.input : own.contentOf(name),
    )
    const included = files.flatMap(({ texts }) =>
      texts.flatMap((text) =>
        [...text.matchAll(/^-?include\s+(\S+)/gm)].map(([, name = '']) => {
          call.machine.step(5)
          return own.contentOf(literal(name))
        }),
      ),
    )
    for (const content of [...call.values('eval'), ...files, ...included]) {
      call.runsFresh(content)
      for (const text of content.texts)
        for (const [, recipe, line = recipe ?? ''] of text.replaceAll(/\\\n\t?/g, ' ').matchAll(recipeLine))
          own.runsShell(literal(line.replaceAll('$$', () => '$')))
    }
    for (const text of textsOf(call.operands)) call.runsLines(text, /^SHELL=(.*)/g)
  }),
  ...tools`crontab: u= T=`((call) => {
    if (call.has('r')) call.find('destroy', 'stopsService', 'crontab')
    else if (!call.has('l', 'T')) {
      const content = call.shows(call.operands.slice(0, 1), call.contentOf)
      call.find('persistence', 'startsLater', 'crontab')
      for (const text of content.texts) call.runsLines(text, /^\s*(?:@\w+|(?:\S+\s+){5})(.+)$/gm)
    }
  }),
  ...tools`concurrently npm-run-all run-p run-s nodemon onchange chokidar watchexec cargo-watch:
    +x= exec= e= w= n= c= s= i= p=`((call) => {
    for (const text of call.values('x exec c s')) call.runsShell(text)
    for (const operand of call.operands) if (/\s/.test(textOf(operand))) call.runsShell(operand)
    return call.name === 'watchexec' ? call.runs(call.operands) : undefined
  }),
}
