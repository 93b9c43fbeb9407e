import { inQuotes } from '../../../../src/shared/base/shell.ts'
/** A way to write a command differently. It is undefined where the way does not fit the command. */
export type Wrap = (command: string) => string | undefined

/** The text as a string of JavaScript, Python, awk or Lua. */
const literal = (text: string): string => JSON.stringify(text)
/** The text as a string of Perl, Ruby or PHP, in which nothing is put in its place. */
const single = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`
/** The text as a recipe of make. */
const recipe = (text: string): string => text.replaceAll('$', '$$$$').replaceAll('\n', '; ')

const firstOf = (command: string): string => /^\S*/.exec(command)?.[0] ?? ''
const reserved = /^(?:!|\{|if|then|else|while|until|for|case|select|function|coproc|time)$/
const builtins = /^(?:\.|alias|builtin|command|eval|exec|export|set|source|trap)$/
/** It begins with a program, or with something that becomes one. */
const isCommand = (command: string): boolean =>
  !/^[(!#<>]|^\d>|^\w+\(/.test(command) && !reserved.test(firstOf(command))
/** One program with its words: no pipe, no redirection, nothing that the shell itself does. */
const isSimple = (command: string): boolean =>
  isCommand(command) && !/[|<>&;()`\n#]/.test(command) && !firstOf(command).includes('=')
