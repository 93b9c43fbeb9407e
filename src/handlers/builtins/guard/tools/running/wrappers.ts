import { shellText } from './lines.ts'
import { placeOf } from '../inert.ts'
import { type Call, type Programs, tools, withState } from '../../call.ts'
import { forked } from '../../machine.ts'
import { judgeSetting } from '../../reading/variables.ts'
import { movedTo } from '../../files.ts'
import {
  empty,
  joined,
  literal,
  OPEN,
  open,
  textOf,
  textsOf,
  type Value,
  valueOf,
} from '../../reading/value.ts'

/** A program that starts the words behind its options, and behind `skip` words of its own. */
const wrapper = (names: string, options: string, skip = 0): Programs =>
  tools(names, `+${options}`, (call) => call.runs(call.operands.slice(skip)))

const isAssignment = ({ texts }: Value): boolean => /^[A-Za-z_][\w.%()-]*=/.test(texts[0] ?? '')

/** `env` and `sudo` set variables before the program. */
const withVariables = (call: Call): Value => {
  const words = [...call.operands]
  const state = forked(call.state)
  let isEmpty = call.has('i')
  while (words[0] !== undefined && (isAssignment(words[0]) || words[0].texts[0] === '-')) {
    const [word] = words.splice(0, 1)
    const text = textOf(word)
    if (text === '-') isEmpty = true
    else {
      const [name, value] = [text.replace(/=.*/s, ''), literal(text.slice(text.indexOf('=') + 1))]
      state.variables.set(name, value)
      judgeSetting(call.machine, state, name, value)
    }
  }
  const [folder] = call.values('C').length > 0 ? call.values('C') : call.values('D')
  if (folder !== undefined) state.folder = movedTo(call.state, folder).folder
  for (const text of call.values('S')) {
    const rest = textsOf(words).join(' ')
    return call.runsShell(valueOf(text.texts.map((one) => `env ${one} ${rest}`)), state)
  }
  if (words.length === 0) return call.name === 'env' && !isEmpty ? { texts: [OPEN], from: 16 } : empty
  return withState(call, state).runs(words)
}

const shellName = /^(?:\S*\/)?(?:(?:ba|z|da|k|a|fi)?sh|su)$/

