import { type Call, createCall, type Programs, tools } from '../../call.ts'
import { forked } from '../../machine.ts'
import { empty, joined, literal, open, origin, textOf, textsOf, type Value } from '../../reading/value.ts'

const startingOption = /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand|RemoteCommand)[=\s]+(.*)$/gim

/** The programs that the options and the settings of `ssh` start. */
export const sshOptions = (call: Call): void => {
  for (const { texts } of [...call.values('o'), ...call.values('F').map(call.contentOf)])
    for (const text of texts) call.runsLines(text, startingOption)
}

/** `ssh`: what stands behind the host is a line for its shell. */
const elsewhere = (call: Call): Value => {
  const [host, ...rest] = call.operands
  const words = call.text(1) === '--' ? rest.slice(1) : rest
  sshOptions(call)
  if (host === undefined || call.has('help', 'V')) return empty
  // A tunnel back lets somebody outside in.
  if (call.has('R')) call.find('remote-exec', 'opensPort', 'ssh -R')
  call.machine.step()
  if (words.length === 0) {
    if (!call.has('N', 'n'))
      call.runsText({ ...call.input, from: call.input.from & (origin.network | origin.decoded) })
    if (!call.has('n')) call.sends(call.input, true)
    return open(origin.network)
  }
  if (!call.has('n')) call.sends(call.input, true)
  const output = call.runsShell(joined(words, ' '), { folder: literal('~'), files: new Map() })
  // What another machine prints is what the network brings.
  return { ...output, from: output.from | origin.network }
}

const sshGrammar = '+b= c= D= E= e= F= I= i= J= L= l= m= O= o= p= Q= R= S= W= w= B= help'

const dockerOptions =
  '+H= context= c= config= l= tls tlscacert= e= env= env-file= u= user= w= workdir= v= volume= mount= p= ' +
  'publish= name= network= net= label= m= memory= cpus= entrypoint= h= hostname= add-host= device= ' +
  'cap-add= cap-drop= security-opt= restart= platform= pull= ulimit= shm-size= tmpfs= pid= ipc= userns= ' +
  'uts= gpus= log-driver= privileged a= index= f= file= p= project-name= profile= n= namespace= ' +
  'container= kubeconfig= cluster='

/** `docker run …`, `docker exec …`, `kubectl exec …` start a program where its folders are not ours. */
export const startsInContainer = (call: Call): void => {
  const { words, texts } = call
  const verbAt = texts.findIndex((text) => /^(?:run|exec|create|shell|ssh|rsh|debug)$/.test(text))
  if (verbAt < 0 || verbAt > 8) return
  const inside = createCall(call.name, words.slice(verbAt + 1), dockerOptions, {
    ...call,
    state: { ...forked(call.state), folder: literal('/'), files: new Map() },
    given: undefined,
  })
  const mounts = inside.values('v volume mount').flatMap(({ texts }) => texts)
  const hostMount = mounts.find((text) =>
    /^\/:|(?:source|src)=\/(?:,|$)|docker\.sock|^\/(?:etc|root|var\/run|proc|sys|boot|dev):/.test(text),
  )
  const isOfHost = (text: string): boolean => /^(?:host|ALL|SYS_ADMIN|SYS_PTRACE)$/i.test(text)
  if (
    inside.has('privileged') ||
    hostMount !== undefined ||
    textsOf(inside.values('pid cap-add userns')).some(isOfHost)
  )
    call.find('privilege', 'leavesSandbox', hostMount ?? '--privileged')
  const dashes = texts.indexOf('--')
  const isPod = /^(?:kubectl|oc|k|nomad|flyctl|fly)$/.test(call.name)
  const program = isPod && dashes > verbAt ? words.slice(dashes + 1) : inside.operands.slice(1)
  const isThrownAway =
    /^(?:docker|podman|nerdctl)$/.test(call.name) && texts[verbAt] === 'run' && mounts.length === 0
  if (inside.operands.length > 0 && program.length > 0 && !isThrownAway)
    inside.runs([...inside.values('entrypoint').slice(0, 1), ...program])
}

/** Programs that start others on another machine. */
export const remoteTools: Programs = {
  ...tools`ssh mosh sshpass-ssh: ${sshGrammar}`(elsewhere),
  ...tools`autossh: ${sshGrammar} M=`(elsewhere),
  ...tools`sshpass: +p= f= d= P=`((call) => call.runs(call.operands)),
  ...tools`vagrant multipass lxc incus orb limactl colima adb wsl wsl.exe: +c= d= u=`((call) => {
    for (const text of call.values('c')) call.runsShell(text)
    const verb = call.name.startsWith('wsl') ? '' : call.text(0)
    if (call.has('unregister') || /^(?:destroy|delete|rm|uninstall|factory-reset)$/.test(verb))
      call.find('destroy', 'destroysContainers', `${call.name} ${call.text(0)} ${call.text(1)}`)
    const at = call.operands.findIndex((word) => /^(?:exec|shell|ssh|--)$/.test(textOf(word)))
    const behind = at < 0 ? [] : call.operands.slice(at + (call.name === 'adb' ? 1 : 2))
    const [only, ...more] = call.name.startsWith('wsl') ? call.operands : behind
    if (only !== undefined) return more.length === 0 ? call.runsShell(only) : call.runs([only, ...more])
  }),
  ...tools`socat`((call) => {
    const addresses = call.texts.filter((text) => !text.startsWith('-') || text === '-')
    const isNet = /^(?:(?:tcp|udp|ssl|openssl|sctp|vsock|proxy|socks)[\w-]*)[:,]/i
    const whole = addresses.flatMap((text) => text.split('!!'))
    const has = (pattern: RegExp): boolean => whole.some((text) => pattern.test(text))
    const isConnected = has(isNet)
    const shellStart = whole.find((text) => /^(?:exec|system|shell)\b/i.test(text))
    if (shellStart !== undefined && isConnected) {
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
        call.find('remote-exec', 'opensShell', '', true)
      else call.sends(call.runsShell(literal(line.replaceAll(/\\(.)/g, '$1'))))
    }
    const files = whole.filter((text) => /^(?:open|file|gopen|creat|\/)/i.test(text))
    for (const file of files) {
      const name = file
        .replace(/^\w+:/, '')
        .replaceAll(/^["']|["'].*$/g, '')
        .replace(/,.*/, '')
      const read = has(/^(?:-|stdio|stdout)$/i) ? call.readsKey : call.contentOf
      const content = read(literal(name))
      if (isConnected || has(/^fd:/i)) call.sends(content)
    }
    if (isConnected && has(/^(?:-|stdin|stdio|fd:0)$/i)) call.sends(call.input)
    return isConnected ? open(origin.network) : open()
  }),
}
