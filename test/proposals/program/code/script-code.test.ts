import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lookInside } from '../../../../src/proposals/program/inside.ts'
import { startPlane, type Plane } from '../../../plane.ts'
import { needs } from '../../../needs.ts'
import {
  anEntry,
  createFixture,
  type Fixture,
  type FixtureGate,
} from '../../../core/gatekeeper/gate-fixture.ts'
import { measureProcessor } from '../../../processor-time.ts'

let fixture: Fixture
let gate: FixtureGate
beforeEach(async () => {
  fixture = createFixture()
  gate = await fixture.open()
})
afterEach(() => fixture.remove())

const [sh, py, js] = ['#!/bin/sh\n', '#!/usr/bin/env python3\n', '#!/usr/bin/env node\n']
/** What the card of a guard with this text says. */
const said = (text: string) => {
  fixture.write('hooks/guard.sh', text)
  const { watched = [], absent = [], unsealed, missing = [] } = gate.propose(anEntry())
  return { watched: watched.map((file) => file.path), absent, unsealed, missing }
}
const knows = (...names: readonly string[]): string =>
  `it runs code of the workspace that cannot be determined (${names.join(', ')})`
const asItIs = (name: string): string => `./${name} is run at its own path and may change without notice`

describe('code that a script takes in', () => {
  test.each([
    ['by a path', '. lib/b.sh'],
    ['by the working folder', '. "$PWD/lib/b.sh"'],
    ['by what a question for that prints', '. "$(pwd)/lib/b.sh"'],
    ['in a folder that it changes to', 'cd lib && . ./b.sh'],
    ['in a shell of its own', '(cd lib; . ./b.sh)'],
    ['by a variable', 'HERE=`pwd`; LIB=$HERE/lib\n. "$LIB/b.sh"'],
    ['out of a list', 'for part in lib/a.sh lib/b.sh; do . "$part"; done'],
    ['by its project', 'source "${CLAUDE_PROJECT_DIR:-.}/lib/b.sh"'],
    ['by its repository', '. "$(git rev-parse --show-toplevel)/lib/b.sh"'],
    ['in the text of another shell', 'sh -c ". lib/b.sh"'],
    ['in text that it puts together', 'eval ". lib/b.sh"'],
  ])('%s is held to its bytes', (_, text) => {
    fs.mkdirSync(path.join(fixture.workspace, '.git'))
    fixture.write('lib/b.sh', 'echo approved\n')
    const { watched, unsealed } = said(`${sh}${text}\n`)
    expect(watched).toContain('lib/b.sh')
    expect(unsealed).toContain(
      './lib/b.sh is used at its own path; a change stops the hook. A change that is undone while the hook runs goes unnoticed',
    )
    expect(unsealed.join()).not.toContain('cannot be determined')
  })

  test.each([
    ['exec', 'exec(open("lib/b.py").read())'],
    ['exec of what was read before', 'text = open("lib/b.py").read()\nexec(text)'],
    ['runpy', 'runpy.run_path("lib/b.py")'],
    ['importlib', 'importlib.util.spec_from_file_location("b", os.path.join(os.getcwd(), "lib", "b.py"))'],
    ['a folder of modules', 'sys.path.insert(0, "lib")\nimport b'],
  ])('in Python by %s is held to its bytes', needs('python3'), (_, text) => {
    fixture.write('lib/b.py', '')
    expect(said(`${py}import sys\n${text}\n`).watched).toEqual(['lib/b.py'])
  })

  test.each([
    ['require', "require(path.join(process.cwd(), 'lib/b.js'))"],
    ['eval', "eval(fs.readFileSync('lib/b.js', 'utf8'))"],
  ])('in JavaScript by %s is held to its bytes', (_, text) => {
    fixture.write('lib/b.js', '')
    expect(said(`${js}${text}\n`).watched).toEqual(['lib/b.js'])
  })

  test('and what that takes in again is followed to its end; nothing may come where nothing was', () => {
    fixture.write('lib/a.sh', '. lib/b.sh\n')
    fixture.write('lib/b.sh', '. "$PWD/lib/c.sh"\n. lib/a.sh\n')
    fixture.write('lib/c.sh', '[ ! -r lib/late.sh ] || . lib/late.sh\n')
    const { watched, absent } = said(`${sh}. lib/a.sh\n`)
    expect({ watched, absent }).toEqual({
      watched: ['lib/a.sh', 'lib/b.sh', 'lib/c.sh'],
      absent: ['lib/late.sh'],
    })
  })

  test('by a part that is sealed beside it is held to its bytes, too', () => {
    fixture.write('hooks/part.sh', '. lib/b.sh\n')
    fixture.write('lib/b.sh', '')
    expect(said(`${sh}. "$(dirname "$0")/part.sh"\n`).watched).toEqual(['lib/b.sh'])
  })

  test('is followed so far, and what is beyond is said', () => {
    for (let at = 0; at < 12; at++) fixture.write(`lib/${at}.sh`, `. lib/${at + 1}.sh\n`)
    const deep = said(`${sh}. lib/0.sh\n`)
    expect(deep.watched).toHaveLength(7)
    expect(deep.unsealed.at(-1)).toBe('it loads more code than hookgate follows (./lib/7.sh)')
    for (let at = 0; at < 200; at++) fixture.write(`many/${at}.sh`, '')
    fixture.write('lib/a.sh', Array.from({ length: 60 }, (_, at) => `. many/${at}.sh`).join('\n'))
    fixture.write('lib/b.sh', Array.from({ length: 60 }, (_, at) => `. many/${at + 60}.sh`).join('\n'))
    const wide = said(`${sh}. lib/a.sh\n. lib/b.sh\n`)
    expect(wide.watched).toHaveLength(64)
    expect(wide.unsealed.at(-1)).toMatch(
      /^it loads more code than hookgate follows \(\.\/many\/\d+\.sh, .*, … \+53\)$/,
    )
  })
})

