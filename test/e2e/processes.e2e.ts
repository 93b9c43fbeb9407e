import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { outside } from '../handlers/host/outside.ts'
import { startProgram, until, type Program } from './program.ts'
import { alive, type ProcessRow } from '../process-list.ts'
import {
  agentHost,
  arm,
  familyOf,
  findChild,
  hookHost,
  openPage,
  openPhone,
  ownedEnv,
  propose,
  put,
  token,
  untilGone,
  type Chat,
} from './rig.ts'

let api: BotApi
let program: Program
let phone: Chat

beforeAll(async () => {
  api = await startBotApi({ token })
  program = await startProgram(ownedEnv(api))
  phone = openPhone(api)
})
afterAll(async () => {
  await program.remove()
  await api.stop()
})

/** The process group that a hook wrote into its file `name` in the workspace. */
const groupOf = (name: string): Promise<readonly ProcessRow[]> =>
  until(`${name} to run`, async () => {
    const pid = outside(Number(await readFile(join(program.workspace, name), 'utf8').catch(() => 'none yet')))
    const rows = alive().filter(({ group }) => group === pid)
    return rows.length > 0 && rows
  })

const offWithin = async (chat: Chat, withinMs: number): Promise<void> => {
  const startedAtMs = performance.now()
  await chat.ask('/hooks off', /Hooks are OFF/)
  expect(performance.now() - startedAtMs).toBeLessThan(withinMs)
}

describe('a hook whose program cannot run is told before it is approved, with how to mend it', () => {
  const broken: readonly (readonly [string, RegExp])[] = [
    [
      './a-folder',
      /Expected "a-folder" to be a regular file that can be sealed, got a directory\. Name a file in it\./,
    ],
    [
      './missing.sh',
      /Expected "missing\.sh" to be a regular file that can be sealed, got nothing there\. Create the file or correct the path/,
    ],
    [
      './not-executable.sh',
      /Expected "not-executable\.sh" to be executable, got a file that is not\. Run: chmod \+x not-executable\.sh/,
    ],
    [
      './no-interpreter.sh',
      /Expected the interpreter "\/nowhere\/interpreter" of the first line of "no-interpreter\.sh" to be a program, got none there\. Install it/,
    ],
    [
      './no-env.sh',
      /Expected "no-such-program", which the first line of "no-env\.sh" asks for, to be a program on the hooks' PATH, got nothing there\. Install it/,
    ],
    ['./dos.sh', /Expected the first line of "dos\.sh" to end in a line feed alone.*Unix line ends/],
    [
      'no-such-program --now',
      /Expected "no-such-program" to be a program on the hooks' PATH, got nothing there\. .*write \.\/no-such-program for a file in the workspace/,
    ],
    [
      'python3 missing.py',
      /Expected a word of "python3 missing\.py" to name a script, got none that exists\. Create the script/,
    ],
    ['./open "quote', /a quote is not closed/],
  ]

  /** No card, which can come at any time and says that its hook is not approved. */
  const answered = /^(?!.*waits for you)[^]*(?:approved|no file|cannot)/i

  test('on its card and on approving', async () => {
    await mkdir(join(program.workspace, 'a-folder'))
    await put(program, 'not-executable.sh', '#!/bin/sh\n', 0o644)
    await put(program, 'no-interpreter.sh', '#!/nowhere/interpreter -x\n')
    await put(program, 'no-env.sh', '#!/usr/bin/env no-such-program\n')
    await put(program, 'dos.sh', '#!/bin/sh\r\necho {}\r\n')
    await put(program, 'whole.sh', '#!/usr/bin/env sh\n')
    await propose(program, phone, [
      ...broken.map(([command]) => ({ event: 'on_stop', command })),
      { event: 'on_stop', command: './whole.sh' },
    ])
    const count = Number(/ of (\d+)$/.exec(await phone.ask('/hooks pending', /1 of \d+$/))?.[1])
    let cards = ''
    for (let page = 1; page <= count; page++)
      cards += (await phone.ask(`/hooks pending ${page}`, new RegExp(`${page} of ${count}$`))).replaceAll(
        '\n',
        ' ',
      )
    for (const [command, words] of broken) {
      // What only lacks a program comes last, with the program once for all.
      if (/^\.\/no-|^no-/.test(command)) expect(cards).toContain(command)
      else expect(cards).toMatch(words)
      const answer = await phone.ask(`/hooks approve on_stop ${command}`, answered)
      expect(answer).toMatch(words)
      expect(answer).not.toContain('✓')
    }
    expect(await phone.ask('/hooks approve on_stop ./whole.sh', answered)).toContain('✓ Approved')
    expect(await phone.ask('/hooks', /Hooks are/)).toContain('✓ ./whole.sh')
    await phone.ask('/hooks revoke ./whole.sh', /Revoked/)
  })
})

