import fs from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { applyRewrite } from '../../src/core/hooks/settle/rewrite.ts'
import { createDoctor, type DoctorPorts } from '../../src/doctor/doctor.ts'
import { generalFindings } from '../../src/doctor/general.ts'
import { catalogue } from '../../src/proposals/catalogue.ts'
import type { Entry } from '../../src/core/model/hooks/entry.ts'
import { translateInto } from '../../src/commands/text/catalogues.ts'
import { inLanguage, proseText } from '../../src/core/model/chat/prose.ts'
import { blocks, createRig, says, type Rig } from '../core/dispatcher/rig.ts'

let rig: Rig
beforeEach(async () => {
  rig = await createRig()
})
afterEach(() => rig.stop())

/** Doctor over real hooks; `gone` are the commands that no file proposes any more. */
const consult = async (
  over: Partial<DoctorPorts> = {},
  gone: readonly string[] = [],
  fingerprint?: string,
): Promise<{ readonly text: string; readonly chinese: string; readonly said: readonly string[] }> => {
  const said: string[] = []
  const proposed = [...rig.gatekeeper.state().approvals.values()]
    .map(({ entry }) => entry)
    .filter(({ command }) => !gone.includes(command))
  const doctor = createDoctor({
    approved: rig.gatekeeper.approvedHooks,
    approvedAs: (fingerprint) => rig.gatekeeper.state().approvals.get(fingerprint),
    rows: () =>
      catalogue(
        proposed.map((entry: Entry) => ({ kind: 'entry', entry })),
        [...rig.gatekeeper.state().approvals.values()],
        rig.gatekeeper.propose,
      ),
    ask: rig.hooks.ask,
    rewriteFlaw: (payload, rewrite) => applyRewrite(payload, rewrite).fault,
    isFor: rig.hooks.isFor,
    workspace: rig.workspace,
    now: Date.now,
    elapsedMs: () => performance.now(),
    general: async () => [],
    coverage: () => [],
    residents: () => [],
    probe: () => Promise.resolve({ isSafe: true }),
    ...over,
  })
  const told = await doctor(fingerprint, (text) => void said.push(proseText(text)))
  return { text: proseText(told), chinese: proseText(inLanguage(told, translateInto('zh'))), said }
}

test('a hook that answers as it should is well, with its answer and its time, also while the switch is off', async () => {
  await rig.approve('pre_tool_call', ':', { name: 'silent' })
  await rig.approve('pre_tool_call', blocks('not here'), { name: 'blocker' })
  expect(rig.gatekeeper.armed()).toEqual([])
  const { text, said } = await consult()
  expect(text.replace(/\d+ ms/g, 'N ms').replace(/[0-9a-f]{12}/g, 'HASH')).toBe(`2 of 2 hooks healthy
pre_tool_call  silent
  ✓ answers abstain in N ms
  ✓ ran: seal HASH · hook-1.sh HASH · by ${fs.realpathSync('/bin/sh')}
pre_tool_call  blocker
  ✓ answers block in N ms: not here
  ✓ ran: seal HASH · hook-2.sh HASH · by ${fs.realpathSync('/bin/sh')}`)
  expect(said).toEqual(['Running 2 approved hooks on samples…'])
})

test('a hook is told what it may not find, and one that did not start is not said to have run', async () => {
  await rig.approve('pre_tool_call', 'cd "$(dirname "$0")/.." && cat >/dev/null', { name: 'alone' })
  await rig.approve('pre_tool_call', '. ./part.sh', { name: 'stopped' })
  rig.write('part.sh', 'true\n')
  const { text } = await consult()
  expect(text).toMatch(
    / {2}alone\n {2}✓ answers .*\n {2}✓ ran: seal .*\n {2}⚠ hook-\d+\.sh seems to look for files relative/,
  )
  expect(text).toMatch(
    / {2}stopped\n {2}✗ changed: \.\/part\.sh was not there at approval; approve it again[^\n]*\n(?! {2}✓ ran)/,
  )
})

test('a hook gets a whole sample of its event', async () => {
  await rig.approve('on_outbound_message', 'cat > seen.json')
  await consult()
  expect(JSON.parse(fs.readFileSync(path.join(rig.workspace, 'seen.json'), 'utf8'))).toMatchObject({
    event: 'on_outbound_message',
    event_id: 'synthetic',
    agent_id: 'doctor',
    notification: 'Hello.',
    type: 'text',
    recent: [],
    cwd: rig.workspace,
  })
})

