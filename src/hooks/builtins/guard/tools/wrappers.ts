import { type Call, type Tools, tools } from '../call.ts'
import { forked } from '../machine.ts'
import { normal } from '../places.ts'
import {
  either,
  empty,
  joined,
  literal,
  OPEN,
  open,
  origin,
  originsOf,
  type Value,
  valueOf,
} from '../value.ts'
import { quoted } from '../run.ts'
import { runsFresh, runsText } from './shells.ts'

/** A program that starts the words behind its options, and behind `skip` words of its own. */
const wrapper = (names: string, options: string, skip = 0): Tools =>
  tools(names, `+${options}`, (call) => call.runs(call.operands.slice(skip)))

const isAssignment = ({ texts }: Value): boolean => /^[A-Za-z_][\w.-]*=/.test(texts[0] ?? '')

/** `env` and `sudo` set variables before the program. */
const withVariables = (call: Call): Value => {
  const words = [...call.operands]
  const state = forked(call.state)
  let isEmpty = call.has('i')
  while (words[0] !== undefined && (isAssignment(words[0]) || words[0].texts[0] === '-')) {
    const [word] = words.splice(0, 1)
    const [text = ''] = word?.texts ?? []
    if (text === '-') isEmpty = true
    else state.variables.set(text.replace(/=.*/s, ''), literal(text.slice(text.indexOf('=') + 1)))
  }
  const [folder] = call.values('C').length > 0 ? call.values('C') : call.values('D')
  if (folder !== undefined)
    state.folder = valueOf(
      folder.texts.flatMap((text) => call.state.folder.texts.map((here) => normal(text, here))),
    )
  for (const text of call.values('S')) {
    const rest = words.map(({ texts: [one = ''] }) => one).join(' ')
    return call.runsShell(valueOf(text.texts.map((one) => `env ${one} ${rest}`)), state)
  }
  if (words.length === 0) return call.name === 'env' && !isEmpty ? { texts: [OPEN], from: 16 } : empty
  return call.withState(state).runs(words)
}

/** `ssh`: what stands behind the host is a line for its shell. */
const elsewhere = (call: Call): Value => {
  const [host, ...rest] = call.operands
  const words = rest[0]?.texts[0] === '--' ? rest.slice(1) : rest
  for (const text of call.values('o')) {
    const [, command = ''] =
      /^(?:ProxyCommand|LocalCommand|KnownHostsCommand)[=\s]+(.*)$/is.exec(text.texts[0] ?? '') ?? []
    if (command !== '') call.runsShell(literal(command))
  }
  if (host === undefined || call.has('help', 'V')) return empty
  // A tunnel back lets somebody outside in.
  if (call.has('R')) call.machine.find('remote-exec', 'opensPort', 'ssh -R')
  call.machine.step()
  if (words.length === 0) {
    if (!call.has('N', 'n')) runsText(call, { ...call.input, from: call.input.from & 3 })
    if (!call.has('n')) call.sends(call.input, true)
    return open(origin.network)
  }
  if (!call.has('n')) call.sends(call.input, true)
  const output = call.runsShell(joined(words, ' '), { folder: literal('~'), files: new Map() })
  // What another machine prints is what the network brings.
  return { ...output, from: output.from | origin.network }
}

/** Words that a program reads from its input, and adds to each start. */
const added = (call: Call): readonly Value[] => {
  const isByLine = call.name === 'parallel' || call.has('I', 'i', 'J', 'L')
  const texts = call.input.texts
    .flatMap((text) =>
      text === OPEN ? [OPEN] : text.split(isByLine ? /[\n\0]+/ : /[\s\0]+/).filter((piece) => piece !== ''),
    )
    .slice(0, 8)
  const from = call.input.from | origin.list
  for (const file of call.values('a')) if (call.name !== 'parallel') call.readsKey(file)
  return call.has('a') || texts.length === 0
    ? [open(from)]
    : texts.map((text) => ({ texts: [text], from: text === OPEN ? from : call.input.from }))
}