describe('code of the workspace that a script runs', () => {
  const isNamed = (text: string): void => {
    fixture.write('tools/x.sh', '#!/bin/sh\n')
    expect(said(`${text}\n`).unsealed).toEqual([asItIs('tools/x.sh')])
  }

  test.each([
    ['shell', `${sh}bash tools/x.sh`],
    ['shell, in a word', `${sh}out="$(bash tools/x.sh 2>&1)"`],
    ['shell, by a path', `${sh}./tools/x.sh`],
    ['shell, behind others', `${sh}timeout 10 sh tools/x.sh`],
    ['shell, in a folder', `${sh}cd tools && ./x.sh`],
    ['shell, as input', `${sh}sh < tools/x.sh`],
    ['shell, in the text that another shell reads', `${sh}sh <<END\ncd tools; ./x.sh\nEND`],
    ['shell, in what it calculates', `${sh}n=$((2 * $(./tools/x.sh) / $((k/2))))`],
    ['shell, in subshells that look like it', `${sh}n=$((./tools/x.sh) | wc -l)\n((cd . ; ./tools/x.sh))`],
    ['node, by text', `${js}execSync('./tools/x.sh')`],
    ['node, by words', `${js}spawn('bash', ['tools/x.sh'])`],
  ])('in %s is named on the card', (_, text) => isNamed(text))

  test.each([
    ['words', `${py}import subprocess\nsubprocess.run(["bash", "tools/x.sh"], check=True)`],
    ['a list before', `${py}words = ["sh", "tools/x.sh"]\nsubprocess.run(words)`],
    ['text', `${py}os.system("sh tools/x.sh")`],
  ])('in Python by %s is named on the card', needs('python3'), (_, text) => isNamed(text))

  test.each<[string, readonly string[]]>([
    [`${sh}for f in lib/*.sh; do . "$f"; done`, ['lib/*.sh']],
    [`${sh}. "$1"`, ['$1']],
    [`${sh}cd "$(jq -r .cwd)" && . ./part.sh`, ['part.sh']],
    [`${sh}find checks -name '*.sh' -exec sh {} \\;`, ['find -exec sh']],
    [`${sh}ls checks/*.sh | xargs -n1 bash`, ['xargs bash']],
    [
      `${sh}make -s lint\nout=$(npm run check)\nnpx eslint .\npython3 -m pytest -q`,
      ['make -s lint', 'npm run check', 'npx eslint .', 'python3 -m pytest'],
    ],
    [`${js}execSync(\`sh tools/\${name}.sh\`)\nawait import(plugin)`, ['tools/….sh', 'plugin']],
  ])('that no name says is said in one line: %s', (text, names) => {
    expect(said(`${text}\n`).unsealed).toEqual([knows(...names)])
  })

  test.each([
    ['subprocess.run(["bash", f"tools/{name}.sh"])', 'tools/….sh'],
    ['subprocess.run(["just", "check"])', 'just check'],
    ['sys.path.insert(0, "lib")', 'imports from ./lib'],
  ])('that no name says in Python is said in one line: %s', needs('python3'), (text, name) => {
    expect(said(`${py}${text}\n`).unsealed).toEqual([knows(name)])
  })

  test('is said in few words', () => {
    const many = Array.from(
      { length: 40 },
      (_, at) => `make ${at}${'x'.repeat(100)}\nsh tools/${at}.sh`,
    ).join('\n')
    const { unsealed } = said(`${sh}${many}\n`)
    expect(unsealed).toHaveLength(7)
    expect(unsealed.at(-1)).toMatch(
      /^it runs code of the workspace that cannot be determined \(.*, … \+\d+\)$/,
    )
    expect(unsealed.every((line) => line.length < 500)).toBe(true)
  })
})

