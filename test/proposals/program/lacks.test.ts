import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Entry } from '../../../src/core/model/hooks/entry.ts'
import { codeIn } from '../../../src/proposals/program/code/script-code.ts'
import { anEntry, createFixture, type Fixture } from '../../core/gatekeeper/gate-fixture.ts'

let fixture: Fixture
/** The only folder of the hooks' PATH: a system that has a shell and nothing else. */
let bin: string
beforeEach(() => {
  fixture = createFixture()
  bin = path.join(fixture.root, 'bin')
  fs.mkdirSync(bin)
})
afterEach(() => fixture.remove())

const code = (text: string) => codeIn(text, 'shell', { project: '/project', origin: '/project' }, [])
const remarks = async (script: string, options: Partial<Entry> = {}): Promise<readonly string[]> => {
  fixture.write('hooks/guard.sh', `#!/bin/sh\n${script}\n`)
  return (await fixture.open({ path: bin })).propose(anEntry(options)).missing ?? []
}

test.each([
  [
    'CMD=$(echo "$INPUT" | jq -r .x)\nif ! npm test; then exec python3 x.py; fi; own-tool x',
    ['jq', 'npm', 'python3', 'own-tool'],
  ],
  ['echo "use jq, or node"; cat < jq.txt; ./node; # make it so', ['cat']],
  ['[[ $CMD =~ ^(php|ruby)$ ]] && { lua x; }; N=$((now / size))', ['lua']],
  ['log () { jq .; }\nfunction warn { rg x; }\nlog x; warn y', ['jq', 'rg']],
  ['FIRST=jq; FIRST=yq; $FIRST .; ONLY=rg; $ONLY x; "$OPEN" x', ['rg']],
  ['source "$UNKNOWN/lib.sh"; its_function x; jq .', []],
  ['command -v jq >/dev/null || exit 0; jq .', []],
])('the programs that shell text starts are found, and words are not: %s', (text, tools) => {
  expect(code(text).starts).toEqual(tools)
})

test('a program that is not there is named before an approval, and so is one that is only looked for', async () => {
  expect(await remarks('jq . | rg x')).toEqual([
    expect.stringContaining('It starts "jq", which is not on the hooks\' PATH'),
    expect.stringContaining('It starts "rg"'),
  ])
  expect(await remarks('command -v jq >/dev/null || exit 0\njq .')).toEqual([
    expect.stringContaining('It looks for "jq", which is not on the hooks\' PATH, so it may do nothing.'),
  ])
  fs.writeFileSync(path.join(bin, 'jq'), '#!/bin/sh\n', { mode: 0o755 })
  expect(await remarks('jq .')).toEqual([])
})

test('a variable that nothing sets is named, and one that the script or the entry sets is not', async () => {
  const script = 'OWN=1; echo "$OWN" "$TOKEN" "${OTHER:-none}" "$HOME" "$lower"; read -r LINE; echo "$LINE"'
  expect(await remarks(script)).toEqual([expect.stringContaining('It reads "TOKEN" from the environment')])
  expect(await remarks(script, { env: { TOKEN: 'x' } })).toEqual([])
})