/** What only the hook itself brings about follows its on_error, which lets the tool run here. */
const goesOn = new Set(['drips'])

describe('a hook that misbehaves ends within its timeout, what the agent can bring about blocks, and the person is told once', () => {
  const bad: readonly (readonly [string, string, RegExp])[] = [
    [
      'hangs',
      '#!/bin/sh\necho $$ > hangs.pid\nexec sleep 60\n',
      /hangs\.sh[^]*failed \(timeout\)[^]*It did not answer within 1 s/,
    ],
    [
      'deaf',
      '#!/bin/sh\ntrap "" TERM INT HUP\necho $$ > deaf.pid\nsleep 60 &\nwhile :; do sleep 60; done\n',
      /deaf\.sh[^]*failed \(timeout\)[^]*/,
    ],
    [
      'floods',
      '#!/bin/sh\necho $$ > floods.pid\nexec yes\n',
      /floods\.sh[^]*failed \(limit\)[^]*It printed more than 1 MiB/,
    ],
    ['talks', '#!/bin/sh\necho $$ > talks.pid\nexec yes >&2\n', /talks\.sh[^]*failed \(timeout\)/],
    [
      'drips',
      // It has said the same whenever it ends, so that the same is told.
      '#!/bin/sh\necho $$ > drips.pid\necho drip\n(while sleep 1; do echo drip; done) &\nexit 0\n',
      /drips\.sh[^]*failed \(output\)[^]*It printed text that is no answer/,
    ],
    ['crashes', '#!/bin/sh\necho $$ > crashes.pid\nkill -9 $$\n', /crashes\.sh[^]*failed \(killed\)/],
  ]
  /** No fault: it answered, and a grandchild kept its pipes open. */
  const held = [
    'holds',
    '#!/bin/sh\necho $$ > holds.pid\nsleep 60 &\necho \'{"decision": "block", "reason": "said in time"}\'\n',
  ] as const

  beforeAll(async () => {
    for (const [name, script] of [...bad, held]) await put(program, `${name}.sh`, script)
    await arm(
      program,
      phone,
      [...bad, held].map(([name]) => ({
        event: 'pre_tool_call',
        command: `./${name}.sh`,
        matcher: name,
        timeout: name === 'holds' ? 20 : 1,
      })),
    )
  })

  test.each(bad)('%s', async (name, _script, words) => {
    const from = phone.texts().length
    for (const round of ['first', 'second']) {
      const startedAtMs = performance.now()
      const answer = goesOn.has(name) ? new RegExp(`^${name} ${round}\n$`) : /^I did not run bash[.:]/
      await phone.ask(`!echo ${name} ${round}`, answer, 20_000)
      expect(performance.now() - startedAtMs).toBeLessThan(15_000)
      const pid = outside(Number(await readFile(join(program.workspace, `${name}.pid`), 'utf8')))
      await until('the end of its group', () => alive().every(({ group }) => group !== pid))
    }
    expect(await phone.reply(/⚠|Blocked: /, from)).toMatch(words)
    await phone.ask('say and on', /^and on$/)
    expect(
      phone
        .texts()
        .slice(from)
        .filter((text) => words.test(text)),
    ).toHaveLength(1)
  })

  test('holds', async () => {
    const startedAtMs = performance.now()
    expect(await phone.ask('!echo holds', /said in time/)).toMatch(/bash.*said in time/s)
    // Far less than its timeout; a second of it may be the messenger's own limit.
    expect(performance.now() - startedAtMs).toBeLessThan(15_000)
    const pid = outside(Number(await readFile(join(program.workspace, 'holds.pid'), 'utf8')))
    await until('the end of its group', () => alive().every(({ group }) => group !== pid))
  })
})