test("a hook that is there for one tool only gets a sample of that tool, in its own system's names", async () => {
  await rig.approve('pre_tool_call', 'cat > native.json', {
    matcher: { tool: '^write_file$', pattern: 'never there' },
  })
  await rig.approve('pre_tool_call', 'cat > claude.json', {
    matcher: { tool: '^(?:Edit)$' },
    dialect: { name: 'claude-code', event: 'PreToolUse' },
  })
  await consult()
  const seen = (name: string): unknown => JSON.parse(fs.readFileSync(path.join(rig.workspace, name), 'utf8'))
  expect(seen('native.json')).toMatchObject({ tool_name: 'write_file', tool_input: { path: 'notes.txt' } })
  expect(seen('claude.json')).toMatchObject({
    tool_name: 'Edit',
    tool_input: { file_path: path.join(rig.workspace, 'notes.txt'), old_string: 'hello' },
  })
})

describe('what is wrong with a hook is told with what to do', () => {
  test.each<[string, Entry['event'], string, Partial<Entry>, RegExp]>([
    [
      'too slow',
      'pre_tool_call',
      'sleep 30',
      { timeoutMs: 1000 },
      /✗ timeout: It did not answer within 1 s\. Make it faster, or raise its "timeout"\.\n/,
    ],
    [
      'exit 1',
      'pre_tool_call',
      'echo oops >&2; exit 1',
      {},
      /✗ exit: It ended with exit code 1: oops\. .* Run it by hand with a sample: hookgate test\.\n/,
    ],
    [
      'no JSON',
      'pre_tool_call',
      'echo hello',
      {},
      /✗ output: It printed text that is no answer: "hello"\. Print one JSON object or nothing to stdout, and logs to stderr\.\n/,
    ],
    [
      'killed',
      'pre_tool_call',
      'kill -9 $$',
      {},
      /✗ killed: The signal SIGKILL ended it\. Run it by hand to see why\.\n/,
    ],
    [
      'text that its shell does not understand',
      'pre_tool_call',
      'if then',
      {},
      /✗ broken: Its shell does not understand its text: .* Correct its text, or have it run by the program that it was written for\.\n/,
    ],
    [
      'text that its interpreter does not understand',
      'pre_tool_call',
      'exec python3 -c "def ("',
      {},
      /✗ exit: It ended with exit code 1: [^✗]*SyntaxError: [^✗]* Correct its text, and approve it again\.\n/,
    ],
    [
      'no program',
      'pre_tool_call',
      'no-such-program-here',
      {},
      /✗ broken: Its shell found no program no-such-program-here\. .* Install it where hooks look for programs; .*\n/,
    ],
    [
      'a file that hooks may not read',
      'pre_tool_call',
      'cat < /nowhere/rules',
      {},
      /✗ broken: Its shell could not open \/nowhere\/rules .* Hooks read what lies beside their program, .*\n/,
    ],
    [
      'a folder that is not there',
      'pre_tool_call',
      'echo x > "$HOME/none/log"',
      {},
      /✗ broken: Its shell could not write .* A folder that is missing there must be made first \(mkdir -p\)\.\n/,
    ],
    [
      'a crash',
      'pre_tool_call',
      'echo boom >&2; exit 70',
      {},
      /✗ crash: It ended with exit code 70: boom\. .* hookgate test\. It must exit with 0, or with 2 to block\.\n/,
    ],
    [
      'half an answer',
      'pre_tool_call',
      `echo '{"decision": "block", "reason": "a "quote""}'`,
      {},
      /✗ garbled: It printed an answer that cannot be read: .* Write it with a JSON tool such as jq: .*\n/,
    ],
    [
      'far too much',
      'pre_tool_call',
      'yes | head -c 2000000',
      {},
      /✗ limit: It printed more than 1 MiB to stdout\. An answer is one small JSON object\.\n/,
    ],
    [
      'a rewrite that does not fit',
      'pre_tool_call',
      says({ tool_input: 'ls' }),
      {},
      /✗ rewrite: Its rewrite of "tool_input" has to be an object, and is "ls" \(string\)\. See config\/context\/references\/agent-hooks\.md for what may be rewritten\.\n/,
    ],
    [
      'a working folder that is not there',
      'pre_tool_call',
      ':',
      { cwd: '/nowhere' },
      /✗ folder: Its working folder \/nowhere does not exist\. Make it, or correct "cwd"\.\n/,
    ],
    [
      'a field that has no effect',
      'pre_tool_call',
      says({ decison: 'block' }),
      {},
      /⚠ Its answer has the unknown field "decison".*did it mean "decision"/,
    ],
    [
      'asks a model before each model call',
      'pre_llm_call',
      ':',
      { command: './llm_judge.sh' },
      /✗ This hook seems to ask a model on pre_llm_call, .* Move it to another event\./,
    ],
    [
      "is given a model's key before each model call",
      'pre_llm_call',
      ':',
      { env: { LLM_URL: 'http://127.0.0.1:1' } },
      /✗ This hook seems to ask a model/,
    ],
  ])('%s', async (_, event, script, over, expected) => {
    await rig.approve(event, script, over)
    const { text, chinese } = await consult()
    expect(text).toMatch(/^0 of 1 hooks healthy\n/)
    expect(text).toMatch(expected)
    // What went wrong and what to do are ours, so they are in the language of the reader.
    const [, told = ''] = /✗ [^a-z：]+：([^]*?)(?=\n {2}[✓⚠✗]|$)/.exec(chinese) ?? []
    if (/✗ [a-z]+: /.test(text)) expect(told).toMatch(/^[^a-z]*\p{sc=Han}[^]*。$/u)
  })

  test('nearly too slow', async () => {
    await rig.approve('pre_tool_call', ':', { timeoutMs: 3900 })
    const ask: DoctorPorts['ask'] = async (...asked) => ({
      ...(await rig.hooks.ask(...asked)),
      durationMs: 2000,
    })
    const { text } = await consult({ ask })
    expect(text).toMatch(/^0 of 1 hooks healthy\n/)
    expect(text).toContain(
      '✓ answers abstain in 2000 ms\n  ⚠ It took 2000 ms of its 3.9 s. Raise its timeout, or it may fail later.',
    )
  })

  test('changed since approval, gone from the files, no longer to be sealed: the approved copy runs on', async () => {
    await rig.approve('pre_tool_call', ':', { command: './changed.sh' })
    await rig.approve('pre_tool_call', ':', { command: './gone.sh' })
    await rig.approve('pre_tool_call', ':', { command: './removed.sh' })
    rig.write('changed.sh', '#!/bin/sh\nexit 9\n')
    fs.rmSync(path.join(rig.workspace, 'removed.sh'))
    const { text } = await consult({}, ['./gone.sh'])
    expect(text).toMatch(
      /\.\/changed\.sh\n {2}✓ answers abstain in \d+ ms\n {2}✓ ran: .*\n {2}⚠ The proposal changed after the approval\. The approved copy still runs\. \/hooks approve accepts the new one\./,
    )
    expect(text).toMatch(
      /\.\/gone\.sh\n {2}✓ .*\n {2}✓ ran: .*\n {2}⚠ No file proposes this hook any more\. The approved copy still runs\. \/hooks revoke ends it\./,
    )
    expect(text).toMatch(
      /\.\/removed\.sh\n {2}✓ .*\n {2}✓ ran: .*\n {2}⚠ Its file: Expected "removed\.sh" .* The approved copy still runs\./,
    )
  })

  test('a model-asking hook elsewhere is well', async () => {
    await rig.approve('on_outbound_message', ':', { command: './llm_judge.sh' })
    expect((await consult()).text).toMatch(/^1 of 1 hooks healthy/)
  })
})

