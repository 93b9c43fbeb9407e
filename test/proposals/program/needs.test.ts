import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { variablesOf } from '../../../src/dialects/dialects.ts'
import { withoutHeredocs } from '../../../src/proposals/program/shell/heredocs.ts'
import { codeIn } from '../../../src/proposals/program/code/script-code.ts'
import type { CodeLanguage } from '../../../src/proposals/program/code/code-finds.ts'
import { handsOverTo, needsOf } from '../../../src/proposals/program/needs.ts'
import type { Entry } from '../../../src/core/model/hooks/entry.ts'
import { anEntry, createFixture, type Fixture } from '../../core/gatekeeper/gate-fixture.ts'
import { measureProcessor } from '../../processor-time.ts'
import { stretched } from '../../stretched.ts'
import { shellFault } from '../../../src/core/model/shell/syntax.ts'

let fixture: Fixture
/** The only folder of the hooks' PATH: a system that has a shell and nothing else. */
let bin: string
beforeEach(() => {
  fixture = createFixture()
  bin = path.join(fixture.root, 'bin')
  fs.mkdirSync(bin)
})
afterEach(() => fixture.remove())

const install = (name: string): void => fs.writeFileSync(path.join(bin, name), '#!/bin/sh\n', { mode: 0o755 })
const needsIn = (text: string, language: CodeLanguage) =>
  needsOf(text, language, codeIn(text, language, { project: '/project', origin: '/project' }, []))
const toolsIn = (text: string, language: CodeLanguage = 'shell'): readonly string[] =>
  needsIn(text, language).started
const propose = async (options: Partial<Entry> = {}) =>
  (await fixture.open({ path: bin })).propose(anEntry(options))
const lacks = (name: string): string =>
  `It starts "${name}", which is not on the hooks' PATH, so it may fail at each event, and a failure can block the step. Install it for all users of the system.`

describe('the programs that a text starts', () => {
  test.each([
    [
      'CMD=$(echo "$INPUT" | jq -r .x)\nif ! npm test; then exec python3 x.py; fi; git push & own-tool x',
      ['jq', 'npm', 'python3', 'git', 'own-tool'],
    ],
    ['true &&\\\n  jq . | xargs -0 rg x; env A=1 deno run x', ['jq', 'xargs', 'rg', 'deno']],
    ['echo "use jq, or node"; cat < jq.txt; ./node; # make it so', ['cat']],
    ['echo "$CMD" | grep -qE \'(^|;) *(php|ruby) \' || exit 0', ['grep']],
    ['[[ $CMD =~ ^(php|ruby)$ && x == y ]] && { lua x; }', ['lua']],
    ['if [[ $CMD =~ (php) ||\n  $CMD == ruby ]]; then jq .; fi', ['jq']],
    ['N=$((now / size)); for ((i=0; i<9; i++)); do (( x = y | z )); done; $(jq .)', ['jq']],
    ['case "$X" in php|ruby) jq . ;; (lua) ;; esac; V=$(case $X in php) rg x;; esac)', ['jq', 'rg']],
    [
      'log () { jq .; }\nfunction warn { rg x; }\nlog x; warn y; alias say=echo; say z',
      ['jq', 'log', 'warn', 'say'],
    ],
    ['FIRST=jq; FIRST=yq; $FIRST .; ONLY=rg; $ONLY x; "$OPEN" x', ['rg']],
    ['source "$UNKNOWN/lib.sh"; its_function x; jq .', []],
    ["cat <<\\END\nphp x\nEND\nsh -c 'lua x'", ['cat', 'sh', 'lua']],
  ])('are found in shell, and words are not: %s', (text, tools) => {
    expect(toolsIn(text)).toEqual(tools)
  })

  test.each([
    [
      'python',
      'subprocess.run(["jq", "."]); os.system("rg x | lua -"); runner.run("php x")',
      ['jq', 'rg', 'lua'],
    ],
    [
      'python',
      '"""Call subprocess.run(["php"])."""\n# os.system("ruby")\ncommand = "lua x"\nsubprocess.run(command)',
      [],
    ],
    ['python', 'def run(name): ...\nrun("php says no")', []],
    ['python', 'from subprocess import run\nrun("jq .", shell=True)', ['jq']],
    [
      'node',
      'execSync(`jq ${x}`); /php/.exec("php x"); spawn("rg", ["x"]); // execSync("lua")',
      ['jq', 'rg'],
    ],
    ['node', 'const help = \'execSync("php")\'', []],
  ] as const)('are found in %s, and words are not: %s', (language, text, tools) => {
    expect(toolsIn(text, language)).toEqual(tools)
  })

  test('are told apart from those that it looks for first', () => {
    expect(needsIn('command -v jq >/dev/null || exit 0; which rg; type lua', 'shell').sought).toEqual([
      'jq',
      'rg',
      'lua',
    ])
    expect(needsIn('if not shutil.which("jq"): sys.exit(0)', 'python').sought).toEqual(['jq'])
    const handled = 'try:\n  subprocess.run(["jq"])\nexcept FileNotFoundError: pass'
    expect(needsIn(handled, 'python')).toMatchObject({ sought: ['jq'], started: [] })
  })
})

