import { afterEach, describe, expect, test } from 'vitest'
import type { Notice } from '../../../src/core/model/chat/notice.ts'
import { phoneLines } from '../../phone.ts'
import { createBridgeService, textOf, type BridgeService } from '../rig.ts'

let desk: BridgeService | undefined
const begin = async (...args: Parameters<typeof createBridgeService>): Promise<BridgeService> =>
  (desk = await createBridgeService(...args))
afterEach(async () => {
  await desk?.stop()
  desk = undefined
})

const two = `hooks:
  - {event: pre_tool_call, command: ./examples/block_destructive.sh, on_error: block, name: Ask before deleting}
  - {event: on_outbound_message, command: ./examples/block_secrets.py}
`
const write = ({ fixture }: BridgeService): void => {
  for (const file of ['block_destructive.sh', 'block_secrets.py'])
    fixture.write(`examples/${file}`, '#!/bin/sh\n')
}
/** Handles are random: the first one shown becomes H1, the next H2. */
const named = (text: string): string => {
  const handles = [
    ...new Set(
      [
        ...text.matchAll(
          /(?:^|^[✓⚠~] |(?:approve|revoke|show|shadow|y|n) )([346789bcdfghjkmnpqrtvwx]{5})(?= |$)/gm,
        ),
      ].map((match) => match[1] ?? ''),
    ),
  ]
  return handles.reduce((shown, handle, index) => shown.replaceAll(handle, `H${index + 1}___`), text)
}
const labels = (notice?: Notice): readonly string[] =>
  (notice?.buttons ?? []).flat().map(({ label }) => label)

describe('the list', () => {
  test('says what protects by name, one line each, and how much waits', async () => {
    const bench = await begin(two)
    write(bench)
    const { say, ask, chat } = bench
    await say('/hooks approve pre_tool_call ./examples/block_destructive.sh\n/hooks on')
    expect(named(await say('/hooks'))).toBe(
      'Hooks are ON\n✓ H1___ Ask before deleting\n1 waits for you\n→ /hooks pending',
    )
    expect(await say('/hooks list')).toBe(await say('/hooks'))
    chat.hasButtons = true
    const [list] = await ask('/hooks')
    expect(textOf(list ?? [])).toBe('Hooks are ON\n✓ Ask before deleting\n1 waits for you')
    expect(labels(list)).toEqual(['Show pending'])
  })

  test('names a hook of hookgate in the language of its reader, and a file cannot lend such a name', async () => {
    const { say, chat, propose } = await begin(`hooks:
  - {event: on_outbound_message, type: builtin, command: redact_secrets, on_error: block, name: Other words}
`)
    chat.hasButtons = true
    await say('/hooks approve on_outbound_message redact_secrets\n/hooks on')
    expect(await say('/hooks')).toBe('Hooks are ON\n✓ Redact secrets')
    expect(await say('/hooks show redact secrets')).toContain('redact_secrets')
    expect(await say('/hooks show 隐去密钥')).toContain('redact_secrets')
    propose('hooks:\n  - {event: on_stop, type: http, url: "https://example.com/x", name: Guard commands}\n')
    expect(await say('/hooks show guard commands')).toContain('https://example.com/x')
    expect(await say('/hooks show Ask before deletng')).toBe(
      'No hook is called Ask before deletng.\n→ /hooks',
    )
    expect(await say('/hooks show guard comands')).toBe(
      'No hook is called guard comands. Did you mean Guard commands?',
    )
  })

  test('puts what is the matter with a hook behind its name, the worst first', async () => {
    const bench = await begin(`${two}  - {event: on_stop, command: ./x.sh}\n`)
    write(bench)
    const { fixture, say, propose, chat } = bench
    chat.hasButtons = true
    fixture.write('x.sh', '#!/bin/sh\n')
    await say(
      '/hooks approve pre_tool_call ./examples/block_destructive.sh\n/hooks approve on_outbound_message ./examples/block_secrets.py\n/hooks approve on_stop ./x.sh\n/hooks on',
    )
    fixture.write('examples/block_destructive.sh', '#!/bin/sh\necho changed\n')
    propose(`hooks:
  - {event: pre_tool_call, command: ./examples/block_destructive.sh, on_error: block, name: Ask before deleting}
  - {event: pre_tol_call, command: ./x.sh}
  - {event: on_stop, command: ./missing.sh}
  - {event: on_stop, command: ./x.sh}
  - {event: on_error, command: sh -c "cat rules"}
`)
    expect(await say('/hooks')).toBe(`Hooks are ON
✓ Ask before deleting: its file changed
✓ ./examples/block_secrets.py: no file proposes it any longer
✓ ./x.sh
2 wait for you · 2 to fix`)
  })

  test('fits a phone when the gate is fresh', async () => {
    const bench = await begin(two)
    write(bench)
    expect(await bench.say('/hooks')).toBe(
      'Hooks are OFF. Nothing protects you yet.\n2 wait for you\n→ /hooks pending',
    )
    expect(phoneLines(await bench.say('/hooks')).length).toBeLessThanOrEqual(12)
  })

  test('says that nothing is proposed, and that off means that nothing fires', async () => {
    const bench = await begin()
    expect(await bench.say('/hooks')).toBe(
      'Hooks are OFF. Nothing protects you yet.\nNo hooks are proposed yet.',
    )
    bench.propose(two)
    write(bench)
    await bench.say('/hooks approve pre_tool_call ./examples/block_destructive.sh')
    expect(named(await bench.say('/hooks'))).toBe(
      'Hooks are OFF: none of these fires.\n✓ H1___ Ask before deleting\n1 waits for you\n→ /hooks pending\n→ /hooks on',
    )
    bench.chat.hasButtons = true
    const [list] = await bench.ask('/hooks')
    expect(labels(list)).toEqual(['Turn hooks on', 'Show pending'])
  })

  test('says that the environment forced the switch on', async () => {
    const { say } = await begin('hooks: []\n', { isForcedOn: true })
    expect(await say('/hooks')).toMatch(/^Hooks are ON \(STARCHILD_SHELL_HOOKS=1 at start\)/)
    await say('/hooks off')
    expect(await say('/hooks')).not.toContain('STARCHILD')
  })

  test('begins with the lockdown, and its way out is a line of its own', async () => {
    const { say, gatekeeper } = await begin(two)
    gatekeeper.lockDown('the ledger is damaged: its last line is incomplete')
    expect(await say('/hooks')).toMatch(
      /^LOCKDOWN: the ledger is damaged: its last line is incomplete\n1 line of the ledger is good, head ([0-9a-f]{12})\n→ \/hooks recover \1\n {2}continues from there\n→ \/hooks recover\n {2}starts a new ledger, with nothing approved\n/,
    )
  })

  test('tells of a file that cannot be read, and what it proposed before still waits', async () => {
    const bench = await begin(two)
    write(bench)
    await bench.say('/hooks')
    bench.propose('hooks: [\n')
    // The words of the parser.
    bench.theirs('Flow sequence in block collection must be sufficiently indented and end with a ]')
    expect(await bench.say('/hooks')).toMatch(
      /\n⚠ config\/shell_hooks\.yaml:\d+:\d+: Expected YAML, but .*\n2 wait for you\n/,
    )
  })

  test('what waits says, too, that the file cannot be read', async () => {
    const bench = await begin('hooks: [\n')
    bench.theirs('Flow sequence in block collection must be sufficiently indented and end with a ]')
    expect(await bench.say('/hooks pending')).toMatch(
      /^⚠ config\/shell_hooks\.yaml[^]*\nNothing waits for you\.\n/,
    )
  })

  test('has pages when it is long, which Next and Back turn in their place', async () => {
    const line = (_: unknown, index: number): string =>
      `  - {event: on_stop, type: http, url: "https://example.com/${index}"}\n`
    const { say, ask, tap, chat, ports } = await begin(`hooks:\n${Array.from({ length: 30 }, line).join('')}`)
    for (let index = 0; index < 30; index++) await say(`/hooks approve on_stop https://example.com/${index}`)
    expect(ports.gate().revision).toBe(31)
    const pages: string[] = []
    for (const typed of ['/hooks', '/hooks list 2', '/hooks ３']) pages.push(await say(typed))
    expect(pages[0]).toMatch(/\npage 1 of 3 → \/hooks 2\n→ \/hooks on$/)
    expect(pages[2]).toMatch(/\npage 3 of 3 → \/hooks 1\n/)
    const shown = pages.join('\n').match(/POST https:\S+$/gm) ?? []
    expect(new Set(shown).size).toBe(30)
    expect(shown).toHaveLength(30)
    expect(`Understood as /hooks 3\n${await say('/hooks 99')}`).toBe(pages[2])
    expect(await say('/hooks list all')).toBe('Expected the number of a page, got all.\n→ /hooks')
    chat.hasButtons = true
    const [first] = await ask('/hooks')
    expect(labels(first)).toEqual(['Next', 'Turn hooks on'])
    const second = await tap(first, 'Next')
    expect(second.said.replaces).toBe('m1')
    expect(textOf(second.said)).toContain('page 2 of 3')
    expect(labels(second.said)).toEqual(['Back', 'Next', 'Turn hooks on'])
    expect(textOf((await tap(second.said, 'Back')).said)).toContain('page 1 of 3')
  })
})

