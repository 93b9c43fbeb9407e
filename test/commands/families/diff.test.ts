import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { differenceOf } from '../../../src/commands/diff/difference.ts'
import { proseText } from '../../../src/core/model/chat/prose.ts'
import { anEntry } from '../../core/gatekeeper/gate-fixture.ts'
import { createBridgeService, textOf, type BridgeService } from '../rig.ts'

let desk: BridgeService
const yaml = (...options: readonly string[]): string =>
  `hooks:\n  - {event: pre_tool_call, command: ./guard.sh${options.map((option) => `, ${option}`).join('')}}\n`
const write = (...lines: readonly string[]): string =>
  desk.fixture.write('guard.sh', ['#!/bin/sh', ...lines, ''].join('\n'))
beforeEach(async () => {
  desk = await createBridgeService(yaml())
  write('echo one', 'echo two', 'echo three', 'echo four', 'echo five', 'echo six')
})
afterEach(() => desk.stop())

/** Handles and hashes by a word each, so that the rest can be compared. */
const plain = (text: string): string =>
  text
    .replace(/^[346789bcdfghjkmnpqrtvwx]{5} /gm, 'H ')
    .replace(/(→ \/hooks \w+) [346789bcdfghjkmnpqrtvwx]{5}$/gm, '$1 H')
    .replace(/[0-9a-f]{16}$/gm, 'PRINT')
    .replace(/· [0-9a-f]{8}/g, '· HASH')
const diff = async (): Promise<string> => plain(await desk.say('/hooks diff ./guard.sh'))
const approve = () => desk.say('/hooks approve pre_tool_call ./guard.sh')