test.each(['shell', 'python', 'node'] as const)('reading text of a %s takes linear time', (language) => {
  const tookMs = measureProcessor()
  const pieces = [
    ';',
    ' ',
    '\t;',
    'exec ',
    '|jq',
    '\n',
    '$A',
    '${AAA',
    'run(',
    'import ',
    'from "',
    "<<'A'\n",
    '~/',
    'read A ',
    '/tmp/a',
    'os.environ["',
  ]
  for (const piece of pieces) needsIn(piece.repeat((256 * 1024) / piece.length), language)
  expect(tookMs()).toBeLessThan(stretched(4000))
})

describe('what a text needs', () => {
  test.each([
    ['shell', 'curl -d "$TOKEN" "$HOOK_URL"', { network: ['curl'], variable: ['TOKEN', 'HOOK_URL'] }],
    [
      'shell',
      'NAME=$(cat)\necho "$NAME" ${OTHER:-none} ${EMPTY:-} ${PLAIN}',
      { variable: ['EMPTY', 'PLAIN'] },
    ],
    [
      'shell',
      'while read -r LINE; do echo $LINE; done; for ITEM in a; do echo $ITEM; done',
      { variable: [] },
    ],
    ['shell', 'echo >> ~/.claude/log.txt', { home: ['~/.claude/log.txt'] }],
    ['shell', '# curl ~/x $SECRET_KEY', { network: [], home: [], variable: [] }],
    [
      'shell',
      'echo \'Set $SECRET_NAME\' "or \\$SECRET_OTHER"; : ${REALLY_READ:?}',
      { variable: ['REALLY_READ'] },
    ],
    [
      'shell',
      'tee -a /tmp/audit.log; cat "$HOME/.netrc"',
      { temporary: ['/tmp/audit.log'], home: ['$HOME/.netrc'] },
    ],
    [
      'python',
      'import requests, os\nos.environ["API_KEY"]\nos.getenv("A", "b")\nos.environ.get("OPTION")',
      { package: ['requests'], network: ['requests'], variable: ['API_KEY', 'OPTION'] },
    ],
    ['python', 'try:\n    import yaml\nexcept ImportError:\n    yaml = None', { package: [] }],
    [
      'python',
      'subprocess.run(["git", "log"]); os.path.expanduser("~/.cache"); Path.home()',
      { started: ['git'], home: ['~/.cache', 'Path.home'] },
    ],
    [
      'python',
      '"""Set os.environ["SECRET_NAME"].\nimport requests\n"""\nhelp = "or os.getenv(\'OTHER_NAME\')"',
      { variable: [], package: [], network: [] },
    ],
    [
      'node',
      "const help = 'process.env.SECRET_NAME'; /* homedir() */ const key = `${process.env.API_KEY} process.env.OTHER`",
      { variable: ['API_KEY'], home: [] },
    ],
    ['python', '# /// script\n# dependencies = ["requests"]\n# ///\nimport requests', { package: [] }],
    [
      'node',
      "import axios from 'axios'\nimport fs from 'node:fs'\nexecSync('git status')\nprocess.env.TOKEN\nprocess.env.PORT ?? 1",
      { package: ['axios'], network: ['axios'], started: ['git'], variable: ['TOKEN'] },
    ],
  ] as const)('%s: %j', (language, text, expected) => {
    expect(needsIn(text, language)).toMatchObject(expected)
  })
})

test('what a script gives another program to read is none of its commands', () => {
  const script =
    "exec python3 - 3<<'PY'\njq = 1\ngit push\nPY\ncurl x\nsh <<END\nnode x\nEND\ncat <<NEVER\nruby x\n"
  expect(withoutHeredocs(script)).toBe(
    "exec python3 - 3<<'PY'\ncurl x\nsh <<END\nnode x\nEND\ncat <<NEVER\nruby x\n",
  )
  const tookMs = measureProcessor()
  withoutHeredocs('cat <<A\n'.repeat(32_000) + 'B\nA\n'.repeat(32_000))
  expect(tookMs()).toBeLessThan(stretched(1000))
})