test('progress is said while many hooks take long, and the end is not', async () => {
  for (let count = 0; count < 4; count++) await rig.approve('on_stop', `: ${count}`)
  let elapsedMs = 0
  const { said } = await consult({ elapsedMs: () => (elapsedMs += 3000) })
  expect(said).toEqual(['Running 4 approved hooks on samples…', '… 2 of 4 done'])
})

const alone = { kind: 'none', why: 'it is a test', fix: 'Do this.' } as const

test('one hook by itself is run without a word about the others', async () => {
  await rig.approve('on_stop', ': one', { name: 'one' })
  const two = await rig.approve('on_stop', ': two', { name: 'two' })
  const { text, said } = await consult(
    { general: async () => generalFindings({ isOn: false }, undefined, alone) },
    [],
    two,
  )
  expect(text).toMatch(/^1 of 1 hooks healthy\non_stop {2}two\n/)
  expect(said).toEqual([])
})

test('what is wrong with the instance comes first, and with nothing approved alone', async () => {
  const problem = {
    code: 'yaml.syntax',
    file: 'config/shell_hooks.yaml',
    line: 3,
    message: 'Expected YAML.',
    fix: 'Correct it.',
  }
  const general = async () => generalFindings({ isOn: false, lockdown: 'a test' }, problem, alone)
  expect((await consult({ general })).text).toBe(`No hook is approved, so there is none to run.
→ /hooks
  ✗ Lockdown: a test. → /hooks recover
  ⚠ The switch is off: no hook fires. → /hooks on
  ⚠ config/shell_hooks.yaml:3: Expected YAML. Correct it.
  ⚠ Nothing keeps an agent with a shell out of the gate: it is a test. Do this.`)
  await rig.approve('on_stop', ':')
  expect(
    (
      await consult({
        general: async () => generalFindings({ isOn: true }, undefined, { kind: 'sandbox', by: 'bwrap' }),
      })
    ).text,
  ).toMatch(/^1 of 1 hooks healthy\n {2}✓ The agent runs in a sandbox.*\non_stop /)
  const contained = generalFindings({ isOn: true }, undefined, { kind: 'sandbox', by: 'bwrap' }, undefined, {
    kind: 'process groups',
    why: 'Why. What to do.',
  })
  expect(contained.map(({ level, text }) => [level, proseText(text)]).at(-1)).toEqual([
    'warn',
    'Hooks may leave processes behind. Why. What to do.',
  ])
})

