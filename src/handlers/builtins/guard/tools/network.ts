import { isRemote, lastPart } from '../places.ts'
import { type Call, finds, nameOf, type Programs, tools } from '../call.ts'
import {
  either,
  empty,
  isOpen,
  literal,
  OPEN,
  open,
  origin,
  originsOf,
  textOf,
  textsOf,
  under,
  type Value,
  valueOf,
} from '../reading/value.ts'
import { sshOptions } from './running/elsewhere.ts'

const isLocal = (text: string): boolean =>
  /^(?:\w+:\/\/)?(?:[^@/]*@)?(?:localhost|127\.[\d.]+|\[?::1\]?|0\.0\.0\.0|host\.docker\.internal)(?:[:/]|$)/i.test(
    text,
  )

/** What is sent is judged, unless it stays on this machine. */
const sendsTo = (call: Call, hosts: readonly Value[], content: Value): void => {
  if (
    hosts.length > 0 &&
    hosts.every(({ texts }) => texts.every(isLocal)) &&
    (content.from & origin.key) === 0
  )
    return
  call.sends(content)
}

/** A file behind `@`, or the text itself. */
const posted = (call: Call, value: Value): Value =>
  either(
    value.texts.map((text) => {
      const [, name] =
        /^(?:[\w.[\]-]*=?[^=]*)?@(.+?)(?:;\w+=.*)?$/s.exec(text) ?? /^[^=]+=<(.+)$/s.exec(text) ?? []
      if (name === undefined || (/^[^@=]*:\/\//.test(text) && !text.startsWith('@')))
        return { texts: [text], from: value.from }
      return name === '-' || name === '/dev/stdin'
        ? call.input
        : call.contentOf({ texts: [name], from: value.from })
    }),
  )

const loaded = open(origin.network)

const isOpenWhole = (text: string): boolean => text === OPEN

/** Machines in a cloud get the keys of their role at these addresses. */
const ofMetadata =
  /169\.254\.(?:169\.254|170\.2)|metadata(?:\.google\.internal|\/computeMetadata)|100\.100\.100\.200|fd00:ec2::254/

const asksMetadata = (call: Call, hosts: readonly Value[]): void => {
  if (hosts.some(({ texts }) => texts.some((text) => ofMetadata.test(text))))
    call.find('secret-access', 'printsKey', textOf(hosts[0]))
}

/** Each address is loaded into a file that has its name. */
const writesEach = (call: Call, hosts: readonly Value[], folder: Value | undefined, content: Value): void => {
  for (const address of hosts.flatMap(({ texts }) => texts)) {
    const name = lastPart(address.replace(/[?#].*/s, '')) || 'index.html'
    if (!isOpen(address)) call.writes(folder === undefined ? literal(name) : under(folder, name), content)
  }
}

const isOutput = (target: Value): boolean => /^(?:-|\/dev\/stdout)$/.test(textOf(target))

const curl = (call: Call): Value => {
  for (const file of call.values('K')) call.readsKey(file)
  const hosts = [...call.operands, ...call.values('url')]
  asksMetadata(call, hosts)
  const isDeleting = call.values('X').some(({ texts }) => texts.includes('DELETE'))
  const isLost = (text: string): boolean =>
    isDeleting ? !isLocal(text) || /_all\b|\/\*/.test(text) : text.includes('_delete_by_query')
  if (hosts.some(({ texts }) => texts.some(isLost)))
    call.find('destroy', 'destroysByRequest', textOf(hosts[0]))
  const sent = [
    ...call
      .values('d url-query variable data-binary data-ascii data-urlencode json F')
      .map((value) => posted(call, value)),
    ...call.values('H').map((value) => (textOf(value).startsWith('@') ? posted(call, value) : value)),
    ...call.values('b').map((value) => (textOf(value).includes('=') ? value : call.contentOf(value))),
    ...call.values('T').map((value) => (/^[-.]$/.test(textOf(value)) ? call.input : call.contentOf(value))),
    ...call.operands,
    ...call.values('data-raw A u'),
  ]
  if (!(call.has('T') && call.has('o') && hosts.length === 0))
    sendsTo(call, hosts, open(originsOf(sent) & ~origin.file))
  const isFile =
    hosts.length > 0 && hosts.every(({ texts }) => texts.every((text) => text.startsWith('file:')))
  const content = isFile ? either(hosts.map(call.readsKey)) : loaded
  const [target] = call.values('o')
  const [folder] = call.values('output-dir')
  const isKept = call.has('no-clobber')
  if (target !== undefined && !isOutput(target)) {
    if (!isKept) call.writes(folder === undefined ? target : under(folder, textOf(target)), content)
    return empty
  }
  if (call.has('O', 'remote-name-all')) {
    if (!isKept) writesEach(call, hosts, folder, content)
    return empty
  }
  return hosts.length === 0 || call.has('I') ? empty : content
}

const wget = (call: Call): Value => {
  asksMetadata(call, call.operands)
  for (const file of call.values('i')) call.readsKey(file)
  for (const line of call.values('use-askpass')) call.runsShell(line)
  for (const log of call.values('o a')) call.writes(log, open(), true)
  const sent = [
    ...call.values('post-file body-file').map(call.contentOf),
    ...call.values('post-data body-data header'),
    ...call.operands,
  ]
  if (call.operands.length > 0) {
    const isUnknown = call.values('body-file post-file').every(({ texts }) => texts.every(isOpenWhole))
    const unsent = origin.file | (isUnknown ? origin.folder : 0)
    sendsTo(call, call.operands, open(originsOf(sent) & ~unsent))
  }
  const [target] = call.values('O')
  if (target !== undefined) {
    if (isOutput(target)) return loaded
    call.writes(target, loaded)
  } else writesEach(call, call.operands, call.values('P')[0], loaded)
  return empty
}

const shellProgram =
  /^(?:\S*\/)?(?:(?:ba|z|da|a|k|c|tc|fi|pw)?sh|powershell(?:\.exe)?|cmd(?:\.exe)?|python\d?|perl|ruby|php|node)$/

/** netcat in its many forms. */
const netcat = (call: Call): Value => {
  for (const line of call.values('e c lua-exec')) {
    let words = textOf(line).trim().split(/\s+/)
    while (/^(?:env|exec|nice|-\w+|\d+|\w+=\S*|X|nohup|setsid)$/.test(words[0] ?? '')) words = words.slice(1)
    if (shellProgram.test(words[0] ?? '') && !words.includes('-c'))
      call.find('remote-exec', 'opensShell', '', true)
    else call.sends(call.runsShell(line))
  }
  call.sends(call.input)
  return loaded
}

const transfer = (call: Call): Value => {
  sshOptions(call)
  for (const value of call.values('S')) if (!/^(?:\S*\/)?ssh$/.test(textOf(value))) call.runsShell(value)
  const target = call.operands.at(-1)
  const sources = call.operands.slice(0, -1)
  if (target === undefined) return empty
  if (textOf(target) === '-') return loaded
  for (const source of sources)
    if (!isRemote(target)) {
      const content = isRemote(source) ? call.loads(source) : call.contentOf(source)
      call.writesInto(target, source, content)
    } else if (!isRemote(source)) call.sends(call.contentOf(source), true)
  return empty
}

export const networkTools: Programs = {
  ...tools`curl curlie xh-curl:
    o=,output= O,remote-name remote-name-all d=,data= url-query= variable= data-binary= data-raw=
    data-ascii= data-urlencode= json= F=,form= form-string= T=,upload-file= H=,header= X=,request=
    A=,user-agent= e=,referer= u=,user= x=,proxy= U= b=,cookie= c=,cookie-jar= K=,config= E=,cert= key=
    cacert= capath= pass= m=,max-time= connect-timeout= retry= retry-delay= retry-max-time= r=,range=
    w=,write-out= D=,dump-header= C=,continue-at= Y= y= z=,time-cond= t= Q=,quote= P= resolve= connect-to=
    interface= url= limit-rate= max-redirs= noproxy= socks5= socks5-hostname= stderr= trace= trace-ascii=
    output-dir= oauth2-bearer= netrc-file= unix-socket= no-clobber S,show-error f,fail I,head i,include
    n,netrc help!,h V!,version proto=`(curl),
  ...tools`wget wget2:
    O=,output-document= q,quiet c,continue use-askpass= post-file= post-data= body-file= body-data= method=
    header= P=,directory-prefix= U=,user-agent= o=,output-file= a= T= t= w= e= i=,input-file= user=
    password= spider! r,recursive np nc,no-clobber l= A= R= V!,version help!,h no-check-certificate
    max-redirect= referer= load-cookies= save-cookies= ca-certificate= certificate= private-key= tries=
    timeout= limit-rate=`(wget),
  ...tools`http https httpie xh lwp-request GET POST lynx links w3m elinks fetch axel aria2c hget:
    o=,output= d,download a= A= dump p= s= session= timeout= verify= proxy= help`((call) => {
    if (call.text(0) === 'DELETE' && !isLocal(call.text(1)))
      call.find('destroy', 'destroysByRequest', call.text(1))
    const sent = [...call.operands.map((value) => posted(call, value)), call.input]
    call.sends(open(originsOf(sent) & ~origin.file))
    const [target] = call.values('o')
    if (/^(?:axel|aria2c|hget)$/.test(call.name))
      for (const url of textsOf(call.operands))
        call.writes(literal(lastPart(url.replace(/[?#].*/s, ''))), loaded)
    if (target === undefined) return loaded
    call.writes(target, loaded)
  }),
  ...tools`nc ncat netcat nc.openbsd nc.traditional nc6 pwncat cryptcat socat1:
    p= e=,exec= c=,sh-exec= lua-exec= z!,zero u,udp w= q= s= i= I= x= X= proxy= proxy-type= allow= deny= m=
    max-conns= help!`(netcat),
  ...tools`telnet rlogin rsh ftp tftp lftp sftp nettee openssl-s_client:
    e= c= b= u= p= o= i= P= S=`((call) => {
    const puts = (text: string, pattern: RegExp): void => {
      for (const [, name = ''] of text.matchAll(pattern)) call.sends(call.contentOf(literal(name)))
    }
    for (const line of textsOf(call.values('e c'))) {
      puts(line, /\b(?:m?put|mirror\s+-R|send)\s+(\S+)/g)
      call.runsLines(line, /!\s*([^;]+)/g)
    }
    puts(textOf(call.input), /^\s*(?:m?put|send)\s+(\S+)/gm)
    call.sends(call.input)
    return loaded
  }),
  ...tools`scp pscp: i= F= l= o= P= S= J= c= D= X=`(transfer),
  ...tools`rclone rsnapshot restic borg duplicity:
    config= n!,dry-run r=,repo= p= exclude= password-file=`((call) => {
    const verb = call.text(0)
    if (verb === 'config' && /^(?:show|dump)$/.test(call.text(1)))
      call.find('secret-access', 'printsKey', 'rclone config')
    if (/^(?:purge|delete|deletefile|cleanup|sync|prune|forget)$/.test(verb))
      call.find('destroy', 'destroysCloud', `${call.name} ${verb}`)
    for (const operand of call.operands.slice(1))
      if (!isRemote(operand)) call.sends(call.contentOf(operand), true)
  }),
  ...tools`mail mailx mutt sendmail swaks msmtp s-nail ssmtp:
    s= a=,attach= A= c= b= r= t= S= q= body=`((call) => {
    call.sends(open(originsOf([call.input, ...call.values('a A q').map(call.contentOf)])))
  }),
  ...tools`dig nslookup host ping drill kdig whois: t= c= i= s= b= p= y= k=`((call) => {
    call.sends(open(originsOf(call.operands) & ~origin.file))
    return loaded
  }),
  ...tools`base64 base32 basenc gbase64: d,decode i= w=,wrap= o=,output= base64 help! version!`((call) => {
    const files = [...call.operands, ...call.values('i').filter((file) => textOf(file) !== '')]
    const content = call.shows(files)
    const decoded = (text: string): string =>
      text === OPEN || text === '' ? OPEN : Buffer.from(text, 'base64').toString()
    return call.has('d', 'D')
      ? valueOf(content.texts.map(decoded), content.from | origin.decoded)
      : open(content.from)
  }),
  ...tools`uudecode xxd hexdump od rev tr iconv base58 basez hex unhex zlib-flate qpdf recode ascii2uni:
    r,revert s= c= o= g= l= n= A= t=`((call) => {
    if (call.name !== 'tr') call.readsWords()
    const content = call.shows(call.name === 'tr' ? [] : call.operands)
    const isData = content.texts.some((text) => text !== OPEN && text !== '')
    const isDecoder = /^(?:tr|iconv|rev)$/.test(call.name)
      ? isData
      : call.has('r', 'd', 'D') || /^(?:uudecode|unhex)$/.test(call.name)
    return open(content.from | (isDecoder ? origin.decoded : 0))
  }),
  ...tools`gpg gpg2 age rage sops ansible-vault:
    d,decrypt o=,output= r= export-secret-keys export-secret-subkeys export delete-secret-keys
    delete-secret-and-public-key i=,identity= passphrase= view decrypt`((call) => {
    if (call.has('export-secret-keys', 'export-secret-subkeys'))
      call.find('secret-access', 'printsKey', 'gpg')
    if (call.has('delete-secret-keys', 'delete-secret-and-public-key'))
      call.find('destroy', 'deletesKey', 'gpg')
    const isShown =
      /^(?:sops|ansible-vault)$/.test(call.name) &&
      (call.has('d', 'view', 'decrypt') || /^(?:decrypt|view|exec-env)$/.test(call.text(0)))
    if (isShown || (call.has('d') && !call.has('o') && call.operands.length > 0))
      call.find('secret-access', 'printsKey', call.name)
    if (isShown) return open(origin.key)
    return call.has('d') ? open(origin.decoded | call.input.from) : undefined
  }),
  ...tools`openssl`((call) => {
    const { texts } = call
    const verb = texts[0] ?? ''
    const isDecoding = texts.includes('-d') && /^(?:enc|base64|aes|des|camellia|chacha)/.test(verb)
    const named = (flag: string): Value | undefined => call.words[texts.indexOf(flag) + 1]
    const isPlain =
      verb === 'base64' || texts.includes('-base64') || texts.includes('-a') || verb === 'asn1parse'
    const file = named('-in') ?? empty
    const input = !texts.includes('-in') ? call.input : isPlain ? call.readsKey(file) : call.contentOf(file)
    if (verb === 's_client') {
      call.sends(call.input)
      return loaded
    }
    if (
      /^(?:rsa|ec|pkey|pkcs12|pkcs8)$/.test(verb) &&
      (input.from & origin.key) !== 0 &&
      !texts.includes('-pubout')
    )
      call.find('secret-access', 'readsKey', textOf(named('-in')))
    const output = open(input.from | (isDecoding ? origin.decoded : 0))
    if (!texts.includes('-out')) return output
    call.writes(named('-out') ?? empty, output)
  }),
  ...tools`tcpdump tshark wireshark dumpcap ngrep ettercap bettercap arpspoof dsniff mitmproxy mitmdump
    sslstrip airodump-ng aircrack-ng logkeys xinput evtest showkey gcore:
    r=! D! i= w= c= help! version!`(finds('secret-access', 'watchesTraffic')),
  ...tools`crackmapexec netexec responder nmap masscan zmap hydra medusa john hashcat sqlmap nikto gobuster
    ffuf wpscan msfconsole msfvenom:
    help! version! V!`((call) => {
    if (call.words.some(({ texts }) => texts.some((text) => !text.startsWith('-') && !isLocal(text))))
      call.find('privilege', 'attacks', call.name)
  }),
  ...tools`ngrok cloudflared localtunnel lt bore frpc chisel serveo tailscale-funnel:
    help! version!`(
    finds('remote-exec', 'opensPort', nameOf, /^(?!(?:version|config|update|help)(?:\n|$))./),
  ),
}