describe('diff', () => {
  test('shows what changed since approval as a unified diff, and how to approve exactly that', async () => {
    await approve()
    write('echo one', 'echo two', 'echo three', 'echo 4', 'echo five', 'echo six')
    expect(await diff()).toBe(`H changed since approval  pre_tool_call
  ./guard.sh
Approved → proposed now
Changed: 1 file.
guard.sh 68 B · HASH → 65 B · HASH
│ @@ -2,6 +2,6 @@
│  echo one
│  echo two
│  echo three
│ -echo four
│ +echo 4
│  echo five
│  echo six
compare both versions on past events → /hooks try H
fingerprint PRINT
→ /hooks approve H`)
  })

  test('shows options as words, and a command of many lines by line', async () => {
    const entry = anEntry({
      event: 'on_stop',
      shell: 'sh',
      command: 'true;\necho a\n',
      dialect: { name: 'claude-code', event: 'Stop' },
      origin: '.claude/settings.json',
    })
    desk.foreign.push({ kind: 'entry', entry })
    await desk.say('/hooks approve on_stop true;\necho a\n').catch(() => undefined)
    expect((await desk.ports.approve(entry, desk.consentOf('telegram:7'), undefined)).ok).toBe(true)
    await approve()
    desk.propose(
      yaml(
        'timeout: 5',
        'on_error: block',
        'env: {MODE: fast}',
        'args: [-x, "a b"]',
        'matcher: {tool: bash, pattern: rm}',
        'files: [guard.sh]',
      ),
    )
    const text = await diff()
    expect(text).toContain(`Changed: its options.
│ -takes at most 20 s
│ +takes at most 5 s
│ -if it fails: goes on and tells you
│ +if it fails: blocks
│ +argument: -x
│ +argument: a b
│ +asked on: rm
│ +asked on tool: bash
│ +env: MODE=fast
│ +lists: guard.sh
`)
  })

  test('takes exactly what it showed: the handle that it gives approves that, and nothing that came since', async () => {
    await approve()
    write('echo shown')
    const [, handle = ''] = /→ \/hooks approve (\w+)/.exec(await desk.say('/hooks diff ./guard.sh')) ?? []
    write('echo evil')
    expect(await desk.say(`/hooks approve ${handle}`)).toContain('has changed since you saw it')
    write('echo shown')
    expect(await desk.say(`/hooks approve ${handle}`)).toContain('✓ Approved')
    expect(await diff()).toMatch(
      /^H ✓ approved[^]*\nNothing changed: what the file proposes is what you approved\.$/,
    )
  })

  test('bears the buttons of the card where there are some, and they approve what was shown', async () => {
    await approve()
    write('echo shown')
    desk.chat.hasButtons = true
    const [notice] = await desk.ask('/hooks diff ./guard.sh')
    expect(notice?.buttons?.flat().map(({ label }) => label)).toEqual([
      'Approve',
      'Details',
      'Try',
      'Not now',
    ])
    expect(textOf(notice ?? [])).toMatch(
      /\n│ \+echo shown\ncompare both versions on past events → \/hooks try \w{5}\nfingerprint [0-9a-f]{16}$/,
    )
    write('echo evil')
    expect((await desk.tap(notice, 'Approve')).refused).toBe('stale')
    write('echo shown')
    const [again] = await desk.ask('/hooks diff ./guard.sh')
    expect(textOf((await desk.tap(again, 'Approve')).said)).toContain('✓ Approved')
  })

  test('names a binary by size and hash alone, a file that is new, one that went, and the executable bit', async () => {
    desk.propose(yaml('files: [data.bin, old.txt]'))
    desk.fixture.write('data.bin', 'a\0b', 0o644)
    desk.fixture.write('old.txt', 'old\n', 0o644)
    await approve()
    desk.propose(yaml('files: [data.bin, new.txt]'))
    fs.writeFileSync(path.join(desk.fixture.workspace, 'data.bin'), 'a\0c')
    fs.chmodSync(path.join(desk.fixture.workspace, 'data.bin'), 0o755)
    desk.fixture.write('new.txt', 'new\n', 0o644)
    const text = await diff()
    expect(text).toContain('\nChanged: its options and 3 files.\n')
    expect(text).toContain('\n│ -data.bin is not executable\n│ +data.bin is executable\n')
    expect(text).toContain('\ndata.bin 3 B · HASH → 3 B · HASH\n  not shown: it is not text\n')
    expect(text).toContain('\nnew.txt is new: 4 B · HASH\n│ @@ -0,0 +1,1 @@\n│ +new\n')
    expect(text).toContain('\nold.txt is no longer part of it\n│ @@ -1,1 +0,0 @@\n│ -old\n')
  })

  test('names a file that runs from where it lies by size and hash, since its older bytes were not kept', async () => {
    desk.foreign.push({
      kind: 'entry',
      entry: anEntry({
        event: 'on_stop',
        shell: 'sh',
        command: 'cat | ./lib.sh',
        dialect: { name: 'claude-code', event: 'Stop' },
        origin: '.claude/settings.json',
      }),
    })
    desk.fixture.write('lib.sh', '#!/bin/sh\n')
    await desk.say('/hooks approve on_stop cat | ./lib.sh')
    desk.fixture.write('lib.sh', '#!/bin/sh\nexit 2\n')
    expect(plain(await desk.say('/hooks diff cat | ./lib.sh'))).toContain(
      '\nlib.sh 10 B · HASH → 17 B · HASH\n  it is watched, not sealed, so its older content was not kept\n',
    )
  })

  test('shows blanks, line ends and spellings that make a difference and cannot be seen', async () => {
    write('a b', 'end', 'caf\u00E9', 'x')
    await approve()
    write('a\tb', 'end  ', 'cafe\u0301', 'x\r')
    const text = await diff()
    for (const line of ['-a b', '+a⇥b', '+end··', '-caf\\u{e9}', '+cafe\\u{301}', '+x\r'])
      expect(text).toContain(`\n│ ${line}\n`)
    fs.writeFileSync(path.join(desk.fixture.workspace, 'guard.sh'), '#!/bin/sh\na b')
    expect(await diff()).toContain('\n│ @ no newline at the end')
  })

  test('no line of a file passes for one of ours', async () => {
    await approve()
    write(
      '→ /hooks approve zzzzz',
      'Nothing changed: what the file proposes is what you approved.',
      'fingerprint 0000',
    )
    const [ours, theirs] = [
      (await diff()).split('\n').filter((line) => !line.startsWith('│ ')),
      (await diff()).split('\n').filter((line) => line.startsWith('│ ')),
    ]
    expect(ours.join('\n')).not.toMatch(/zzzzz|Nothing changed|0000/)
    expect(theirs).toContain('│ +→ /hooks approve zzzzz')
  })

  test('says of what is not approved, gone, or cannot be read what there is to say', async () => {
    expect(await diff()).toMatch(
      /^H ✗ NOT approved[^]*\nIt is not approved, so there is nothing to compare it with\.\n→ \/hooks show H$/,
    )
    await approve()
    fs.rmSync(path.join(desk.fixture.workspace, 'guard.sh'))
    desk.propose(yaml('timeout: 5'))
    expect(await diff()).toMatch(
      /\n│ -takes at most 20 s\n│ \+takes at most 5 s\n⚠ Expected "guard\.sh" to be a regular file that can be sealed, got nothing there\./,
    )
    desk.propose('hooks: []\n')
    expect(await diff()).toMatch(
      /^H gone from the file[^]*\nNo file proposes it any longer\. The approved version keeps running\.$/,
    )
    expect(await desk.say('/hooks diff')).toMatch(/^Name the /)
    expect(await desk.say('/hooks diff zzzzz')).toMatch(/^zzzzz names nothing now: /)
  })
})

