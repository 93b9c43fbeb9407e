import { ofAll } from '../places.ts'
import { type Call, type Programs, tools } from '../call.ts'
import {
  either,
  empty,
  filtered,
  fits,
  literal,
  open,
  origin,
  originsOf,
  TEMPORARY,
  textOf,
  textsOf,
  type Value,
  valueOf,
} from '../reading/value.ts'
import { ofDevelopers } from './system.ts'

/** Words by which keys are searched. */
const keyWords = /PRIVATE KEY|AKIA|passw|secret|api[_-]?key|token|credential|mnemonic/i

/** Prints where a program is. */
export const placeOf = ({ operands: [name] }: Call): Value =>
  name === undefined
    ? empty
    : { ...name, texts: name.texts.map((text) => (text.includes('/') ? text : `/usr/bin/${text}`)) }

export const inertTools: Programs = {
  // Programs that do nothing with the content of what they name.
  ...tools`ls ll la dir vdir stat file whatis apropos locate help info expr seq yes uptime uname hostname
    hostid whoami id groups who w last users tty cal bc dc nproc lscpu lsblk lsusb lspci df du free top htop
    pstree ss netstat ifconfig route arp traceroute tracepath mtr nmcli factor getconf locale caller dirs
    tree exa eza lsd ncdu sum cksum md5sum sha1sum sha256sum sha512sum shasum b2sum md5 size ssh-keyscan
    getfacl lsattr namei pathchk open xdg-open notify-send`(() => open()),
  // Programs of developers, which read what their words name.
  ...tools`cmp ssh-agent tsort test-path cloc tokei scc eslint prettier tsc vitest jest mocha pytest ruff
    black mypy flake8 pylint rubocop gofmt rustfmt clippy-driver shellcheck shfmt hadolint yamllint
    markdownlint biome oxlint oxfmt stylelint actionlint pre-commit tox nox webpack vite rollup esbuild next
    nuxt astro ld ar nm objdump readelf strip go javac kotlinc scalac msbuild cmake ctest meson configure
    autoconf automake ant rebar3 dune zig swiftc flutter dart jekyll hugo mkdocs sphinx-build pandoc
    pdflatex xelatex latexmk ffmpeg ffprobe convert magick identify sips say pbcopy xclip xsel wl-copy code
    cursor subl idea tig lazygit delta diffstat glow`((call) => {
    call.readsWords()
    return open()
  }),
  ...tools`gcc g++ cc c++ clang clang++ rustc: o= x= I= L= l= D= std=`((call) => {
    const [target = literal('a.out')] = call.values('o')
    call.readsWords()
    call.writes(target, open(originsOf(call.operands.map(call.contentOf))))
  }),
  ...tools`true false : [ test [[ touch mkdir mkfifo sleep wait jobs fg bg disown ulimit umask getopts let
    clear reset tput sync logger exit return break continue shopt times suspend logout stty ssh-add`(
    () => empty,
  ),
  // They find programs that the line did not start.
  ...tools`ps`(() => open(origin.list)),
  ...tools`pgrep pidof`((call) =>
    call.operands.some((word) => fits(word, ofDevelopers)) ? literal('0') : open(origin.list),
  ),
  // It finds the program that holds a port or a file.
  ...tools`lsof`(() => literal('0')),
  ...tools`mktemp: p= suffix=`(() => literal(`${TEMPORARY}/made`)),
  // Programs that print what they read.
  ...tools`cat head tac nl sort uniq cut paste join comm fold fmt expand unexpand column pr wc strings hexyl
    bat batcat diff colordiff sdiff vimdiff xmllint csvcut csplit shuf ptx pv dos2unix mdcat most pg zless
    zmore:
    n= c= t= k= d= o=,output= f=,file= files0-from= s= w= help! version!`((call) => {
    const content = call.shows([...call.operands, ...call.values('files0-from')])
    // Text that goes through unchanged is still known.
    return /^(?:cat|tac|head|tail|sort|uniq|bat|nl|pv)$/.test(call.name) ? content : filtered(content)
  }),
  ...tools`date: f=,file= d=,date= s= r=,reference= help`((call) => {
    for (const file of call.values('f')) call.readsKey(file)
    return open()
  }),
  ...tools`tail: n= c= s= pid=`((call) => call.shows(call.operands)),
  ...tools`rg grep egrep fgrep zgrep ag ack ugrep jq yq xq look mlr:
    e=,regexp= f=,file= A= B= C= m=,max-count= g=,glob= include= exclude= exclude-dir= color= t=,type= arg=
    argjson= slurpfile= rawfile= from-file= l,files-with-matches q,quiet help! version!`((call) => {
    const isGiven = call.has('e', 'f')
    const files = call.operands.slice(isGiven ? 0 : 1)
    const wanted = [...call.operands.slice(0, isGiven ? 0 : 1), ...call.values('e')]
    if (
      wanted.some((word) => fits(word, keyWords)) &&
      (files.length === 0
        ? (call.input.from & origin.environment) !== 0
        : files.some((file) => fits(file, ofAll)))
    )
      call.find('secret-access', 'searchesKeys', textOf(wanted[0]))
    const isList = call.has('l', 'L', 'q', 'c')
    const read = [...files, ...call.values('f slurpfile rawfile')]
    return filtered(call.shows(read, isList ? call.contentOf : call.readsKey))
  }),
  ...tools`split: filter= a= b= l= n= C=`((call) => {
    for (const line of call.values('filter')) call.runsShell(line)
    call.readsWords()
    return open()
  }),
  ...tools`printenv`((call) => {
    for (const name of textsOf(call.operands))
      if (keyWords.test(name)) call.find('secret-access', 'printsKey', name)
    return open(call.operands.length === 0 ? origin.environment : 0)
  }),
  ...tools`ssh-keygen: f= t= b= C= N= P= R= F= m=`(() => undefined),
  ...tools`dirname`((call) =>
    either(textsOf(call.operands).map((text) => literal(text.replace(/\/[^/]*$/, '') || '/'))),
  ),
  ...tools`realpath readlink`((call) => call.operands[0] ?? empty),
  ...tools`basename: s=`((call) =>
    call.operands.length === 0 ? valueOf([]) : literal(call.text(0).replace(/^.*\//s, '')),
  ),
  ...tools`pwd`((call) => call.state.folder),
  ...tools`which type whereis`(placeOf),
}
