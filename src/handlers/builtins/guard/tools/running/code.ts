import { kindsOf, normal } from '../../places.ts'
import type { Call } from '../../call.ts'
import { isCut, literal, open, OPEN, origin, type Value } from '../../reading/value.ts'
import { anyOf, raw } from '../../../patterns.ts'

const maxTexts = 200

const maxTextUnits = 4000

/** How many begins of a long text are tried. */
const maxBegins = 40

const onOneLine = /(["'`])((?:(?!\1)[^\\\n]|\\[^]){0,2000})\1/g

/** Python's three quotes, and a text over several lines as most languages allow it. */
const overLines = /("""|''')([^]{0,4000}?)\1|(["'`])((?:(?!\3)[^\\]|\\[^]){0,2000})\3/g

/** `q(…)`, `qq{…}`, `qx[…]` of Perl, `%q(…)`, `%(…)`, `%x{…}` of Ruby. */
const byLetter = /(?:\bq[qxw]?\s*|%[qQxwW]?)([({[<|!/~^#])/g

/** `<<END`, `<<~END`, `<<"END"`, `<<<END`. */
const hereBegin = /<<<?[-~]?[ ]?(["']?)([A-Za-z_]\w{0,40})\1/g

const closing: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']', '<': '>' }

/** The text behind an opening sign, up to the sign that closes it. */
const enclosed = (code: string, from: number, sign: string): string => {
  const end = closing[sign] ?? sign
  let depth = 1
  for (let at = from; at < Math.min(code.length, from + maxTextUnits); at++) {
    const char = code.charAt(at)
    if (char === '\\') at++
    else if (char === end && --depth === 0) return code.slice(from, at)
    else if (char === sign) depth++
  }
  return ''
}

const hereText = (code: string, from: number, name: string): string => {
  const start = code.indexOf('\n', from) + 1
  const rest = start === 0 ? '' : code.slice(start, start + maxTextUnits)
  const end = new RegExp(String.raw`^\s*${name}\b`, 'm').exec(rest)
  return end === null ? '' : rest.slice(0, end.index)
}

/** The text without the escapes of a language. */
export const unquoted = (text: string): string =>
  text.replaceAll(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|(n)|(t)|([^]))/g,
    (_, hex?: string, unicode?: string, line?: string, tab?: string, other?: string) =>
      (hex ?? unicode)
        ? String.fromCodePoint(Number.parseInt(hex ?? unicode ?? '0', 16))
        : line === undefined
          ? tab === undefined
            ? (other ?? '').replace('\n', '')
            : '\t'
          : '\n',
  )

/**
 * The texts in code of other languages, in all the ways in which these languages quote. A quote in a comment
 * can hide a text from one of the ways, but not from all.
 */
const textsIn = (code: string): readonly string[] => {
  // `"a" + "b"` and `"a" "b"` are one text.
  const whole = code.replaceAll(/(["'])\s*(?:[+.]\s*)?\1/g, '')
  const found = [
    ...[...code.matchAll(onOneLine)].map(([, , text = '']) => text),
    ...(whole === code ? [] : [...whole.matchAll(onOneLine)].map(([, , text = '']) => text)),
    ...[...code.matchAll(overLines)]
      .map(([, , long, , text]) => long ?? text ?? '')
      .filter((text) => text.includes('\n')),
    ...[...code.matchAll(byLetter)]
      .slice(0, maxBegins)
      .map(({ 0: begin, 1: sign = '', index }) => enclosed(code, index + begin.length, sign)),
    ...[...code.matchAll(hereBegin)]
      .slice(0, maxBegins)
      .map(({ 2: name = '', index }) => hereText(code, index, name)),
  ]
  // In some quotes of some languages, a backslash is no escape.
  return [...new Set(found.slice(0, maxTexts).flatMap((text) => [unquoted(text), text]))]
}

/** The words of a list such as `["rm", "-rf", "/"]`, as one line of a shell. */
const listsIn = (code: string): readonly string[] =>
  [...code.matchAll(/[[(]\s*((?:["'][^"'\n]{0,300}["']\s*,\s*){1,20}["'][^"'\n]{0,300}["'])/g)].map(
    ([, list = '']) =>
      [...list.matchAll(/["']([^"']*)["']/g)]
        .map(([, word = '']) => `'${unquoted(word).replaceAll("'", '')}'`)
        .join(' '),
  )

/** Longer code is judged by its begin. */
const maxCodeUnits = 32 * 1024

/** What starts a program when a bracket or a quote stands behind. */
const starters = [
  raw`os\.(?:system|popen|exec[lv]\w*|spawn\w*)|subprocess\.\w+|Popen|check_(?:output|call)|getoutput`,
  raw`pty\.spawn|commands\.get\w+|exec(?:File|Sync|FileSync)?|spawn(?:Sync)?|execa|\$`,
  raw`system|popen|shell_exec|passthru|proc_open|qx|Kernel\.\w+|Open3\.\w+|IO\.popen`,
  raw`ProcessBuilder|Runtime|do shell script`,
].join('|')

/** Starts a program or a shell. */
const starts = anyOf(
  '',
  raw`\b(?:${starters})\s*(?:[({[/"'\`!|%]|qq?\b|<<)`,
  raw`\bimport\s+(?:subprocess|pty|commands)\b|\bfrom\s+(?:subprocess|os)\s+import\b|\bchild_process\b`,
  raw`shell\s*=\s*True|\b(?:os\.execute|io\.popen|System\.cmd|os:cmd|run\s*\(\s*\`)`,
  // A quote that runs, a pipe that is opened like a file, and the pipes of awk.
  raw`\`[^\`]*\`|%x[{([]`,
  raw`\bopen\b[^\n;]{0,60}(?:["']\s*-?\||\|-?["'])`,
  raw`\|\s*getline|print\s*\|`,
)

const deletesTree = anyOf(
  '',
  raw`\b(?:rmtree|rm_rf|rm_r|remove_tree|rimraf|removeSync|emptyDirSync|removedirs|remove_dir_all)\b`,
  raw`\b(?:deleteRecursively|FileUtils\.rm\w*)\b|\brm(?:Sync|dirSync|dir)?\s*\([^)]{0,400}recursive`,
)

const deletesFile = /\b(?:os\.remove|unlink|File\.delete|rm)/

const readsFile =
  /\b(?:open|read|file|copy|load|cat|glob|getline|slurp|fopen|createReadStream|shutil\.\w)|\bFile\.open|<\s*["']/

const writesFile = anyOf(
  '',
  raw`\bwrite(?:File(?:Sync)?|_text|_bytes)?\b|appendFile|file_put_contents|createWriteStream`,
  raw`["'][rwax]b?\+?["']|>\s*["']|\b(?:rename|chmod|chown|symlink|copy\w*|move)\b`,
)

const opensNetwork = anyOf(
  '',
  raw`\burl(?:open|retrieve|lib)|\bURI\.open|\bget\s{0,9}\(?\s{0,9}["']https?:|requests?\.\w+|httpx|aiohttp`,
  raw`\b(?:open|source|include)\s*\(\s*["']https?:|file_get_contents\s*\(\s*["']https?|\bdownload\s*\(`,
  raw`https?\.(?:get|request|post)|\bfetch\s*\(|axios|XMLHttpRequest|curl_exec|Net::HTTP|open-uri|LWP::`,
  raw`socket\.|net(?:['"]\))?\.(?:connect|createConnection|Socket)|fsockopen|TCPSocket|IO::Socket|\/inet\/tcp`,
)

const sendsData =
  /\b(?:post|put|patch|send(?:all|to)?|upload|write|request|urlopen|fetch|urlencode)\b|data\s*=|body\s*:/i

const runsCode =
  /\b(?:exec|eval|compile|new Function|instance_eval|Function|vm\.run\w*|loads|load_module|require)\s*[( ]|__import__/

const decodes = anyOf(
  '',
  raw`base64|b64decode|decode64|atob\s*\(|unhexlify|fromhex|codecs\.decode|rot13|unpack\s*\(`,
  raw`\bpack\s*\(\s*["']H|zlib\.decompress|marshal\.loads|Buffer\.from|chr\s*\(|fromCharCode`,
)

const opensSocket = raw`socket|fsockopen|TCPSocket|IO::Socket|net(?:['"]\))?\.(?:connect|Socket)|createConnection`

const giveShell = anyOf(
  'i',
  raw`dup2\s*\(|pty\.spawn|\/inet\/tcp|\/bin\/(?:ba)?sh["']?\s*,\s*["']?-i`,
  raw`\b(?:${opensSocket})\b[^]{0,400}\b(?:subprocess|popen|exec(?:ute)?|spawn|system|proc_open)\b`,
  raw`\b(?:exec|spawn|system|popen)\b[^]{0,100}\b(?:TCPSocket|fsockopen)\b`,
)

/** Runs what comes from the network at once. */
const runsLoaded = /\beval\b|\b(?:source|include)\s*\(|\bexec\s*\(\s*(?!["'])|\bcompile\s*\(|new Function/

const startsDecoded = /(?:system|popen|exec|run|Popen|sh)\w*\s*\([^\n]*(?:decode|atob|base64)/

const runs = /\b(?:exec|eval|compile|Function|system|popen|run|Popen|sh)\w*\s*\(/

const readsAnswer = /read\(\)|\.text|\.content|\.body|recv|then\(|urlretrieve|urlopen/

const serves = /\b(?:bind|listen|createServer|TCPServer|HTTPServer|serve_forever)\s*\(/

const watches = /\b(?:pynput|keyboard\.(?:on_press|hook)|Keylogger|scapy|sniff\s*\(|AF_PACKET|SOCK_RAW|pcap)/i

const environment =
  /os\.environ(?!\s*[.[])|os\.environ\.(?:copy|items)|process\.env(?!\s*[.[])|ENV\.to_h|%ENV\b|\$_ENV\b|getenv\(\)/

/** Where what the code prints can come from. */
export const bringsOf = ({ texts }: Value): number =>
  (texts.some((code) => opensNetwork.test(code)) ? origin.network : 0) |
  (texts.some((code) => decodes.test(code)) ? origin.decoded : 0)

const isPath = (text: string): boolean =>
  /^[~/.\w][^\s;|&<>(){}]{0,4095}$/.test(text) && !/^https?:/.test(text)

/**
 * Judges the code of another language by what it calls and by the texts in it. It is no reader of these
 * languages: a text beside a call that deletes counts as what is deleted.
 */
export const judgeCode = (call: Call, language: string, value: Value): void => {
  const { find, machine, state } = call
  for (const whole of value.texts) {
    if (whole === OPEN) continue
    const code = whole.slice(0, maxCodeUnits)
    if (isCut(whole) || code.length < whole.length) find('unreadable', 'tooMuch')
    machine.step(1 + Math.ceil(code.length / 400))
    const texts = textsIn(code)
    machine.step(texts.length)
    const has = (pattern: RegExp): boolean => pattern.test(code)
    const paths = texts.filter(isPath).map((text) => text.replace(/^\$HOME|^%s/, '~'))
    const isStarter = has(starts) || (language === 'awk' && has(/print[^\n]*\|/))
    if (isStarter) {
      const part = machine.part
      // In code that starts programs, each text can be a command.
      for (const text of [...texts, ...listsIn(code)])
        if (/[a-z]/i.test(text) && text.length > 2 && (/\s|\//.test(text) || text.length > 4)) {
          call.runsShell(literal(text))
          machine.part = part
        }
    }
    const deletes = (meant: RegExp, isRecursive: boolean): readonly string[] => {
      const found = paths.filter((path) => meant.test(path))
      call.deletes(found.map(literal), isRecursive)
      return found
    }
    const home = has(/Path\.home|expanduser|homedir\(\)|Dir\.home|\bHOME\b/)
    if (has(deletesTree)) {
      deletes(/[/~]|^\.{1,2}$|^\w+$/, true)
      if (paths.length === 0) find('destroy', home ? 'deletesHome' : 'deletesUnknown', '~')
    } else if (has(deletesFile)) {
      deletes(/\//, false)
      const isAll = has(/\b(?:walk|glob|rglob|listdir|scandir|readdir\w*|Dir\[)/)
      if (isAll && deletes(/^[/~]/, true).length === 0 && home) find('destroy', 'deletesHome', '~')
    }
    let from = has(environment) ? origin.environment : 0
    const [isReader, isWriter] = [has(readsFile), has(writesFile)]
    for (const path of paths) {
      const kinds = kindsOf(normal(path, state.folder.texts[0] ?? '.'))
      if (isReader && (kinds.has('key') || kinds.has('maybe-key'))) from |= call.reads(literal(path)).from
      const isGuarded = kinds.has('start') || kinds.has('rights')
      if (isWriter && (isGuarded || /^\/(?:etc|usr|bin|sbin|lib|boot)\//.test(path)))
        call.writes(literal(path), open())
    }
    const isNetwork = has(opensNetwork)
    if (isNetwork && has(sendsData)) call.sends(open(from & ~origin.file))
    if (isNetwork && has(runsLoaded)) find('remote-exec', 'runsDownload')
    const isRunner = has(runsCode)
    if (has(decodes) && (isRunner || (isStarter && has(startsDecoded)))) find('remote-exec', 'runsDecoded')
    if (isNetwork && (isRunner || isStarter) && has(runs) && has(readsAnswer))
      find('remote-exec', 'runsDownload')
    if (has(giveShell) && (isNetwork || has(/socket|inet/i))) find('remote-exec', 'opensShell', '', true)
    else if (has(serves) && has(/0\.0\.0\.0|["']{2}\s*,\s*\d|INADDR_ANY|::/))
      find('remote-exec', 'opensPort', '0.0.0.0')
    if (has(/\bos\.fork\s*\(\)|\bfork\b\s*(?:\(\)|while|;)/) && has(/while|for|loop/))
      find('destroy', 'floods', '', true)
    if (has(watches)) find('secret-access', 'watchesTraffic')
    if (has(/os\.setuid|os\.chmod\([^)]*0o?[4-7]?777|chmodSync\([^)]*0o?777/))
      find('privilege', 'opensToAll', paths[0])
    if (has(/\bpsutil\b[^]*\.(?:kill|terminate)\s*\(|os\.kill\s*\(\s*(?:-1|0|1|pid|int|p\b)/))
      find('destroy', 'stopsAll')
  }
}