test('one hook is shown whole: what it may do, its options, its first lines', async () => {
  const { fixture, say } = await begin(`hooks:
  - {event: pre_tool_call, command: ./x.sh, matcher: {tool: bash, pattern: rm -rf}, timeout: 5, args: [--strict], env: {RULES: strict}, files: [rules.txt], cwd: sub, async: false, name: guard}
`)
  fixture.write('x.sh', '#!/bin/sh\necho "{}"\n')
  fixture.write('rules.txt', 'rules\n')
  const card = await say('/hooks show ./x.sh')
  expect(
    named(card)
      .replace(/[0-9a-f]{12,16}$/gm, 'HASH')
      .replace(/runs with: .*/, 'runs with: SHELL'),
  ).toBe(`H1___ ✗ NOT approved  pre_tool_call
guard
  ./x.sh
asked on: rm -rf
asked on tool: bash
may: block (the tool does not run), ask you, rewrite tool_input, add context
if it fails: goes on and tells you
if the agent makes it fail (time, load, memory, disk space, its own input): blocks (approved as “open” it would go on)
takes at most 5 s · priority 100
args: --strict
env: RULES=strict
runs with: SHELL
runs in: sub
lists: rules.txt
from: config/shell_hooks.yaml
file: x.sh 20 B · HASH
file: rules.txt 6 B · HASH
Hooks store lasting files in /gate/hooks/home (their HOME). Files that they write to /tmp are stored in /gate/hooks/tmp and last, too.
│ #!/bin/sh
│ echo "{}"
fingerprint HASH
→ /y H1___
or, so that it blocks if it fails:
→ /hooks approve H1___ closed
or, so that it is only asked and recorded:
→ /hooks shadow H1___
or, not now:
→ /n H1___`)
  expect(await say(`/hooks show ${card.slice(0, 5)}`)).toBe(card)
  expect(await say('/hooks show')).toBe('Name the hook: /hooks show <name>, as /hooks lists it.')
  expect(await say('/hooks show abcde')).toBe(
    'abcde names nothing now: it was answered or is mistyped, or hookgate restarted since.\nWhat there is → /hooks',
  )
})