export const wrapperTools: Programs = {
  // These have options of their own, most of them without a value.
  ...tools('command builtin', '+', (call) => {
    const output = call.runs(call.operands)
    return call.has('v', 'V') ? placeOf(call) : output
  }),
  ...wrapper('exec', 'a='),
  ...wrapper('time gtime', 'f=,format= o=,output='),
  ...wrapper('caffeinate', 't= w='),
  ...wrapper('systemd-inhibit', 'what= who= why= mode='),
  ...wrapper('setpriv capsh', 'reuid= regid= groups= inh-caps= bounding-set= user= ambient-caps='),
  ...wrapper('proxychains proxychains4', 'f='),
  ...wrapper('firejail', ''),
  ...wrapper('pdsh clush', 'w= g= x= l= f= u= t='),
  ...wrapper(
    'nohup setsid eatmydata catchsegv torsocks torify tsocks fakeroot chronic ifne unbuffer rlwrap ' +
      'dbus-run-session noglob nocorrect nocache please winpty wine arch linux32 linux64 setarch trickle ' +
      'primusrun optirun coproc',
    '',
  ),
  ...wrapper('nice gnice', 'n=,adjustment='),
  ...wrapper('ionice chrt', 'c=,class= n=,classdata= p= T= P= D='),
  ...wrapper('timeout gtimeout', 'k=,kill-after= s=,signal=', 1),
  ...wrapper('stdbuf', 'i=,input= o=,output= e=,error='),
  ...wrapper('strace ltrace', 'o= e= p= s= u= E= P= a= b= I= O= S= X= tt'),
  ...wrapper('valgrind', ''),
  ...tools('taskset', '+c,cpu-list', (call) => call.runs(call.operands.slice(1))),
  ...wrapper('numactl', 'm= N= C= p= i='),
  ...wrapper('prlimit cpulimit', 'l= p= n= v= c= m='),
  ...wrapper('chroot proot fakechroot', 'userspec= groups= r= b= w= R= S=', 1),
  // The first program is that of the machine, also out of a container.
  ...tools('nsenter', '+t=,target= S= G= w= r= wd= root=', (call) => {
    if (call.values('t').some(({ texts }) => texts.includes('1')))
      call.find('privilege', 'leavesSandbox', 'nsenter')
    return call.runs(call.operands)
  }),
  ...wrapper('unshare bwrap runcon', 't= target= S= G= w= root= wd= mount= propagation= ro-bind= bind='),
  ...tools('flock', '+w= E=', (call) => {
    const words = call.operands.slice(1)
    return /^(?:-c|--command)$/.test(textOf(words[0])) ? call.runsShell(words[1] ?? empty) : call.runs(words)
  }),
  ...wrapper('gosu su-exec setuidgid chpst s6-setuidgid', 'u= e= n=', 1),
  ...tools(
    'systemd-run',
    '+unit= p=,property= uid= gid= slice= E=,setenv= M= working-directory= on-calendar= on-active= ' +
      'on-boot= timer-property= description=',
    (call) => {
      if (call.has('on-calendar', 'on-active', 'on-boot'))
        call.find('persistence', 'startsLater', call.text(0))
      return call.runs(call.operands)
    },
  ),
  ...wrapper('busybox toybox', ''),
  ...tools('watch', '+n=,interval= x,exec', (call) =>
    call.has('x') ? call.runs(call.operands) : call.runsShell(joined(call.operands, ' ')),
  ),
  ...wrapper('entr', ''),
  ...wrapper('xvfb-run', 's= n= e= f= w= p='),
  ...wrapper('dotenv dotenvx', 'e= f= p=', 0),
  ...wrapper('perf', 'e= o=', 1),
  ...wrapper('hyperfine', 'w= r= p= prepare= n= S= c= cleanup= setup= export-json= m= M='),
  ...wrapper('mise asdf rtx nodenv pyenv rbenv nvm fnm volta', 'C=', 1),
  ...wrapper('direnv', '', 2),
  ...wrapper('repeat', '', 1),
  ...tools('-', '+', (call) => call.runs(call.operands)),
  ...tools('env genv', '+i,ignore-environment u=,unset= C=,chdir= S=,split-string= P=', withVariables),
  ...tools(
    'sudo doas pkexec',
    '+u=,user= g=,group= h=,host= p=,prompt= C= D=,chdir= R=,chroot= r= t= T= U= e,edit a= c=',
    (call) => {
      if (call.has('e')) return empty
      const isBare =
        call.operands.length === 0 || (call.operands.length === 1 && shellName.test(call.text(0)))
      if (isBare && (call.operands.length > 0 || call.has('s', 'i')))
        call.find('privilege', 'getsRights', 'root')
      return call.has('s', 'i') ? call.runsShell(joined(call.operands, ' ')) : withVariables(call)
    },
  ),
  ...tools('su runuser', 'c=,command= s=,shell= g= G= w= u=', (call) => {
    if (call.values('c').length > 0) return shellText(call, 'c')
    const user = call.values('u')
    if (user.length > 0) return call.runs(call.operands)
    if (call.input === empty)
      call.find(
        'privilege',
        'getsRights',
        call.text(0) === '' || call.text(0) === '-' ? 'root' : call.text(0),
      )
    else call.runsText(call.input)
    return open()
  }),
  ...tools('ip', '', (call) => {
    const line = call.words.map(({ texts }) => texts[0]).join(' ')
    if (/\blink set .*\bdown\b|\b(?:addr\w*|link|route|rule|neigh\w*) (?:del|flush)/.test(line))
      call.find('destroy', 'stopsService', `ip ${line}`)
    const at = call.words.findIndex(({ texts }) => texts[0] === 'exec')
    return at >= 0 ? call.runs(call.words.slice(at + 2)) : open()
  }),
  ...tools('npx pnpx bunx yarn-dlx uvx', '+p=,package= c=,call= from= w=', (call) => {
    for (const text of call.values('c')) call.runsShell(text)
    if (
      [...call.operands.slice(0, 1), ...call.values('from'), ...call.values('p')].some((word) =>
        /^(?:https?:|git\+|github:|git@)/.test(textOf(word)),
      )
    )
      call.find('remote-exec', 'installsUnknown', call.text(0))
    else call.runs(call.operands)
  }),
}