const xargs = (call: Call): Value => {
  const words = call.operands.length === 0 ? [literal('echo')] : call.operands
  if (call.input === empty && call.has('r')) return empty
  if (call.input.texts[0] === '' && call.has('r')) return empty
  const more = added(call)
  const [sign] = [...call.values('I'), ...call.values('i'), ...call.values('J')].map(
    ({ texts: [text = ''] }) => text || '{}',
  )
  if (sign === undefined) return call.runs([...words, ...more], empty)
  if (!words.some(({ texts }) => texts.some((text) => text.includes(sign)))) {
    call.runs([...words, ...more], empty)
    return call.runs(words, empty)
  }
  return call.runs(
    words.map((word) =>
      word.texts.some((text) => text.includes(sign))
        ? valueOf(
            word.texts.flatMap((text) =>
              more.flatMap(({ texts }) => texts.map((one) => text.replaceAll(sign, () => one))),
            ),
            word.from | originsOf(more),
          )
        : word,
    ),
    empty,
  )
}

/** The place of an argument in the words of `parallel`. */
const hole = /\{[./#%]*\}/

const parallel = (call: Call): Value => {
  const cut = call.operands.findIndex(({ texts }) => /^:::/.test(texts[0] ?? ''))
  const words = cut < 0 ? call.operands : call.operands.slice(0, cut)
  const args =
    cut < 0 ? added(call) : call.operands.slice(cut + 1).filter(({ texts }) => !/^:::/.test(texts[0] ?? ''))
  if (words.length === 0) {
    for (const arg of args) if (arg.texts[0] !== OPEN) runsText(call, arg)
    return open()
  }
  const line = words.map(({ texts: [text = ''] }) => text).join(' ')
  const lines = args.flatMap((arg) =>
    arg.texts.map((one) => (hole.test(line) ? line.split(hole).join(one) : `${line} ${one}`)),
  )
  const inWords = args.map((arg) =>
    words.map((word) =>
      valueOf(
        word.texts.flatMap((text) =>
          hole.test(text) ? arg.texts.map((one) => text.split(hole).join(one)) : [text],
        ),
        word.from | arg.from,
      ),
    ),
  )
  if (words.length > 1)
    for (const [index, own] of inWords.entries())
      call.runs(hole.test(line) ? own : [...own, args[index] ?? empty], empty)
  return runsText(call, valueOf(lines.length === 0 ? [line] : lines))
}

const shellName = /^(?:\S*\/)?(?:(?:ba|z|da|k|a|fi)?sh|su)$/

/** A program in a container or on another machine: its folders are not ours. */
const inContainer = (call: Call, words: readonly Value[]): Value =>
  call.withState({ ...forked(call.state), folder: literal('/'), files: new Map() }).runs(words)

const dockerOptions =
  '+H= context= c= config= l= D tls tlscacert= e= env= env-file= u= user= w= workdir= v= volume= mount= p= publish= name= network= net= label= m= memory= cpus= entrypoint= h= hostname= add-host= device= cap-add= cap-drop= security-opt= restart= platform= pull= ulimit= shm-size= tmpfs= pid= ipc= userns= uts= gpus= log-driver= i interactive t tty d detach rm privileged a= index= f= file= p= project-name= profile= n= namespace= container= kubeconfig= cluster='

/** `docker run …`, `docker exec …`, `kubectl exec …`: undefined where the program starts nothing. */
export const startsInContainer = (call: Call): Value | undefined => {
  const words = call.words
  const verbAt = words.findIndex(({ texts }) =>
    /^(?:run|exec|create|shell|ssh|rsh|debug)$/.test(texts[0] ?? ''),
  )
  if (verbAt < 0 || verbAt > 8) return undefined
  const { options, operands } = call.read(words.slice(verbAt + 1), dockerOptions)
  const has = (name: string): boolean => options.has(name)
  const mounts = [
    ...(options.get('v') ?? []),
    ...(options.get('volume') ?? []),
    ...(options.get('mount') ?? []),
  ].flatMap(({ texts }) => texts)
  const hostMount = mounts.find((text) =>
    /^\/:|(?:source|src)=\/(?:,|$)|docker\.sock|^\/(?:etc|root|var\/run|proc|sys|boot|dev):/.test(text),
  )
  if (
    has('privileged') ||
    hostMount !== undefined ||
    [...(options.get('pid') ?? []), ...(options.get('cap-add') ?? []), ...(options.get('userns') ?? [])].some(
      ({ texts: [text = ''] }) => /^(?:host|ALL|SYS_ADMIN|SYS_PTRACE)$/i.test(text),
    )
  )
    call.machine.find('privilege', 'leavesSandbox', hostMount ?? '--privileged')
  const image = operands[0]
  const dashes = words.findIndex(({ texts }) => texts[0] === '--')
  const isPod = /^(?:kubectl|oc|k|nomad|flyctl|fly)$/.test(call.name)
  const inner = isPod && dashes > verbAt ? words.slice(dashes + 1) : operands.slice(1)
  if (image === undefined || inner.length === 0) return open()
  const entry = options.get('entrypoint')?.[0]
  const isThrownAway =
    /^(?:docker|podman|nerdctl)$/.test(call.name) && words[verbAt]?.texts[0] === 'run' && mounts.length === 0
  if (isThrownAway) return open()
  return inContainer(call, entry === undefined ? inner : [entry, ...inner])
}

const shellText = (call: Call, ...options: string[]): Value => {
  for (const option of options) for (const text of call.values(option)) runsText(call, text)
  return open()
}

export const wrapperTools: Tools = {
  // These have options of their own, most of them without a value.
  ...wrapper('command builtin', 'p v V'),
  ...wrapper('exec', 'a= c l'),
  ...wrapper('time gtime', 'f=,format= o=,output= a,append p v'),
  ...wrapper('caffeinate', 'd i m s u t= w='),
  ...wrapper('systemd-inhibit', 'what= who= why= mode= no-pager'),
  ...wrapper(
    'setpriv capsh',
    'reuid= regid= groups= clear-groups no-new-privs inh-caps= bounding-set= user= ambient-caps=',
  ),
  ...wrapper('proxychains proxychains4', 'f= q'),
  ...wrapper('firejail', ''),
  ...wrapper(
    'nohup setsid eatmydata catchsegv torsocks torify tsocks fakeroot chronic ifne unbuffer rlwrap dbus-run-session noglob nocorrect nocache please winpty wine arch linux32 linux64 setarch trickle primusrun optirun coproc',
    '',
  ),
  ...wrapper('nice gnice', 'n=,adjustment='),
  ...wrapper('ionice chrt', 'c=,class= n=,classdata= p= t f r o b i d T= P= D='),
  ...wrapper('timeout gtimeout', 'k=,kill-after= s=,signal= foreground preserve-status v,verbose', 1),
  ...wrapper('stdbuf', 'i=,input= o=,output= e=,error='),
  ...wrapper('strace ltrace', 'o= e= p= s= u= E= P= a= b= I= O= S= X= f ff c C t tt ttt T v V x y yy z Z'),
  ...wrapper('valgrind', ''),
  ...tools('taskset', '+c,cpu-list p a', (call) => call.runs(call.operands.slice(1))),
  ...wrapper('numactl', 'm= N= C= p= l i='),
  ...wrapper('prlimit cpulimit', 'l= p= n= v= c= m= i'),
  ...wrapper('chroot proot fakechroot', 'userspec= groups= skip-chdir r= b= w= R= S= 0', 1),
  ...wrapper(
    'unshare nsenter bwrap runcon',
    'm u i n p U C T f r t= target= S= G= w= root= wd= mount= map-root-user fork propagation= ro-bind= bind= a',
  ),
  ...tools('flock', '+n x s w= E= u o F v', (call) => {
    const words = call.operands.slice(1)
    return /^(?:-c|--command)$/.test(words[0]?.texts[0] ?? '')
      ? call.runsShell(words[1] ?? empty)
      : call.runs(words)
  }),
  ...wrapper('gosu su-exec setuidgid chpst s6-setuidgid', 'u= e= n=', 1),
  ...tools(
    'systemd-run',
    '+user scope unit= p=,property= t q uid= gid= slice= E=,setenv= M= G r d P working-directory= on-calendar= on-active= on-boot= timer-property= description=',
    (call) => {
      if (call.has('on-calendar', 'on-active', 'on-boot'))
        call.machine.find('persistence', 'startsLater', call.text(0))
      return call.runs(call.operands)
    },
  ),
  ...wrapper('busybox toybox', ''),
  ...tools('watch', '+n=,interval= d t b e g c x,exec h help', (call) =>
    call.has('x') ? call.runs(call.operands) : call.runsShell(joined(call.operands, ' ')),
  ),
  ...wrapper('entr', 'r c d p s n a z'),
  ...wrapper('xvfb-run', 'a s= n= e= f= l w= p='),
  ...wrapper('dotenv dotenvx', 'e= f= p= o', 0),
  ...wrapper('perf ', 'e= o= a g', 1),
  ...wrapper('hyperfine', 'w= r= p= prepare= n= S= c= cleanup= setup= i export-json= m= M= N'),
  ...wrapper('mise asdf direnv rtx nodenv pyenv rbenv nvm fnm volta pipx rye pdm hatch', 'q v C=', 1),
  ...wrapper('direnv', '', 2),
  ...wrapper('repeat', '', 1),
  ...tools('-', '+', (call) => call.runs(call.operands)),
  ...tools(
    'env genv',
    '+i,ignore-environment u=,unset= C=,chdir= S=,split-string= P= 0,null v',
    withVariables,
  ),
  ...tools(
    'sudo doas pkexec',
    '+u=,user= g=,group= h=,host= p=,prompt= C= D=,chdir= R=,chroot= r= t= T= U= A b E H i K k l n P S s e,edit V v a= c= L',
    (call) => {
      if (call.has('e')) return empty
      const isBare =
        call.operands.length === 0 || (call.operands.length === 1 && shellName.test(call.text(0)))
      if (isBare && (call.operands.length > 0 || call.has('s', 'i')))
        call.machine.find('privilege', 'getsRights', 'root')
      return call.has('s', 'i') ? call.runsShell(joined(call.operands, ' ')) : withVariables(call)
    },
  ),
  ...tools('su runuser', 'c=,command= s=,shell= l,login m p g= G= w= u=', (call) => {
    if (call.values('c').length > 0) return shellText(call, 'c')
    const user = call.values('u')
    if (user.length > 0) return call.runs(call.operands)
    if (call.input === empty)
      call.machine.find(
        'privilege',
        'getsRights',
        call.text(0) === '' || call.text(0) === '-' ? 'root' : call.text(0),
      )
    else runsText(call, call.input)
    return open()
  }),
  ...tools('script', 'c=,command= a f q e t= O= I= B= T=', (call) =>
    call.values('c').length > 0 ? shellText(call, 'c') : call.runs(call.operands.slice(1)),
  ),
  ...tools('nix-shell nix devbox flox guix', 'c= run=,command= p= packages= A=', (call) =>
    shellText(call, 'run', 'c'),
  ),
  ...tools('tmux', '', (call) => {
    for (const word of call.words.slice(1)) {
      const [text = ''] = word.texts
      if (/\s/.test(text)) call.runsShell(word)
    }
    const at = call.words.findIndex(({ texts }) =>
      /^(?:new(?:-session|-window)?|neww|split(?:-window|w)|run(?:-shell)?|if-shell|respawn\S*|send(?:-keys)?|pipe-pane|popup|display-popup)$/.test(
        texts[0] ?? '',
      ),
    )
    if (at >= 0) {
      const { operands } = call.read(
        call.words.slice(at + 1),
        '+s= n= t= c= x= y= F= d e= l= p= b h v f P A D E X L= N= R',
      )
      const keys = operands.filter(({ texts }) => !/^(?:Enter|C-m|KPEnter)$/.test(texts[0] ?? ''))
      if (keys.length > 1) call.runs(keys)
      if (keys.length > 0) call.runsShell(joined(keys, ' '))
    }
    return open()
  }),
  ...tools('screen', '+S= X d D m L c= h= p= t= s= r= R U x Q', (call) => {
    const words = call.operands[0]?.texts[0] === 'stuff' ? call.operands.slice(1) : call.operands
    if (call.has('X')) {
      for (const word of words)
        call.runsShell(valueOf(word.texts.map((text) => text.replace(/\\n|\^M|\n$/g, ''))))
      return open()
    }
    return call.runs(words)
  }),
  ...tools(
    'ssh autossh mosh sshpass-ssh',
    '+b= c= D= E= e= F= I= i= J= L= l= m= O= o= p= Q= R= S= W= w= B= A a C f G g K k M N n q s T t V v X x Y y 4 6 help',
    elsewhere,
  ),
  ...tools('sshpass', '+p= f= d= e P= v', (call) => call.runs(call.operands)),
  ...tools(
    'xargs gxargs',
    '+0,null a=,arg-file= d=,delimiter= E= e I= i J= L= l n=,max-args= P=,max-procs= p R= r,no-run-if-empty s= S= t x o,open-tty show-limits process-slot-var= replace=',
    (call) => xargs(call),
  ),
  ...tools(
    'parallel sem rush',
    '+j=,jobs= a=,arg-file= C=,colsep= d= S=,sshlogin= results= joblog= delay= timeout= retries= halt= tmpdir= N= n= L= X m k,keep-order q,quote v bar eta progress dry-run will-cite ungroup u I= P=',
    parallel,
  ),
  ...tools('at batch', 'f= t= m q= l d r c v', (call) => {
    if (call.has('l', 'c') || call.name === 'atq') return empty
    call.machine.find('persistence', 'startsLater', 'at')
    return runsText(call, call.input)
  }),
  ...tools(
    'ansible ansible-console salt fab pdsh clush',
    'm=,module-name= a=,args= i= u= l= b K k e= f= H=',
    (call) => {
      for (const text of call.values('a'))
        call.runsShell(valueOf(text.texts.map((one) => one.replace(/^cmd=/, ''))))
      for (const operand of call.operands.slice(1))
        if (/\s/.test(operand.texts[0] ?? '')) call.runsShell(operand)
      return open()
    },
  ),
  ...tools('ip', '', (call) => {
    const at = call.words.findIndex(({ texts }) => texts[0] === 'exec')
    return at >= 0 ? call.runs(call.words.slice(at + 2)) : open()
  }),
  ...tools('expect', '+c= f= b d', (call) => {
    for (const {
      texts: [text = ''],
    } of call.values('c'))
      for (const line of [text, ...text.split(/[;\n]/)]) {
        const [, inner = ''] = /\b(?:spawn|exec|send)\s+(?:--\s+)?(.+)$/s.exec(line) ?? []
        if (inner !== '')
          call.runsShell(
            literal(
              inner.replaceAll(/\\[rn]/g, '').replace(/\{(.*)\}/s, (_, group: string) => quoted(group)),
            ),
          )
      }
    return open()
  }),
  ...tools('gdb lldb', 'ex= eval-command= iex= x= o= batch p= args q', (call) => {
    for (const option of ['ex', 'eval-command', 'iex', 'o'])
      for (const {
        texts: [text = ''],
      } of call.values(option)) {
        const [, line = ''] =
          /^(?:shell|!|platform shell|python\s+import\s+os;?\s*os\.system)\s*(.*)$/s.exec(text) ?? []
        if (line !== '') call.runsShell(literal(line.replace(/^\(?["']|["']\)?$/g, '')))
      }
    if (call.has('args')) call.runs(call.operands)
  }),
  ...tools(
    'vim vi nvim ex view emacs less more man nano ed ftp psftp',
    '+c= cmd= e= s S= u= eval= P= f= batch Q q',
    (call) => {
      for (const option of ['c', 'cmd', 'eval', 'P'])
        for (const {
          texts: [text = ''],
        } of call.values(option)) {
          const [, line = ''] = /^:?(?:silent!?\s+)?!(.*)$/s.exec(text) ?? []
          if (line !== '') call.runsShell(literal(line))
          for (const [, inner = ''] of text.matchAll(
            /(?:shell-command|system|call-process)\S*\s*\(?\s*["']([^"']+)/g,
          ))
            call.runsShell(literal(inner))
          if (option === 'P') call.runsShell(literal(text))
        }
      for (const {
        texts: [text = ''],
      } of call.operands)
        if (/^\+:?!/.test(text)) call.runsShell(literal(text.replace(/^\+:?!/, '')))
      for (const [, line = ''] of (call.input.texts[0] ?? '').matchAll(/^:?!(.*)$/gm))
        call.runsShell(literal(line))
      for (const operand of call.operands) if (!/^(?:man|less|more)$/.test(call.name)) call.readsKey(operand)
      return either([
        open(),
        ...call.operands.map((operand) =>
          /^(?:less|more)$/.test(call.name) ? call.readsKey(operand) : empty,
        ),
      ])
    },
  ),
  ...tools(
    'make gmake ninja just task',
    'f=,file= C=,directory= j= n,dry-run k s B i eval= I= o= W= E= help version',
    (call) => {
      for (const text of call.values('eval'))
        for (const [, line = ''] of (text.texts[0] ?? '').matchAll(/\$\(shell\s+([^)]*)\)/g))
          call.runsShell(literal(line))
      const [file] = call.values('f')
      const content =
        file?.texts[0] === '-' || file?.texts[0] === '/dev/stdin'
          ? call.input
          : file === undefined
            ? undefined
            : call.contentOf(file)
      if (content !== undefined) runsFresh(call, content)
      for (const text of content?.texts ?? [])
        for (const [, line = ''] of text.matchAll(/^(?:\t|[\w.-]+:[^\n;]*;)\s*[@+-]*(.+)$/gm))
          call.runsShell(literal(line))
      for (const operand of call.operands)
        for (const [, line = ''] of (operand.texts[0] ?? '').matchAll(/^SHELL=(.*)/g))
          call.runsShell(literal(line))
    },
  ),
  ...tools('crontab', 'u= l e r i T= s n', (call) => {
    if (call.has('r')) call.machine.find('destroy', 'stopsService', 'crontab')
    else if (!call.has('l', 'T')) {
      const [file] = call.operands
      const content = file === undefined || file.texts[0] === '-' ? call.input : call.contentOf(file)
      call.machine.find('persistence', 'startsLater', 'crontab')
      for (const text of content.texts)
        for (const [, line = ''] of text.matchAll(/^\s*(?:@\w+|(?:\S+\s+){5})(.+)$/gm))
          call.runsShell(literal(line))
    }
  }),
  ...tools('npx pnpx bunx yarn-dlx uvx', '+y,yes p=,package= c=,call= q from= w=', (call) => {
    for (const text of call.values('c')) call.runsShell(text)
    if (
      [...call.operands.slice(0, 1), ...call.values('from'), ...call.values('p')].some(({ texts }) =>
        /^(?:https?:|git\+|github:|git@)/.test(texts[0] ?? ''),
      )
    )
      call.machine.find('remote-exec', 'installsUnknown', call.text(0))
    else call.runs(call.operands)
  }),
  ...tools('vagrant multipass lxc incus orb limactl colima adb wsl wsl.exe', '+c= d= u= e', (call) => {
    for (const text of call.values('c')) call.runsShell(text)
    const at = call.operands.findIndex(({ texts }) => /^(?:exec|shell|ssh|--)$/.test(texts[0] ?? ''))
    const rest = call.name.startsWith('wsl')
      ? call.operands
      : at < 0
        ? []
        : call.operands.slice(at + (call.name === 'adb' ? 1 : 2))
    if (rest.length === 0) return undefined
    return rest.length === 1 ? call.runsShell(rest[0] ?? empty) : call.runs(rest)
  }),
  ...tools(
    'concurrently npm-run-all run-p run-s nodemon onchange chokidar watchexec cargo-watch',
    '+x= exec= e= w= n= k c= s= i= p=',
    (call) => {
      for (const option of ['x', 'exec', 'c', 's'])
        for (const text of call.values(option)) call.runsShell(text)
      for (const operand of call.operands) if (/\s/.test(operand.texts[0] ?? '')) call.runsShell(operand)
      return call.name === 'watchexec' ? call.runs(call.operands) : undefined
    },
  ),
  ...tools('socat', '', (call) => {
    const addresses = call.words
      .map(({ texts: [text = ''] }) => text)
      .filter((text) => !/^-/.test(text) || text === '-')
    const isNet = (text: string): boolean =>
      /^(?:(?:tcp|udp|ssl|openssl|sctp|vsock|proxy|socks)[\w-]*)[:,]/i.test(text)
    const whole = addresses.flatMap((text) => text.split('!!'))
    const shellStart = whole.find((text) => /^(?:exec|system|shell)\b/i.test(text))
    if (shellStart !== undefined && whole.some(isNet)) {
      const line = shellStart
        .replace(/^\w+:?["']?/, '')
        .replace(/,(?:pty|stderr|setsid|sigint|sane|ctty|fdin|fdout|nofork|pipes|su|chroot).*$/i, '')
        .replace(/["']$/, '')
      if (
        /^(?:\S*\/)?(?:ba|z|da|a|k|c|tc|fi)?sh\b(?!\s+-c)|^\s*$|^(?:\S*\/)?(?:python|perl|ruby)\d?\s*$/i.test(
          line,
        ) ||
        /^shell/i.test(shellStart)
      )
        call.machine.find('remote-exec', 'opensShell', '', true)
      else call.sends(call.runsShell(literal(line.replaceAll(/\\(.)/g, '$1'))))
    }
    const files = whole.filter((text) => /^(?:open|file|gopen|creat|\/)/i.test(text))
    for (const file of files) {
      const name = file
        .replace(/^\w+:/, '')
        .replaceAll(/^["']|["'].*$/g, '')
        .replace(/,.*/, '')
      const content = whole.some((text) => /^(?:-|stdio|stdout)$/i.test(text))
        ? call.readsKey(literal(name))
        : call.contentOf(literal(name))
      if (whole.some(isNet) || whole.some((text) => /^fd:/i.test(text))) call.sends(content)
    }
    if (whole.some(isNet) && whole.some((text) => /^(?:-|stdin|stdio|fd:0)$/i.test(text)))
      call.sends(call.input)
    return whole.some(isNet) ? open(1) : open()
  }),
}
