import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DIALECTS, stdinFor } from '../../src/dialects/dialects.ts'
import { shellProof, shellProofInTurns } from '../../src/shared/base/shell.ts'
import { FOREIGN_DIALECTS } from '../../src/core/model/hooks/dialect.ts'
import type { Entry } from '../../src/core/model/hooks/entry.ts'
import type { Payload } from '../../src/core/model/events/payload.ts'
import { syntheticPayload } from '../../src/shared/events/synthetic.ts'
import { armed } from '../handlers/armed.ts'

/** What a POSIX `echo` may read as something else, and what only looks like it. */
const nasty = [
  'cd .\nrm -rf victim',
  'a\tb\rc\bd\fe',
  'C:\\new\\table',
  '\\\\n',
  'say \\c here',
  '\\0101',
  '"\\"',
  '\\',
  '\\u000a',
  '\u2028é\u0000\u0001',
].join('|')

const shells = ['/bin/sh', '/bin/dash', '/bin/bash', '/bin/zsh'].filter((shell) => existsSync(shell))
const reads =
  'INPUT=$(cat); echo "$INPUT" | "$0" -e "process.stdout.write(JSON.stringify(JSON.parse(fs.readFileSync(0))))"'

const heardBy = (shell: string, stdin: string): unknown =>
  JSON.parse(execFileSync(shell, ['-c', reads, process.execPath], { input: stdin, encoding: 'utf8' }))

const asked: Payload = {
  ...syntheticPayload('pre_tool_call', '/work', new Date(0)),
  tool_name: 'bash',
  tool_input: { command: nasty },
}

const stdinOf = async (entry: Partial<Entry>): Promise<string> => stdinFor(armed('hook', entry), asked)

test.each(shells)('JSON that %s takes into a variable and echoes is still the same JSON', (shell) => {
  const json = JSON.stringify({ [nasty]: nasty, two: [nasty, nasty] })
  expect(heardBy(shell, shellProof(json))).toEqual(JSON.parse(json))
})

test.each([undefined, ...FOREIGN_DIALECTS])(
  'a hook in the dialect %s hears through `echo` all that it was told',
  async (name) => {
    const native =
      name === undefined ? undefined : DIALECTS[name].events.find(({ event }) => event === 'pre_tool_call')
    const dialect =
      name === undefined || native === undefined ? {} : { dialect: { name, event: native.name } }
    const stdin = await stdinOf({ event: 'pre_tool_call', ...dialect })
    const heard = heardBy('/bin/sh', stdin)
    expect(heard).toEqual(JSON.parse(stdin))
    // Some systems give the arguments as a text that is JSON itself.
    expect(JSON.stringify(heard).replaceAll('\\', '')).toContain(
      JSON.stringify(nasty).slice(1, -1).replaceAll('\\', ''),
    )
  },
)

test('a large text is written in turns, and as it would be in one', async () => {
  const json = JSON.stringify({ text: nasty.repeat(200_000), end: '\\' })
  expect(json.length).toBeGreaterThan(4_000_000)
  expect(await shellProofInTurns(json)).toBe(shellProof(json))
})

test('the JSON means the same to every reader, and only escapes of it are written otherwise', () => {
  const json = JSON.stringify({ text: nasty })
  expect(JSON.parse(shellProof(json))).toEqual({ text: nasty })
  expect(shellProof('{"a":"plain","b":[1,true,null],"c":"say \\"no\\""}')).toBe(
    '{"a":"plain","b":[1,true,null],"c":"say \\"no\\""}',
  )
  expect(shellProof('"\\n\\\\n"')).toBe('"\\u000a\\u005cn"')
})

test('a server and a model get it as JSON is usually written: no shell is between', async () => {
  for (const type of ['http', 'llm'] as const)
    expect(await stdinOf({ type })).toContain('cd .\\nrm -rf victim')
  for (const type of ['command', 'process'] as const)
    expect(await stdinOf({ type })).toContain('cd .\\u000arm -rf victim')
})