describe('what doctor says of programs that wait or stay', () => {
  const examined = async (
    probed: Partial<Awaited<ReturnType<DoctorPorts['probe']>>>,
    entry: Partial<Entry> = {},
  ): Promise<string> => {
    await rig.approve('pre_tool_call', 'sleep 0.05', entry)
    return (await consult({ probe: () => Promise.resolve({ isSafe: true, ...probed }) })).text.replace(
      /answers abstain in \d+ ms/,
      'answers',
    )
  }

  test('a slow hook that is safe to warm is told what it would gain', async () => {
    expect(await examined({ coldMs: 24, warmMs: 1.25 })).toContain(
      '✓ "warm: true" would cut 24 ms to 1.3 ms. It is safe',
    )
  })
  test('one that would gain nothing is not spoken of', async () => {
    expect(await examined({ coldMs: 52, warmMs: 51 })).not.toContain('warm')
  })
  test('one that acts before it reads is told to stay cold, and that is no complaint', async () => {
    const text = await examined({ isSafe: false, why: 'it wrote to its folder.' })
    expect(text).toMatch(/^1 of 1 hooks healthy/)
    expect(text).toContain('Do not use a warm start: it wrote to its folder.')
  })
  test('one that is warm and should not be is a complaint', async () => {
    const text = await examined({ isSafe: false, why: 'it exited.' }, { isWarm: true })
    expect(text).toMatch(/^0 of 1 hooks healthy/)
    expect(text).toContain('The warm start is not safe: it exited.')
  })
  test("a resident program's state, with what went wrong", async () => {
    await rig.approve('pre_tool_call', ':')
    const [fingerprint = ''] = rig.gatekeeper.approvedHooks().map((hook) => hook.fingerprint)
    const { text } = await consult({
      residents: () => [
        {
          fingerprint,
          pid: 7,
          restarts: 2,
          asked: 40,
          dropped: 1,
          lastError: 'it ended with exit code 1',
          uptimeMs: 61_000,
        },
      ],
    })
    expect(text).toContain('✓ running for 61 s, asked 40 times, restarted 2 times')
    expect(text).toContain('⚠ 1 of its output lines were dropped')
    expect(text).toContain('⚠ The program last ended because: it ended with exit code 1')
  })
})