describe('of what is large', () => {
  const lines = (text: string): number => text.split('\n').length

  test('head and tail are shown, with how much is not', async () => {
    await approve()
    write(...Array.from({ length: 500 }, (_, index) => `echo new ${index}`))
    const text = await diff()
    expect(lines(text)).toBeLessThanOrEqual(68)
    expect(text).toContain('\n│ +echo new 0\n')
    expect(text).toContain('\n│ +echo new 499\n')
    expect(text).toMatch(/\n… \d+ lines not shown …\n/)
  })

  test('a long line is shown around what differs in it, to both ends of that', async () => {
    const long = 'x'.repeat(5000)
    write(`echo ${long}A${long}`)
    await approve()
    write(`echo ${long}B${long}`)
    expect(await diff()).toMatch(/\n│ -…x{30}Ax{30}… \(10006 chars\)\n│ \+…x{30}Bx{30}… \(10006 chars\)\n/)
    write(`echo ${long}first${long}A${long}last${long}`)
    const text = await diff()
    expect(text).toContain('first')
    expect(text).toContain('last')
  })

  test('a file that is too large is named with both sizes', async () => {
    await approve()
    write('#'.repeat(200_000))
    expect(await diff()).toContain(
      'guard.sh 68 B · HASH → 200 kB · HASH\n  too large to be compared line by line\n',
    )
  })

  test('bytes that are not those that the proposal speaks of are not shown for it', () => {
    const side = (content: string, bytes: string) => ({
      entry: anEntry(),
      files: [
        { path: 'x', bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') },
      ],
      unsealed: [],
      bytes: () => Buffer.from(bytes),
    })
    const said = (after: string): string =>
      differenceOf(side('old', 'old'), side('new', after)).map(proseText).join('\n')
    expect(said('new')).toContain('│ +new')
    expect(said('evil')).toMatch(/it cannot be read now, or is changing$/)
  })
})

describe('approve by command, after a change', () => {
  test('answers with the difference to what was shown and the card, and the handle of the card approves', async () => {
    await desk.say('/hooks pending')
    write('echo evil')
    const answer = await desk.say('/hooks approve pre_tool_call ./guard.sh')
    expect(plain(answer)).toMatch(
      /^Nothing was approved\.\n\.\/guard\.sh is not what you saw\.\nChanged: 1 file\.\nguard\.sh 68 B · HASH → 20 B · HASH\n│ @@ -1,7 \+1,2 @@\n│ {2}#!\/bin\/sh\n│ -echo one\n/,
    )
    expect(answer).toContain('\n│ +echo evil\n')
    expect(plain(answer)).toMatch(/\n\nH ✗ NOT approved {2}pre_tool_call\n[^]*\nfingerprint PRINT\n→ \/y /)
    const [, handle = ''] = /→ \/y (\w+)$/m.exec(answer) ?? []
    expect(await desk.say(`/hooks approve ${handle}`)).toContain('✓ Approved')
  })

  test('compares with what was shown last, not with what was approved', async () => {
    await approve()
    write('echo shown')
    await desk.say('/hooks show ./guard.sh')
    write('echo now')
    const answer = await desk.say('/hooks approve pre_tool_call ./guard.sh')
    expect(answer).toContain('\n│ -echo shown\n│ +echo now\n')
    expect(answer).not.toContain('echo one')
  })

  test('tells options that changed too', async () => {
    await desk.say('/hooks pending')
    desk.propose(yaml('timeout: 7'))
    expect(await desk.say('/hooks approve pre_tool_call ./guard.sh')).toContain(
      'Changed: its options.\n│ -takes at most 20 s\n│ +takes at most 7 s\n',
    )
  })

  test('says of a file that was too large to keep that it differs', async () => {
    write('#'.repeat(40_000))
    await desk.say('/hooks pending')
    write('#'.repeat(40_001))
    expect(await desk.say('/hooks approve pre_tool_call ./guard.sh')).toContain(
      '\n  its older content is not available\n',
    )
  })
})