test('the program in whose place a script puts itself is the one that its first command names', () => {
  expect(handsOverTo('#!/bin/sh\n# It reads JSON.\n\nexec python3 -IS /dev/fd/3 3<<X\n')).toBe('python3')
  expect(handsOverTo('#!/bin/sh\nread line\nexec python3 x.py\n')).toBeUndefined()
  expect(handsOverTo('#!/bin/sh\nexec "$PROGRAM"\n')).toBeUndefined()
  expect(handsOverTo('#!/bin/sh\nexec 3<&0\n')).toBeUndefined()
})

describe('before an approval', () => {
  test('a script that at once hands over to a program that is not there can only fail: it says so, and what to do', async () => {
    fixture.write('hooks/guard.sh', '#!/bin/sh\nexec python3 -I /dev/fd/3 3<<PY\nPY\n')
    expect((await propose()).problem).toEqual({
      code: 'program.interpreter',
      message: `Expected "python3", which runs "hooks/guard.sh", to be a program on the hooks' PATH, got nothing there.`,
      fix: 'Install it for all users. The script cannot work without it.',
      lacks: 'python3',
    })
    install('python3')
    expect(await propose()).toMatchObject({ fingerprint: expect.any(String) })
  })

  test('a tool that a script starts and that is not there is a remark', async () => {
    install('grep')
    fixture.write('hooks/guard.sh', '#!/bin/sh\njq -r .tool_name | grep -q bash\n')
    expect((await propose()).missing).toEqual([lacks('jq')])
    install('jq')
    expect((await propose()).missing).toBeUndefined()
  })

  test('so is one that shell text starts', async () => {
    for (const name of ['sh', 'bash', 'cat']) install(name)
    expect(
      (
        await propose({
          command: 'INPUT=$(cat)\necho "$INPUT" | jq -r .x',
          shell: 'sh',
          dialect: { name: 'docker-agent', event: 'pre_tool_use' },
        })
      ).missing,
    ).toEqual([lacks('jq')])
  })

  test('a variable that nothing sets is a remark; one of its own system, of the entry or of every hook is none', async () => {
    install('sh')
    const claude = { dialect: { name: 'claude-code', event: 'PreToolUse' }, shell: 'sh' } as const
    const command = 'echo "$CLAUDE_PROJECT_DIR $SLACK_HOOK $HOME $OTHER_KEY"'
    const told = async (options: Partial<Entry>) =>
      (await fixture.open({ path: bin, variables: variablesOf })).propose(anEntry({ command, ...options }))
        .missing
    expect(await told({ ...claude, env: { OTHER_KEY: 'x' } })).toEqual([
      'It reads "SLACK_HOOK" from the environment, but nothing sets it here. Set it with "env", which can pass on a variable of yours that gate.yaml lists.',
    ])
    expect(await told({ ...claude, env: { OTHER_KEY: 'x', SLACK_HOOK: '$SLACK_HOOK' } })).toBeUndefined()
    // The hooks of a plugin that are named as a settings file.
    const ofPlugin = { ...claude, command: 'echo "$CLAUDE_PLUGIN_ROOT" "${CLAUDE_PLUGIN_DATA}"' }
    expect(await told(ofPlugin)).toEqual([
      'It uses the folder of a plugin of Claude Code, and its file is not read as one. Name the folder of the plugin under "claude-plugin" in "sources".',
    ])
    expect(await told({ ...ofPlugin, root: 'hooks' })).toBeUndefined()
  })

  test.each([
    ['if true; then\n  echo x\n', "expected 'fi' to close 'if' in line 4"],
    ["cat <<END > x\nit's\nEND\nfor x in 1; do echo $((x << 1)); done", undefined],
    ['echo x\nfi\n', "unexpected token 'fi' in line 3"],
    ['cat <<END\nit\'s (\nEND\necho "x\n', 'unterminated double quote in line 5'],
    ['X=$(case $1 in a) echo b;; esac\n', 'unterminated command substitution in line 2'],
    [
      "[[ $1 =~ ^(a|b)$ ]] && f() { echo $'it\\'s'; }; case $1 in if) echo fi ;; (x) echo done;; esac\n",
      undefined,
    ],
  ])('a shell script that no shell can read is a remark: %j', async (text, fault) => {
    for (const name of ['cat', 'sh']) install(name)
    fixture.write('hooks/guard.sh', `#!/bin/sh\n${text}`)
    const told = `./hooks/guard.sh has a syntax error: ${fault}. So it fails at each event, and a failure can block the step.`
    expect((await propose()).missing).toEqual(fault === undefined ? undefined : [told])
  })

  test('a text that is nested too deeply to be judged is no remark', () => {
    for (const part of ['if ', 'f() ']) expect(shellFault(part.repeat(15_000), 'sh')).toBeUndefined()
    expect(shellFault('echo "', 'zsh')).toBeUndefined()
    expect(shellFault('echo "', 'sh')).toBe('unterminated double quote in line 1')
  })

  test("what lies in the person's home is a remark, unless it is sealed with the hook", async () => {
    fixture.write('hooks/guard.sh', '#!/bin/sh\necho x >> ~/.claude/log.txt\n')
    expect((await propose()).missing).toEqual([
      'It uses "~/.claude/log.txt". Hooks have their own home folder, so the files in yours are not there.',
    ])
  })

  test('a package that no folder of its Python has is a remark; one that is installed or sealed is none', async () => {
    const at = path.join(fixture.root, 'python')
    for (const folder of ['bin', 'lib/python3.99/site-packages/yaml'])
      fs.mkdirSync(path.join(at, folder), { recursive: true })
    fs.writeFileSync(path.join(at, 'bin/python3.99'), '#!/bin/sh\n', { mode: 0o755 })
    fs.symlinkSync(path.join(at, 'bin/python3.99'), path.join(bin, 'python3'))
    fixture.write('guard.py', '#!/usr/bin/env python3\nimport requests\nimport yaml\n')
    fixture.write('rich.py', '')
    expect((await propose({ command: './guard.py' })).missing).toEqual([
      'It imports "requests", which is not installed where hooks run, so it may fail at each event.',
    ])
  })

  test('a program that it looks for first and that is not there is a remark, too', async () => {
    fixture.write('hooks/guard.sh', '#!/bin/sh\ncommand -v jq > /dev/null || exit 0\njq .\n')
    expect((await propose()).missing).toEqual([
      'It looks for "jq", which is not on the hooks\' PATH, so it may do nothing. Install it for all users of the system.',
    ])
  })

  test('a script that is watched is read like one that is sealed, and a file that is only named is not', async () => {
    for (const name of ['sh', 'python3', 'git', 'cat']) install(name)
    fixture.write('tools/check.sh', '#!/bin/sh\n. tools/lib.sh\nsay\ngit add .\n')
    fixture.write('tools/lib.sh', 'say() { own-tool x; }\n')
    fixture.write('src/app.py', 'import requests\n')
    const command = 'sh tools/check.sh && cat src/app.py'
    expect(
      (await propose({ command, shell: 'sh', dialect: { name: 'claude-code', event: 'PreToolUse' } }))
        .missing,
    ).toEqual([
      'It calls "git add", but in a hook git can only read, so that call will fail. Let the agent or a person do it.',
      lacks('own-tool'),
    ])
  })

  test('what it uses and finds is said without a warning', async () => {
    for (const name of ['git', 'curl']) install(name)
    fixture.write('hooks/guard.sh', '#!/bin/sh\ngit diff | curl -T - https://example.com > /tmp/out.log\n')
    const proposal = await propose()
    expect(proposal.uses).toEqual(['git', 'the network (curl)', '/tmp/out.log'])
    expect(proposal.missing).toBeUndefined()
  })

  test("a script that asks a model through Starchild's own module says what asks one here", async () => {
    install('python3')
    const told = async () => (await propose({ command: './judge.py', event: 'on_completion_claim' })).missing
    fixture.write('judge.py', '#!/usr/bin/env python3\nfrom core import http_client\n')
    expect(await told()).toEqual([
      'It imports "core.http_client", which only Starchild has, so it fails at each event. This entry asks a model here: {event: on_completion_claim, type: llm, prompt: "…"}. Its prompt says what to judge.',
    ])
    fixture.write('judge.py', '#!/usr/bin/env python3\nfrom core.http_client import proxied_post\n')
    expect(await told()).toHaveLength(1)
    fixture.write('core/http_client.py', '')
    expect(await told()).toBeUndefined()
  })
})

describe('an example named where Starchild keeps it', () => {
  const command = './extensions/shell_hooks/examples/guard.sh --fast'
  const filesOf = async (options: Partial<Entry>): Promise<readonly string[]> =>
    (await propose(options)).files.map((file) => file.path)

  test('is ours where nothing lies there, and the card names the file that runs', async () => {
    for (const name of ['examples/guard.sh', '.hookgate-examples/guard.sh']) {
      fixture.write(name, '#!/bin/sh\n')
      expect(await filesOf({ command })).toEqual([name])
    }
    fixture.write('extensions/shell_hooks/examples/guard.sh', '#!/bin/sh\n')
    expect(await filesOf({ command })).toEqual(['extensions/shell_hooks/examples/guard.sh'])
  })

  test('is missing by its own name where there is neither', async () => {
    expect((await propose({ command })).problem?.message).toContain(
      '"extensions/shell_hooks/examples/guard.sh"',
    )
    expect(
      (await propose({ command: './extensions/shell_hooks/examples/../../../hooks/guard.sh' })).files.map(
        (file) => file.path,
      ),
    ).toEqual(['hooks/guard.sh'])
  })
})
