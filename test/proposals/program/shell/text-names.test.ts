import { expect, test } from 'vitest'
import { namesIn } from '../../../../src/proposals/program/shell/text-names.ts'
import { measureProcessor } from '../../../processor-time.ts'
import { stretched } from '../../../stretched.ts'

const read = (text: string, env: Readonly<Record<string, string>> = {}) =>
  namesIn(text, { project: '/w' }, env)
const written = (text: string): readonly string[] => [...read(text).written]

test.each([
  ['./a.sh && python3 b.py', ['./a.sh', 'python3', 'b.py']],
  ['"./my hooks/a b.sh" x', ['./my hooks/a b.sh', 'x']],
  ["'./a b.sh' ./c\\ d.sh ./e\"f\"'g'.sh", ['./a b.sh', './c d.sh', './efg.sh']],
  ['cat <<EOF >./out\nhi\nEOF\n./a.sh', ['./out', './a.sh']],
  ['./a.sh \\\n  ./b.sh', ['./a.sh', './b.sh']],
  ['# don\'t\n./a.sh # nor "this\n./b.sh', ['./a.sh', './b.sh']],
  ['"a\\"b.sh"', ['a"b.sh']],
  ['if ./a.sh;then (./b.sh)&./c.sh|./d.sh;fi', ['./a.sh', './b.sh', './c.sh', './d.sh']],
])('the words of %j are read as a shell reads them', (text, words) => {
  expect([...read(text).words]).toEqual(expect.arrayContaining(words))
})

test.each([
  ['echo "$(cat ./rules.txt)"', './rules.txt'],
  ['x=`./a.sh`', './a.sh'],
  ['python3 -c "exec(open(\'./x.py\').read())"', './x.py'],
  ['./a --rules=./r.txt', './r.txt'],
  ['RULES=./r.txt ./a', './r.txt'],
  ['curl -d @./body.json localhost', './body.json'],
  ["cat <<'E'\nit's\nE\n. ./lib.sh", './lib.sh'],
  ['PATH=./bin/x:./y node', './y'],
])('what %j names inside quotes, substitutions and words is found', (text, name) => {
  expect(read(text).any).toContain(name)
})

test.each([
  '$CLAUDE_PROJECT_DIR/.claude/a.sh',
  '"$CLAUDE_PROJECT_DIR"/.claude/a.sh',
  '"$CLAUDE_PROJECT_DIR/.claude/a.sh"',
  '${CLAUDE_PROJECT_DIR}/.claude/a.sh',
  '"${COPILOT_PROJECT_DIR}"/.claude/a.sh',
  '"${COPILOT_PROJECT_DIR:-.}"/.claude/a.sh',
  'echo "x $(sh "$CLAUDE_PROJECT_DIR"/.claude/a.sh)"',
])("the project's folder stands for the workspace in %j", (text) => {
  expect(read(text).any).toContain('/w/.claude/a.sh')
})

test('a variable that only begins like it, or that the hook sets itself, is not the workspace', () => {
  expect(
    [...read('$CLAUDE_PROJECT_DIRECTORY/a.sh $OTHER/a.sh ${x}/a.sh').any].filter((name) =>
      name.startsWith('/'),
    ),
  ).toEqual([])
  expect(read('$CLAUDE_PROJECT_DIR/a.sh', { CLAUDE_PROJECT_DIR: '/else' }).any).toContain('/else/a.sh')
})

test('what the text writes itself is known: behind an arrow, and behind tee, touch and rm', () => {
  expect(written('./a.sh > ./o1 2>>./o2 &> ./o3; echo x >|./o4')).toEqual(['./o1', './o2', './o3', './o4'])
  expect(written('x | tee -a ./o1 ./o2; touch ./o3 && ./b.sh')).toEqual(['./o1', './o2', './o3'])
  expect(written('if true; then rm -f ./o1; fi; ./b.sh')).toEqual(['./o1'])
  expect(written('./a.sh < ./in; echo tee ./b.sh; ./c.sh 2>&1 ./d.sh')).toEqual([])
})

test('the folders that it changes to are known', () => {
  expect([...read('cd "$CLAUDE_PROJECT_DIR/sub" && ./a.sh; pushd other; echo cd no').folders]).toEqual([
    '/w/sub',
    'other',
  ])
})

test.each([
  ['python3 check.py || true', ['check.py']],
  ['. lib.sh; source b; bash -e run', ['lib.sh', 'b', 'run']],
  ['X=1 exec node guard.mjs --x y.js', ['guard.mjs']],
  ['cat | python3 - <<E\nx\nE', []],
  ["sh -c 'x' y; python3 -m json.tool; perl -ne 'p' z; node <in.js; echo sh x", []],
])('what %j gives to an interpreter is known', (text, scripts) => {
  expect([...read(text).scripts]).toEqual(scripts)
})

test('hostile text is read in a moment', () => {
  const size = 32 * 1024
  for (const piece of [
    '${CLAUDE_PROJECT_DIR:-',
    '"',
    "'\\",
    '>|&',
    '#',
    'a/',
    '=:,@',
    '`$(',
    '\uE000"',
    'cd x;',
    '\\\n',
  ]) {
    const tookMs = measureProcessor()
    namesIn(piece.repeat(size / piece.length), { project: '/w', home: '/h', top: '/t' }, {})
    expect(tookMs(), piece).toBeLessThan(stretched(500))
  }
})