describe('/hooks off is answered at once', () => {
  const slow = (name: string): string =>
    `#!/bin/sh\ntrap "" TERM\necho $$ > ${name}.pid\nsleep 15\necho '{"decision": "block", "reason": "too late"}'\n`

  beforeAll(async () => {
    await put(program, 'slow.sh', slow('slow'))
    await put(program, 'mute.sh', slow('mute'))
    await propose(program, phone, [
      { event: 'pre_tool_call', command: './slow.sh', matcher: 'slowly', timeout: 60, on_error: 'block' },
      { event: 'on_outbound_message', command: './mute.sh', timeout: 60, on_error: 'block' },
    ])
    await phone.ask('/hooks approve pre_tool_call ./slow.sh', /✓ Approved/)
  })
  afterEach(() => phone.ask('/hooks off', /Hooks are OFF/))

  test('while the agent works for 20 seconds', async () => {
    await phone.ask('/hooks on', /Hooks are ON/)
    api.say('!sleep 20; echo slept')
    const tool = await until('the tool', () =>
      familyOf(program.child.pid).find(({ command }) => command === 'sleep 20'),
    )
    await offWithin(phone, 8000)
    expect(alive().map(({ pid }) => pid)).toContain(tool.pid)
    expect(await phone.ask('/stop', /^Stopped/)).toContain('Stopped')
    await untilGone([tool])
  })

  test('while a slow hook runs: it is gone with all its processes, and the step goes on without it', async () => {
    await phone.ask('/hooks on', /Hooks are ON/)
    const from = phone.texts().length
    api.say('!echo slowly on')
    const group = await groupOf('slow.pid')
    await offWithin(phone, 8000)
    await untilGone(group)
    await phone.reply(/^slowly on/, from)
    expect(phone.texts().slice(from).join('')).not.toContain('too late')
  })

  test('while a slow hook judges what is to be said, also in the same chat', async () => {
    await phone.ask('/hooks approve on_outbound_message ./mute.sh', /✓ Approved/)
    await phone.ask('/hooks on', /Hooks are ON/)
    const from = phone.texts().length
    api.say('say hush')
    const group = await groupOf('mute.pid')
    // A card quotes a file, and that is judged by the same hook: it must not hold up what comes after it.
    api.say('/hooks show ./slow.sh')
    await until('the card to be asked for', () => api.pending().length === 0)
    await offWithin(phone, 8000)
    await untilGone(group)
    await phone.reply(/^hush$/, from)
    await phone.reply(/✓ approved {2}pre_tool_call/, from)
  })

  test("from the page, while the phone's chat is busy", async () => {
    await phone.ask('/hooks on', /Hooks are ON/)
    const page = await openPage(program)
    api.say('say hush now')
    await until('the hook', () => familyOf(program.child.pid).find(({ command }) => /mute\.sh/.test(command)))
    await offWithin(page, 8000)
    page.close()
  })
})

describe('resident memory after start, with Telegram and without WeChat, as it is published', () => {
  test('the gate has less than 140 MB, all three processes less than 255 MB', async () => {
    const ownApi = await startBotApi({ token })
    const built = await startProgram(ownedEnv(ownApi))
    try {
      await openPhone(ownApi).ask('say up', /^up$/)
      const hosts = [await findChild(built, agentHost), await findChild(built, hookHost)]
      const rssMb = (): number => alive().find(({ pid }) => pid === built.child.pid)?.rssMb ?? NaN
      // The thread that looks at the workspace ends when nothing moves there.
      const least = await until('the gate to rest', () => rssMb() < 140 && rssMb()).catch(rssMb)
      const gate = typeof least === 'number' ? least : NaN
      const all = hosts.reduce((sum, { rssMb }) => sum + rssMb, gate)
      console.log(
        `VmRSS: gate ${gate.toFixed(1)} MB, agent host ${hosts[0]?.rssMb.toFixed(1)} MB, hook host ${hosts[1]?.rssMb.toFixed(1)} MB, together ${all.toFixed(1)} MB`,
      )
      expect(gate).toBeLessThan(140)
      expect(all).toBeLessThan(255)
    } finally {
      await built.remove()
      await ownApi.stop()
    }
  })
})