describe('nothing is said of a script', () => {
  test.each([
    [
      'that looks beside itself',
      `${sh}DIR=$(cd "$(dirname "$0")" && pwd)\nfor f in "$DIR"/parts/*.sh; do [ -r "$f" ] && . "$f"; done\nbash "$DIR/x.sh"`,
    ],
    ['that looks in its home', `${sh}[ -s "$HOME/.nvm/nvm.sh" ] && . "$HOME/.nvm/nvm.sh"\n. ~/.profile`],
    [
      'that asks whether programs are there',
      `${sh}command -v npm >/dev/null || exit 0\nmake() { :; }\nnpm --version`,
    ],
    [
      'that names programs',
      `${sh}case "$1" in\n  make|npm) echo "run make test" ;;\n  npx) : ;;\nesac\n# make lint\necho "npm run x"`,
    ],
    [
      'that calculates',
      `${sh}date -d "@$((STAMP/1000))"\n(( (n/2) > max/3 )) && for ((at=n/4; at < 9; at++)); do : $((at)); done\n((a/2 > "$max"))`,
    ],
    [
      'that runs programs of the system',
      `${sh}input=$(cat)\necho "$input" | jq -r .tool_name | /usr/bin/grep -q x\n"$@"\n$cmd --x`,
    ],
    ['that writes a script for itself', `${sh}tmp=$(mktemp)\necho 'exit 0' > "$tmp"\nsh "$tmp"`],
    [
      'that gives words to others',
      `${sh}cat <<EOF\nnow run: make test\n. lib/x.sh\nEOF\nenv FOO=1 git status`,
    ],
    [
      'in Python that starts git',
      `${py}import subprocess, re\nsubprocess.run(["git", "status"])\nbad = ["make", "npm run"]\nre.compile("make", re.I)\nsubprocess.run(cmd, shell=True)`,
    ],
    [
      'in Python with modules beside it',
      `${py}import sys, os\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))\nHERE = Path(__file__).parent\nexec((HERE / "x.py").read_text())`,
    ],
    [
      'in JavaScript',
      `${js}const fs = require('fs')\nconst x = require(path.join(__dirname, 'x.js'))\n/a/.exec('make b')\nexecSync('git status')`,
    ],
  ])('%s', (_, text) => {
    const { watched, absent, unsealed } = said(`${text}\n`)
    expect({ watched, absent, unsealed }).toEqual({ watched: [], absent: [], unsealed: [] })
  })
})

test('text without end is read in a moment', () => {
  const parts = [
    '$(',
    '$((',
    '$((1)+',
    '((',
    '`',
    '${a:-',
    '"$a"',
    'a=$a$a\n',
    'cd $a\n',
    '(',
    '<(',
    'eval ',
    'find -exec ',
    'for f in a b c d; do . $f$f; done\n',
    'x = y\nexec(x)\n',
    'subprocess.run(["a", ',
    'require(',
    'a = open("',
  ]
  const tookMs = measureProcessor()
  for (const part of parts) {
    const content = Buffer.from(`a=1\na=2\n${part.repeat(60_000 / part.length)}`)
    for (const file of ['/w/g.sh', '/w/g.py', '/w/g.js']) lookInside({ content }, file, '/w')
  }
  expect(tookMs()).toBeLessThan(15_000)
})

describe('an approved guard', () => {
  let plane: Plane | undefined
  afterEach(async () => {
    await plane?.stop()
    plane = undefined
  })

  test('that is made of scripts blocks, and what the agent makes of one of them lets no call pass', async () => {
    plane = await startPlane('hooks:\n  - {event: pre_tool_call, command: ./hooks/g.sh}\n', {
      'hooks/g.sh': '#!/bin/sh\n. lib/a.sh\n',
      'lib/a.sh': '. lib/b.sh\n',
      'lib/b.sh': 'echo guarded >&2; exit 2\n',
    })
    await plane.ask('/hooks approve pre_tool_call ./hooks/g.sh', (text) => text.includes('Approved'))
    await plane.ask('/hooks on', (text) => text.includes('Hooks are ON'))
    expect(await plane.ask('!echo one', (text) => /guarded|one/.test(text))).toContain('guarded')
    await plane.script('lib/b.sh', 'exit 0 # ..............\n')
    const second = await plane.ask('!touch opened', (text) => text.includes('./lib/b.sh'))
    expect(second).toContain('./lib/b.sh')
    await expect(plane.read('opened')).rejects.toThrow('ENOENT')
  })
})
