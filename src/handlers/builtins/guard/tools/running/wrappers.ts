import { type Act, type Call, type Programs, tools, wholeOf, withState } from '../../call.ts'
import {
  CUT,
  eachOr,
  empty,
  filled,
  isOpen,
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
import { shellText } from './lines.ts'
import { placeOf } from '../inert.ts'
import { forked } from '../../machine.ts'
import { judgeSetting } from '../../reading/variables.ts'
import { movedTo } from '../../files.ts'

/** Starts the words behind its options, and behind so many words of its own. */
const starts =
  (skip = 0): Act =>
  (call) =>
    call.runs(call.operands.slice(skip))

const assignment = /^-$|^([A-Za-z_][\w.%()-]*)=(.*)/s

/** `env` and `sudo` set variables before the program. */
const withVariables = (call: Call): Value => {
  const words = [...call.operands]
  const state = forked(call.state)
  let isEmpty = call.has('i')
  for (let found = assignment.exec(textOf(words[0])); found; found = assignment.exec(textOf(words[0]))) {
    words.shift()
    const [, name, value = ''] = found
    if (name === undefined) isEmpty = true
    else {
      state.variables.set(name, literal(value))
      judgeSetting(state, name, literal(value))
    }
  }
  const [folder] = call.values('C D')
  if (folder !== undefined) state.folder = movedTo(call.state, folder).folder
  const [line] = call.values('S')
  const rest = textsOf(words).join(' ')
  if (line !== undefined)
    return call.runsShell(
      mapped({ ...line, from: 0 }, (one) => `env ${one} ${rest}`),
      state,
    )
  if (words.length === 0) return call.name === 'env' && !isEmpty ? open(origin.environment) : empty
  return withState(call, state).runs(words)
}

const shellName = /^(?:\S*\/)?(?:(?:ba|z|da|k|a|fi)?sh|su)$/

const maxAdded = 64

/** Words that a program reads from its input, and adds to each start. */
const added = (call: Call): readonly Value[] => {
  const isByLine = call.name === 'parallel' || call.has('I', 'i', 'J', 'L')
  const input = call.shows(call.name === 'parallel' ? [] : call.values('a'))
  const from = input.from | origin.list
  // It reads one of these texts.
  const lists = input.texts.map((text) => {
    const texts =
      text === OPEN ? [OPEN] : text.split(isByLine ? /[\n\0]+/ : /[\s\0]+/).filter((piece) => piece !== '')
    if (texts.length > maxAdded) texts.splice(maxAdded, texts.length, CUT)
    return texts.map((text): Value => ({ texts: [text], from: isOpen(text) ? from : input.from }))
  })
  const words = lists.reduce<readonly Value[]>(eachOr, [])
  return words.length === 0 ? [open(from)] : words
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

/** Programs that start another one, once or for each word of a list. */
export const wrapperTools: Programs = {
  // These have options of their own, most of them without a value.
  ...tools`command builtin: +`((call) => {
    const output = call.runs(call.operands)
    return call.has('v', 'V') ? placeOf(call) : output
  }),
  ...tools`exec: +a=`(starts()),
  ...tools`time gtime: +f=,format= o=,output=`(starts()),
  ...tools`caffeinate: +t= w=`(starts()),
  ...tools`systemd-inhibit: +what= who= why= mode=`(starts()),
  ...tools`setpriv capsh: +reuid= regid= groups= inh-caps= bounding-set= user= ambient-caps=`(starts()),
  ...tools`proxychains proxychains4: +f=`(starts()),
  ...tools`pdsh clush: +w= g= x= l= f= u= t=`(starts()),
  ...tools`nohup setsid eatmydata catchsegv torsocks torify tsocks fakeroot chronic ifne unbuffer rlwrap
    dbus-run-session noglob nocorrect nocache please winpty wine arch linux32 linux64 setarch trickle
    primusrun optirun coproc firejail valgrind busybox toybox entr -:
    +`(starts()),
  ...tools`nice gnice: +n=,adjustment=`(starts()),
  ...tools`ionice chrt: +c=,class= n=,classdata= p= T= P= D=`(starts()),
  ...tools`timeout gtimeout: +k=,kill-after= s=,signal=`(starts(1)),
  ...tools`stdbuf: +i=,input= o=,output= e=,error=`(starts()),
  ...tools`strace ltrace: +o= e= p= s= u= E= P= a= b= I= O= S= X= tt`(starts()),
  ...tools`taskset: +c,cpu-list`(starts(1)),
  ...tools`numactl: +m= N= C= p= i=`(starts()),
  ...tools`prlimit cpulimit: +l= p= n= v= c= m=`(starts()),
  ...tools`chroot proot fakechroot: +userspec= groups= r= b= w= R= S=`(starts(1)),
  // The first program is that of the machine, also out of a container.
  ...tools`nsenter: +t=,target= S= G= w= r= wd= root=`((call) => {
    if (call.values('t').some(({ texts }) => texts.includes('1')))
      call.find('privilege', 'leavesSandbox', 'nsenter')
    return call.runs(call.operands)
  }),
  ...tools`unshare bwrap runcon: +t= target= S= G= w= root= wd= mount= propagation= ro-bind= bind=`(starts()),
  ...tools`flock: +w= E=`((call) => {
    const words = call.operands.slice(1)
    return /^(?:-c|--command)$/.test(textOf(words[0])) ? call.runsShell(words[1] ?? empty) : call.runs(words)
  }),
  ...tools`gosu su-exec setuidgid chpst s6-setuidgid: +u= e= n=`(starts(1)),
  ...tools`systemd-run:
    +unit= p=,property= uid= gid= slice= E=,setenv= M= working-directory= on-calendar= on-active= on-boot=
    timer-property= description=`((call) => {
    if (call.has('on-calendar', 'on-active', 'on-boot')) call.find('persistence', 'startsLater', call.text(0))
    return call.runs(call.operands)
  }),
  ...tools`watch: +n=,interval= x,exec`((call) =>
    call.has('x') ? call.runs(call.operands) : call.runsShell(joined(call.operands, ' ')),
  ),
  ...tools`xvfb-run: +s= n= e= f= w= p=`(starts()),
  ...tools`dotenv dotenvx: +e= f= p=`(starts()),
  ...tools`perf: +e= o=`(starts(1)),
  ...tools`hyperfine: +w= r= p= prepare= n= S= c= cleanup= setup= export-json= m= M=`(starts()),
  ...tools`mise asdf rtx nodenv pyenv rbenv nvm fnm volta: +C=`(starts(1)),
  ...tools`direnv: +`(starts(2)),
  ...tools`repeat: +`(starts(1)),
  ...tools`env genv: +i,ignore-environment u=,unset= C=,chdir= S=,split-string= P=`(withVariables),
  ...tools`sudo doas pkexec:
    +u=,user= g=,group= h=,host= p=,prompt= C= D=,chdir= R=,chroot= r= t= T= U= e,edit a= c=`((call) => {
    if (call.has('e')) return empty
    const isShell = call.has('s', 'i')
    const { length } = call.operands
    if (length === 0 ? isShell : length === 1 && shellName.test(call.text(0)))
      call.find('privilege', 'getsRights', 'root')
    return isShell ? call.runsShell(joined(call.operands, ' ')) : withVariables(call)
  }),
  ...tools`su runuser: c=,command= s=,shell= g= G= w= u=`((call) => {
    if (call.values('c').length > 0) return shellText(call, 'c')
    if (call.has('u')) return call.runs(call.operands)
    if (call.input === empty) call.find('privilege', 'getsRights', call.text(0).replace(/^-?$/, 'root'))
    else call.runsText(call.input)
    return open()
  }),
  ...tools`ip`((call) => {
    const line = call.line()
    if (/\blink set .*\bdown\b|\b(?:addr\w*|link|route|rule|neigh\w*) (?:del|flush)/.test(line))
      call.find('destroy', 'stopsService', wholeOf(call))
    const at = call.texts.indexOf('exec')
    return at >= 0 ? call.runs(call.words.slice(at + 2)) : open()
  }),
  ...tools`npx pnpx bunx yarn-dlx uvx: +p=,package= c=,call= from= w=`((call) => {
    for (const text of call.values('c')) call.runsShell(text)
    const sources = [call.text(0), ...textsOf(call.values('from p'))]
    if (sources.some((text) => /^(?:https?:|git\+|github:|git@)/.test(text)))
      call.find('remote-exec', 'installsUnknown', call.text(0))
    else call.runs(call.operands)
  }),
  ...tools`xargs gxargs:
    +a=,arg-file= d=,delimiter= E= e?,eof? I= i?,replace? J= L= l?,max-lines? n=,max-args= P=,max-procs= R=
    r,no-run-if-empty s=,max-chars= S= process-slot-var=`(xargs),
  ...tools`parallel sem rush:
    +j=,jobs= a=,arg-file= C=,colsep= d= S=,sshlogin= results= joblog= delay= timeout= retries= halt=
    tmpdir= N= n= L= I= P=`(parallel),
}