/** A simple command that others can start, since the shell is not needed for it. */
const isProgram = (command: string): boolean => isSimple(command) && !builtins.test(firstOf(command))
/** Words without quotes, so that a space separates them. */
const isPlain = (command: string): boolean => isSimple(command) && !/["'\\{}$]/.test(command)
/** Something can follow on the same line: nothing there ends with the line. */
const isOpen = (command: string): boolean => !/[\n#]|&$/.test(command)
const when =
  (fits: (command: string) => boolean, wrap: Wrap): Wrap =>
  (command) =>
    fits(command) ? wrap(command) : undefined
const plain = (wrap: (words: readonly string[], command: string) => string | undefined): Wrap =>
  when(isPlain, (command) => wrap(command.split(/\s+/), command))
const inline = (wrap: Wrap): Wrap => when(isOpen, wrap)
const before =
  (prefix: string): Wrap =>
  (command) =>
    `${prefix} ${command}`
/** A command to whose end a reserved word is added. */
const ended = (command: string): string => `${command}${isOpen(command) ? ';' : '\n'}`
/** A command between brackets. Two brackets in a row would begin an arithmetic expression. */
const inside = (command: string): string =>
  `${command.startsWith('(') ? ' ' : ''}${command}${isOpen(command) ? '' : '\n'}`
/** The end of a here-document that does not stand in the command. */
const endOf = (command: string): string => (command.includes('EOF') ? 'END' : 'EOF')
/** The program's own name, written differently. */
const named =
  (write: (name: string) => string): Wrap =>
  (command) => {
    const name = firstOf(command)
    return /^\w[\w.-]+$/.test(name) && !reserved.test(name)
      ? `${write(name)}${command.slice(name.length)}`
      : undefined
  }
/** A program that the line brings under another name. */
const byAnotherName =
  (bring: (name: string) => string): Wrap =>
  (command) => {
    const name = firstOf(command)
    const written = named(() => './other')(command)
    return written === undefined || builtins.test(name) ? undefined : `${bring(name)}; ${written}`
  }
const escapes = (name: string, write: (unit: number) => string): string =>
  name.replaceAll(/./g, (char) => `\\${write(char.charCodeAt(0))}`)
const shell =
  (prefix: string, suffix = ''): Wrap =>
  (command) =>
    `${prefix} ${inQuotes(command)}${suffix}`

/** Programs that run the words behind them. */
const runners: readonly string[] = [
  'sudo',
  'sudo -E -u root',
  'doas',
  'env',
  'env -i PATH=/bin LANG=C',
  'env -u HOME --',
  'nohup',
  'timeout 5',
  'timeout -k 1 --signal=KILL 5m',
  'nice -n 5',
  'ionice -c 3',
  'stdbuf -oL',
  'setsid -f',
  'time -p',
  'strace -f -o /tmp/trace',
  'unshare -r',
  'flock /tmp/lock',
  'systemd-run --user --',
  'chroot /mnt',
  'taskset -c 0',
  'ls | xargs -I{}',
  'docker exec -u root web',
  'docker compose exec web',
  'kubectl exec web-0 -c app --',
  'tmux new-session -d',
  'screen -dm',
  'command',
  'command -p',
  'exec',
  'exec -a shell',
  'caffeinate -i',
  'setpriv --reuid 0',
  'prlimit --nofile=64',
  'ip netns exec blue',
  'fakeroot',
  'xvfb-run -a',
  'uv run',
  'poetry run',
  'bundle exec',
  'pnpm exec',
  'conda run -n base',
  'direnv exec .',
]

/** Programs that join the words behind them and give them to a shell, so that quotes are gone by then. */
const joiners: readonly string[] = ['watch -n 2', 'ssh -p 2222 bob@db.example.net', 'ssh db --']

/** Programs that run one word as a shell's command. */
const shells: Readonly<Record<string, Wrap>> = {
  'sh -c': shell('sh -c'),
  'bash -lc': shell('bash -lc'),
  'a shell by its path': shell('/usr/bin/env bash -e -o pipefail -c', ' name a b'),
  'zsh -c': shell('zsh -c'),
  'sudo sh -c': shell('sudo -n sh -c'),
  'su -c': shell('su - postgres -c'),
  runuser: shell('runuser -l bob -c'),
  eval: shell('eval'),
  'builtin eval': shell('builtin eval'),
  'eval of a shell': (command) => `eval ${inQuotes(`sh -c ${inQuotes(command)}`)}`,
  ssh: shell('ssh -i key bob@db.example.net'),
  'ssh and a shell': (command) => `ssh db ${inQuotes(`bash -c ${inQuotes(command)}`)}`,
  'docker exec': shell('docker exec -it web sh -c'),
  'kubectl exec': shell('kubectl exec -it web-0 -- sh -c'),
  tmux: shell('tmux new -d -s work'),
  'tmux send-keys': shell('tmux send-keys -t work', ' Enter'),
  screen: shell('screen -dmS work bash -c'),
  'nohup sh -c': shell('nohup sh -c', ' >/dev/null 2>&1 &'),
  watch: shell('watch'),
  'parallel :::': shell('parallel :::'),
  'pipe into parallel': inline(shell('echo', ' | parallel')),
  'xargs sh -c': shell('ls | xargs -I{} sh -c'),
  // `find` puts a name in the place of each `{}`.
  'find -exec sh -c': when(
    (command) => !command.includes('{}'),
    shell('find . -maxdepth 0 -exec sh -c', String.raw` \;`),
  ),
  script: shell('script -q -c', ' /dev/null'),
  'flock -c': shell('flock /tmp/lock -c'),
  'env -S': (command) => `env -S ${inQuotes(`sh -c ${inQuotes(command)}`)}`,
  'systemd-run': shell('systemd-run --wait sh -c'),
  'nix-shell': shell('nix-shell --run'),
  ansible: shell('ansible all -m shell -a'),
  'vagrant ssh': shell('vagrant ssh -c'),
  'split --filter': shell('split --filter', ' big.txt'),
  'busybox sh': shell('busybox sh -c'),
  trap: shell('trap', ' EXIT'),
  'git alias': (command) => `git -c ${inQuotes(`alias.x=!${command}`)} x`,
  'git rebase --exec': shell('git rebase --exec', ' main'),
  'git submodule foreach': shell('git submodule foreach'),
  'git difftool -x': shell('git difftool -x'),
  'git bisect run': shell('git bisect run sh -c'),
  'git fetch --upload-pack': shell('git fetch --upload-pack', ' origin'),
  'git grep -O': (command) => `git grep ${inQuotes(`-O${command}`)} x`,
  'a filter of git': (command) => `git -c ${inQuotes(`filter.x.clean=${command}`)} add .`,
  'settings of git in variables': (command) =>
    `GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0=${inQuotes(command)} git log`,
  'bash --rcfile': (command) => `bash --rcfile <(echo ${inQuotes(command)}) -i`,
  'a function in the environment': inline(
    (command) => `env ${inQuotes(`BASH_FUNC_ls%%=() { ${command}; }`)} bash -c ls`,
  ),
  'the settings of ssh': inline(
    (command) => `echo ${inQuotes(`ProxyCommand ${command}`)} > settings; ssh -F settings db`,
  ),
  'tar --info-script': (command) => `tar cf /dev/null --info-script=${inQuotes(command)} .`,
  'npm pkg set': (command) => `npm pkg set ${inQuotes(`scripts.x=${command}`)} && npm run x`,
  'a script of npm': (command) =>
    /["\\{}]/.test(command)
      ? undefined
      : `echo ${inQuotes(`{"scripts": {"x": ${literal(command)}}}`)} > package.json; npm run x`,
  'a recipe in a file': inline(
    (command) => `printf 'all:\\n\\t%s\\n' ${inQuotes(recipe(command))} > Makefile; make all`,
  ),
  'vim +': inline((command) => `vim -es ${inQuotes(`+r !${command}`)} +q`),
  ed: inline((command) => `echo ${inQuotes(`!${command}`)} | ed`),
  'a program in PATH': (command) =>
    `echo ${inQuotes(command)} > bin/ls; chmod +x bin/ls; PATH="bin:$PATH" ls`,
  'a stream by its name': (command) => `sh /dev/fd/3 3<<< ${inQuotes(command)}`,
  'the input by its name': (command) => `sh /proc/self/fd/0 <<< ${inQuotes(command)}`,
  'dd into a file': (command) => `dd if=/dev/stdin of=run.sh <<< ${inQuotes(command)}; sh run.sh`,
  'sed -f': inline((command) => `echo ${inQuotes(`1e ${command}`)} > a.sed; sed -f a.sed x`),
  'sed between': shell('echo', ' | sed s/x/y/ | sh'),
  'awk -f': inline(
    (command) => `echo ${inQuotes(`BEGIN { system(${literal(command)}) }`)} > a.awk; awk -f a.awk`,
  ),
  GIT_SSH_COMMAND: (command) => `GIT_SSH_COMMAND=${inQuotes(command)} git fetch`,
  PAGER: (command) => `PAGER=${inQuotes(command)} man ls`,
  'tar --checkpoint-action': (command) =>
    `tar cf /dev/null --checkpoint=1 --checkpoint-action=${inQuotes(`exec=${command}`)} .`,
  'tar --to-command': (command) => `tar xf a.tar --to-command=${inQuotes(command)}`,
  'rsync --rsync-path': shell('rsync -a --rsync-path', ' a b:c'),
  RSYNC_RSH: (command) => `RSYNC_RSH=${inQuotes(`sh -c ${inQuotes(command)}`)} rsync a b:c`,
  'a program with the name of another': (command) => `echo ${inQuotes(command)} > ls; chmod +x ls; ./ls`,
  'rsync --rsh': (command) => `rsync -a -e ${inQuotes(`sh -c ${inQuotes(command)}`)} a b:c`,
  'ssh ProxyCommand': inline((command) => `ssh -o ${inQuotes(`ProxyCommand=${command}`)} db`),
  vim: inline((command) => `vim -es -c ${inQuotes(`!${command}`)} -c q`),
  gdb: inline((command) => `gdb -batch -ex ${inQuotes(`shell ${command}`)}`),
  'psql \\!': inline((command) => `psql -c ${inQuotes(String.raw`\! ${command}`)}`),
  'npm exec': shell('npm exec -c'),
  expect: inline((command) => `expect -c ${inQuotes(`spawn sh -c {${command}}`)}`),
  osascript: (command) => `osascript -e ${inQuotes(`do shell script ${literal(command)}`)}`,
  at: shell('echo', ' | at now'),
  'at <<<': shell('at now + 1 minute <<<'),
  crontab: inline((command) => `echo ${inQuotes(`* * * * * ${command}`)} | crontab -`),
  'pipe into sh': shell('echo', ' | sh'),
  'printf into bash': shell(String.raw`printf '%s\n'`, ' | bash -s'),
  'here-string': shell('bash <<<'),
  'a file that is run': shell('echo', ' > run.sh && bash run.sh'),
  'a file that is sourced': shell('echo', ' > run.sh; . ./run.sh'),
  'a file made executable': shell('echo', ' > run.sh; chmod +x run.sh; ./run.sh'),
}

/** Other languages, with code on the line. */
const languages: Readonly<Record<string, Wrap>> = {
  'python os.system': (command) => `python3 -c ${inQuotes(`import os; os.system(${literal(command)})`)}`,
  'python subprocess': (command) =>
    `python -c ${inQuotes(`import subprocess as s\ns.run(${literal(command)}, shell=True)`)}`,
  'python on stdin': (command) => `python3 - <<'PY'\nimport os\nos.system(${literal(command)})\nPY`,
  'node -e': (command) => `node -e ${inQuotes(`require("child_process").execSync(${literal(command)})`)}`,
  'node spawn': (command) =>
    `node -e ${inQuotes(`require("node:child_process").spawnSync("sh", ["-c", ${literal(command)}])`)}`,
  'perl -e': (command) => `perl -e ${inQuotes(`system(${single(command)})`)}`,
  'python with three quotes': (command) =>
    /"|\\/.test(command)
      ? undefined
      : `python3 -c ${inQuotes(`import os\nos.system("""\nset -e\n${command}\n""")`)}`,
  'perl q{}': (command) =>
    /[{}\\]/.test(command) ? undefined : `perl -e ${inQuotes(`system q{${command}}`)}`,
  'perl here-document': (command) =>
    command.includes('PERL') ? undefined : `perl -e ${inQuotes(`system(<<'PERL');\n${command}\nPERL\n`)}`,
  'ruby %q()': (command) =>
    /[()\\]/.test(command) ? undefined : `ruby -e ${inQuotes(`exec %q(${command})`)}`,
  'php over lines': (command) => `php -r ${inQuotes(`system(${single(`set -e\n${command}`)});`)}`,
  'perl exec': (command) => `perl -we ${inQuotes(`exec ${single(command)};`)}`,
  'ruby -e': (command) => `ruby -e ${inQuotes(`system(${single(command)})`)}`,
  'php -r': (command) => `php -r ${inQuotes(`shell_exec(${single(command)});`)}`,
  awk: (command) => `awk ${inQuotes(`BEGIN { system(${literal(command)}) }`)}`,
  'lua -e': (command) => `lua -e ${inQuotes(`os.execute(${literal(command)})`)}`,
  'make -f -': (command) =>
    command.includes('\n') ? undefined : `make -f - <<'MK'\nall:\n\t${recipe(command)}\nMK`,
}

/** What the grammar of a shell has around a command. */
const grammar: Readonly<Record<string, Wrap>> = {
  'a subshell': (command) => `(${inside(command)})`,
  'a group': (command) => `{ ${ended(command)} }`,
  'after &&': before('cd . &&'),
  'after ||': before('false ||'),
  'after ;': before('ls;'),
  'after a line': (command) => `ls\n${command}`,
  'before &&': inline((command) => `${command} && ls`),
  'in the background': inline((command) => `${command} &`),
  'in a pipeline': inline((command) => `${command} | tail -n 1`),
  not: before('!'),
  if: (command) => `if true; then ${ended(command)} fi`,
  'a condition': (command) => `if ${ended(command)} then ls; fi`,
  else: (command) => `if false; then :; else\n${command}\nfi`,
  while: (command) => `while true; do ${ended(command)} break; done`,
  until: (command) => `until ${ended(command)} do sleep 1; done`,
  for: (command) => `for i in a b; do ${ended(command)} done`,
  'for ((': (command) => `for ((i = 0; i < 1; i++)); do ${ended(command)} done`,
  case: (command) => `case x in y) ls ;; *) ${inside(command)} ;; esac`,
  select: (command) => `select x in a; do ${ended(command)} done`,
  'a function': (command) => `f() { ${ended(command)} }; f`,
  'a function that has the name of a program': named(
    (name) => `${name}() { command ${name} "$@"; }\n${name}`,
  ),
  'a function that gives itself another body': (command) => `f() { f() { ${ended(command)} }; f; }; f`,
  'a name that a branch gives to something else': named((name) =>
    builtins.test(name) ? name : `false && alias ${name}=echo; if false; then ${name}() { :; }; fi; ${name}`,
  ),
  'a function of bash': (command) => `function tidy {\n${command}\n}\ntidy now`,
  'an alias': (command) => `alias tidy=${inQuotes(command)}\ntidy`,
  coproc: (command) => `coproc { ${ended(command)} }`,
  '$( )': (command) => `echo "$(${inside(command)})"`,
  '$( ) in a variable': (command) => `out=$(${inside(command)}); echo "$out"`,
  backticks: (command) => (/[`\\$]/.test(command) ? undefined : `echo \`${inside(command)}\``),
  '<( )': (command) => `diff <(${inside(command)}) /dev/null`,
  '>( )': (command) => `ls > >(${inside(command)})`,
  '$( ) in a here-document': (command) => `cat <<${endOf(command)}\n$(${inside(command)})\n${endOf(command)}`,
  '$( ) in a default': (command) => `echo "\${x:-$(${inside(command)})}"`,
  'a here-document': (command) => `sh <<'${endOf(command)}'\n${command}\n${endOf(command)}`,
  'a here-document with tabs': when(
    (command) => !/[$`\\]/.test(command),
    (command) => `bash -s <<-${endOf(command)}\n\t${command}\n\t${endOf(command)}`,
  ),
  'a here-document through a pipe': (command) =>
    `cat <<'${endOf(command)}' | sh\n${command}\n${endOf(command)}`,
  'a file by a here-document': (command) =>
    `cat > run.sh <<'${endOf(command)}'\n#!/bin/sh\n${command}\n${endOf(command)}\nsh run.sh`,
  'a here-document of ssh': (command) => `ssh db <<'${endOf(command)}'\n${command}\n${endOf(command)}`,
  'a redirection': inline((command) => `${command} > /dev/null 2>&1`),
  'a redirection in front': when(isCommand, before('2>/dev/null')),
  'a comment': inline((command) => `${command} # tidy up`),
  'a comment in front': (command) => `# it's a "test"\n${command}`,
  'a line continuation': when(isCommand, (command) => command.replace(' ', ' \\\n  ')),
  'more spaces': (command) => command.replace(' ', '\t  '),
  'a variable in front': when(isCommand, before('LC_ALL=C')),
}

/** Another spelling of the program or of its words. */
const spellings: Readonly<Record<string, Wrap>> = {
  'quotes in the name': named((name) => `${name.slice(0, 1)}""${name.slice(1)}`),
  'the name in quotes': named((name) => `'${name}'`),
  'a backslash in front': named((name) => `\\${name}`),
  'a backslash within': named((name) => `${name.slice(0, 1)}\\${name.slice(1)}`),
  "$'\\x'": named((name) => `$'${escapes(name, (unit) => `x${unit.toString(16)}`)}'`),
  "$'\\0'": named((name) => `$'${escapes(name, (unit) => unit.toString(8).padStart(3, '0'))}'`),
  'a path': named((name) => (builtins.test(name) ? name : `/usr/bin/${name}`)),
  'a long path': named((name) => (builtins.test(name) ? name : `/usr/../usr/bin/./${name}`)),
  'a variable for the name': (command) =>
    named(() => '$tool')(command) === undefined
      ? undefined
      : `tool=${firstOf(command)}; ${named(() => '$tool')(command) ?? ''}`,
  '$( ) for the name': named((name) => `$(echo ${name})`),
  'two variables for the name': (command) => {
    const written = named(() => '$a$b')(command)
    return written === undefined
      ? undefined
      : `a=${command.slice(0, 1)} b=${firstOf(command).slice(1)}; ${written}`
  },
  'a link to the program': byAnotherName((name) => `ln -s /usr/bin/${name} ./other`),
  'a copy of the program': byAnotherName((name) => `cp "$(command -v ${name})" ./other`),
  '$(command -v)': named((name) => (builtins.test(name) ? name : `"$(command -v ${name})"`)),
  'a nested default': named((name) => `\${nothing:-${name}}`),
  'brace expansion': plain((words) =>
    words.some((word) => word.includes(',')) ? undefined : `{${words.join(',')}}`,
  ),
  'braces in a word': plain((words) => words.map((word, at) => (at === 0 ? word : `{${word},}`)).join(' ')),
  // A tilde within a word is no home.
  IFS: plain((words, command) => (command.includes('~') ? undefined : words.join('${IFS}'))),
  'all words in quotes': plain((words) =>
    words.map((word) => (word.startsWith('~') ? word : `"${word}"`)).join(' '),
  ),
  'a variable for the last word': plain((words) =>
    words.length < 2 ? undefined : `x=${words.at(-1)}; ${words.slice(0, -1).join(' ')} "$x"`,
  ),
  'a loop for the last word': plain((words) =>
    words.length < 2 ? undefined : `for x in ${words.at(-1)}; do ${words.slice(0, -1).join(' ')} $x; done`,
  ),
  'an exported variable': plain((words) =>
    words.length < 2 ? undefined : `export x=${words.at(-1)}\n${words.slice(0, -1).join(' ')} "\${x}"`,
  ),
  'an array': when(isSimple, (command) => `a=(${command}); "\${a[@]}"`),
  'set --': when(isSimple, (command) => `set -- ${command}; "$@"`),
  'xargs with the last word': plain((words) =>
    words.length < 2 ? undefined : `echo ${words.at(-1)} | xargs ${words.slice(0, -1).join(' ')}`,
  ),
  'find -exec': when(isProgram, (command) => `find . -name x -exec ${command} \\;`),
  'what awk prints': (command) => `awk 'BEGIN { print x }' x=${inQuotes(command)} | sh`,
  'what Python prints': (command) => `python3 -c ${inQuotes(`print(${literal(command)})`)} | sh`,
  'the input of a coprocess': (command) => `coproc { sh; }\necho ${inQuotes(command)} >&"\${COPROC[1]}"`,
  'a filter of lines': (command) => `grep . <<< ${inQuotes(command)} | sh`,
  'a prompt': (command) => `x=${inQuotes(`$(${inside(command)})`)}; echo "\${x@P}"`,
  'find -execdir': when(isProgram, (command) => `find . -execdir ${command} \\;`),
}

export const wrappings: readonly (readonly [name: string, wrap: Wrap])[] = [
  ...runners.map((runner) => [runner, when(isProgram, before(runner))] as const),
  ...joiners.map((joiner) => [joiner, when(isPlain, before(joiner))] as const),
  ...[shells, languages, grammar, spellings].flatMap((table) => Object.entries(table)),
]
