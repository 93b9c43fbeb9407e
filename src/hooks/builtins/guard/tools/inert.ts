import { type Tools, tools } from '../call.ts'
import { either, empty, literal, open, origin, TEMPORARY } from '../value.ts'

const none = (): undefined => undefined

/**
 * Programs whose words are no files that come to the agent, no programs and nothing that is lost. Others read what
 * their words name.
 */
const inert =
  'true false : [ test [[ ls ll la dir vdir stat file touch mkdir mkfifo mktemp basename dirname realpath readlink pwd which whereis type whatis apropos locate help info sleep wait jobs fg bg disown ulimit umask getopts let expr seq yes uptime uname hostname hostid whoami id groups who w last users tty stty clear reset tput date cal bc dc nproc arch lscpu lsblk lsusb lspci df du free top htop ps pgrep pstree lsof ss netstat ip ifconfig route arp traceroute tracepath mtr nmcli factor getconf locale sync logger exit return break continue shopt times caller dirs enable suspend logout history tree exa eza lsd ncdu jobs cmp sum cksum md5sum sha1sum sha256sum sha512sum shasum b2sum md5 size ssh-add ssh-agent ssh-copy-id-none ssh-keyscan getfacl lsattr namei pathchk tsort test-path cloc tokei scc eslint prettier tsc vitest jest mocha pytest ruff black mypy flake8 pylint rubocop gofmt rustfmt clippy-driver shellcheck shfmt hadolint yamllint markdownlint biome oxlint oxfmt stylelint actionlint pre-commit tox nox webpack vite rollup esbuild next nuxt astro gcc g++ clang clang++ cc c++ ld ar nm objdump readelf strip rustc go javac java kotlinc scalac dotnet msbuild cmake ctest meson configure ./configure autoconf automake gradle gradlew mvn mvnw ant sbt lein mix rebar3 cabal stack dune zig swiftc flutter dart composer bundle rake rails jekyll hugo mkdocs sphinx-build pandoc pdflatex xelatex latexmk ffmpeg ffprobe convert magick identify sips say open xdg-open pbcopy xclip xsel wl-copy notify-send code cursor subl idea tig lazygit delta diffstat glow'
    .split(' ')
    .join(' ')

/** Programs that print what they read. */
const showing =
  'cat head tail tac nl sort uniq cut paste join comm fold fmt expand unexpand column pr wc strings hexyl bat batcat less-none diff colordiff sdiff vimdiff rg grep egrep fgrep zgrep ag ack ugrep jq yq xq xmllint csvcut mlr look split csplit shuf ptx pv iconv-none xxd-none hexdump-none dos2unix mdcat most pg zless zmore'

export const inertTools: Tools = {
  ...tools(inert, '', none),
  ...tools('mktemp', 'd,directory u q t p= tmpdir suffix=', () => literal(`${TEMPORARY}/made`)),
  ...tools(
    showing,
    'e=,regexp= f=,file= n= c= A= B= C= m= d= t= k= o=,output= g=,glob= max-count= include= exclude= exclude-dir= color= type= arg= argjson= slurpfile= rawfile= from-file= i,ignore-case r,recursive R l q v x w s E F P h help version',
    (call) => {
      if (call.has('help', 'version')) return empty
      const isSearch = /^(?:rg|[efz]?grep|ag|ack|ugrep|[jyx]q|look|mlr)$/.test(call.name)
      const patterns = isSearch && !call.has('e', 'f') ? 1 : 0
      const isList = isSearch && call.has('l', 'q')
      const files = [
        ...call.operands.slice(patterns),
        ...(call.name === 'sort' ? [] : call.values('f')),
        ...[...call.options]
          .filter(([name]) => /^(?:files0-from|slurpfile|rawfile)$/.test(name))
          .flatMap(([, values]) => values),
      ]
      const contents = files.map((file) => (isList ? call.contentOf(file) : call.readsKey(file)))
      if (isSearch && call.has('o') && call.name === 'sort') return empty
      const content = contents.length === 0 ? call.input : either(contents)
      // Text that goes through unchanged is still known.
      return /^(?:cat|tac|head|tail|sort|uniq|bat|nl|pv)$/.test(call.name) ? content : open(content.from)
    },
  ),
  ...tools('printenv', '', (call) => (call.operands.length === 0 ? open(origin.environment) : open())),
  ...tools('ssh-keygen', 'f= t= b= C= N= P= y l R= F= q p e i m= A', () => undefined),
  ...tools('dirname', '', (call) =>
    either(call.operands.map(({ texts: [text = ''] }) => literal(text.replace(/\/[^/]*$/, '') || '/'))),
  ),
  ...tools('realpath readlink', 'f e m n q s z', (call) => call.operands[0] ?? empty),
  ...tools('basename', 'a s=', (call) =>
    either(call.operands.slice(0, 1).map(({ texts: [text = ''] }) => literal(text.replace(/^.*\//s, '')))),
  ),
  ...tools('pwd', '', (call) => call.state.folder),
  ...tools('which type whereis', 'p P t a v', (call) => call.operands[0] ?? empty),
}
