import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findContainer } from '../../src/handlers/host/spawn/containment.ts'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
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
  stored,
  token,
  untilGone,
  type Chat,
} from './rig.ts'

let api: BotApi
let program: Program
let phone: Chat

/** Where hooks live in a PID namespace, one more that nothing of its start is to be seen of. */
const vanish =
  findContainer(undefined).containment.kind === 'pid namespace'
    ? 'env -i setsid sh -c "trap \'\' TERM; setsid sleep 31 &" < /dev/null > /dev/null 2>&1\n'
    : ''
/** Deaf to SIGTERM, with a child and, on Linux, one that left the process group; would block after 30 s. */
const slow =
  '#!/bin/sh\ntrap "" TERM\n' +
  vanish +
  'command -v setsid > /dev/null && setsid sleep 31 &\nsleep 30\necho \'{"decision": "block", "reason": "too late"}\'\n'
const hooks = [
  { event: 'pre_tool_call', command: './goes-on.sh', matcher: 'lenient', timeout: 60 },
  { event: 'pre_tool_call', command: './fails-closed.sh', matcher: 'strict', timeout: 60, on_error: 'block' },
  { event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden', on_error: 'block' },
]

/** All pages of the list, one under the other. */
const wholeList = async (chat: Chat): Promise<string> => {
  const first = await chat.ask('/hooks', /Hooks are/)
  const pages = Number(/^page 1 of (\d+)/m.exec(first)?.[1] ?? 1)
  const all = [first]
  for (let page = 2; page <= pages; page++)
    all.push(await chat.ask(`/hooks ${page}`, new RegExp(`page ${page} of ${pages}`)))
  return all.join('\n')
}

beforeAll(async () => {
  api = await startBotApi({ token })
  program = await startProgram(ownedEnv(api))
  phone = openPhone(api)
  await put(program, 'goes-on.sh', slow)
  await put(program, 'fails-closed.sh', slow)
  await put(program, 'guard.sh', '#!/bin/sh\necho \'{"decision": "block", "reason": "the guard said no"}\'\n')
  await arm(program, phone, hooks)
})
afterAll(async () => {
  await program.remove()
  await api.stop()
})

/** Kills at once, as an out-of-memory killer would. */
const strike = ({ pid }: ProcessRow): void => void process.kill(pid, 'SIGKILL')

/**
 * Everything that lives in the process groups of the program's family: what outlives its parent shows up here
 * too.
 */
const wholeFamily = (): readonly ProcessRow[] => {
  const rows = alive()
  const groups = new Set(familyOf(program.child.pid, rows).map(({ group }) => group))
  return rows.filter(({ group }) => groups.has(group))
}
const slowHook = (): Promise<readonly ProcessRow[]> =>
  until('the slow hook', () => {
    const rows = wholeFamily().filter(({ command }) => command === 'sleep 30')
    return rows.length > 0 && rows
  })
const count = (what: (text: string) => boolean): number => phone.texts().filter(what).length

describe('kill -9 of a part', () => {
  test('the agent host in mid-turn: the person is told, its tools are gone, and the next message works', async () => {
    const from = phone.texts().length
    api.say('!sleep 25; echo never')
    const tool = await findChild(program, /^sleep 25$/)
    const host = await findChild(program, agentHost)
    strike(host)
    expect(await phone.reply(/The agent stopped while it worked on your last message/, from, 5000)).toContain(
      'Send it again if you still want it',
    )
    await untilGone([host, tool])
    expect(await phone.ask('say again', /^again$/)).toBe('again')
    expect((await findChild(program, agentHost)).pid).not.toBe(host.pid)
    expect(count((text) => text.includes('while it worked on'))).toBe(1)
  })

  test('the agent host before it had begun with a message: the next one answers it', async () => {
    const from = phone.texts().length
    const host = await findChild(program, agentHost)
    process.kill(host.pid, 'SIGSTOP')
    const typing = api.calls('sendChatAction').length
    api.say('say after all')
    await until('the host to have it', () => api.calls('sendChatAction').length > typing)
    strike(host)
    expect(await phone.reply(/before it began your last message/, from)).toContain(
      'The agent stopped before it began your last message. It gets it as soon as it is running again.',
    )
    expect(await phone.reply(/^after all$/, from)).toBe('after all')
    expect(count((text) => text === 'after all')).toBe(1)
  })

  test('the agent host over and over: it comes back each time, and the person is not flooded', async () => {
    for (let round = 0; round < 3; round++) {
      const host = await findChild(program, agentHost)
      strike(host)
      await until('the next host', async () => (await findChild(program, agentHost)).pid !== host.pid)
      expect(await phone.ask(`say round ${round}`, new RegExp(`^round ${round}$`))).toBe(`round ${round}`)
    }
  })

  test.each([
    ['on_error: warn fails closed, since an agent can bring it about', 'lenient', /^I did not run bash[.:]/],
    ['on_error: block fails closed', 'strict', /^I did not run bash[.:]/],
  ])(
    'the hook host in mid-hook: %s, told once, no hook is left, and the next hook runs',
    async (_title, word, answer) => {
      const from = phone.texts().length
      api.say(`!echo ${word}`)
      const hook = await slowHook()
      const host = await findChild(program, hookHost)
      strike(host)
      await untilGone([host, ...hook])
      await phone.reply(answer, from)
      const words = /failed \(host\)[^]*The hook host died while this hook ran, and was started again\./
      await phone.reply(words, from)
      expect(await phone.ask('!echo forbidden', /^I did not run bash/)).toMatch(/bash[.:]/)
      expect((await findChild(program, hookHost)).pid).not.toBe(host.pid)
      expect(
        phone
          .texts()
          .slice(from)
          .filter((text) => /⚠|Blocked: /.test(text) && words.test(text)),
      ).toHaveLength(1)
    },
  )
})

describe('kill -9 of the gate', () => {
  test('agent host, hook host, running tools and running hooks are gone within 2 seconds, and interrupted turns are told once', async () => {
    const page = await openPage(program)
    api.say('!sleep 25; echo never')
    await findChild(program, /^sleep 25$/)
    await page.ask('/hooks', /Hooks are ON/)
    const asked = page.ask('!echo lenient', /never comes/, 60_000).catch(() => undefined)
    await slowHook()
    const family = wholeFamily()
    expect(family.map(({ command }) => command)).toEqual(
      expect.arrayContaining([
        'sleep 25',
        'sleep 30',
        expect.stringMatching(agentHost),
        expect.stringMatching(hookHost),
      ]),
    )
    const from = phone.texts().length
    await program.kill()
    await untilGone(family, 2000)
    page.close()
    program = await program.again()
    expect(await phone.reply(/hookgate was stopped while it worked on your last message/, from)).toContain(
      'Send it again if you still want it',
    )
    const newPage = await openPage(program)
    await newPage.reply(/hookgate was stopped while it worked on your last message/)
    newPage.close()
    await phone.ask('say and on', /^and on$/)
    expect(
      phone
        .texts()
        .slice(from)
        .filter((text) => text.includes('while it worked on')),
    ).toHaveLength(1)
    expect(phone.texts().join('')).not.toMatch(/^never/m)
    void asked
  })

  test('approvals, switch and pairing are kept', async () => {
    expect(program.output()).toContain('Hooks are ON: 3 approved')
    expect(await phone.ask('/hooks', /Hooks are/)).toMatch(/^🛡 Hooks are ON(?:\n✓ \.\/[\w-]+\.sh){3}$/u)
    expect(await phone.ask('!echo forbidden', /^I did not run bash/)).toMatch(/bash[.:]/)
  })

  test('what was carried out before is not carried out again when Telegram gives it twice', async () => {
    const command = api.say('/hooks revoke ./goes-on.sh')
    await phone.reply(/Revoked/)
    const line = api.say('!echo once >> once.txt; echo done once')
    await phone.reply(/^done once/)
    await program.kill()
    program = await program.again()
    api.inject({ message: command })
    api.inject({ message: line })
    await phone.ask('say after both', /^after both$/)
    expect(await readFile(join(program.workspace, 'once.txt'), 'utf8')).toBe('once\n')
    expect(count((text) => text.includes('Revoked') || text.includes('No approved hook runs'))).toBe(1)
  })
})

describe('an end that was asked for', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s: exit code 0, and all processes with their children are gone',
    async (signal) => {
      await phone.ask('/hooks on', /Hooks are ON/)
      const page = await openPage(program)
      api.say('!sleep 25; echo never')
      await findChild(program, /^sleep 25$/)
      void page.ask('!echo strict', /never comes/, 60_000).catch(() => undefined)
      await slowHook()
      const family = wholeFamily()
      const startedAtMs = performance.now()
      program.child.kill(signal)
      await until(
        'its end',
        () => program.child.exitCode !== null || program.child.signalCode !== null,
        15_000,
      )
      expect(performance.now() - startedAtMs).toBeLessThan(8000)
      expect([program.child.exitCode, program.child.signalCode]).toEqual([0, null])
      await untilGone(family, 3000)
      page.close()
      program = await program.again()
      expect(program.output()).not.toMatch(/LOCKDOWN|\n\s+at /)
    },
  )
})

describe('kill -9 of the gate at random moments of a burst', () => {
  const rounds = 12
  /** An approval has its files looked at first, which takes a moment behind a start. */
  const maxPauseMs = 1500
  const seed = Date.now() % 1_000_000
  /** mulberry32: the same moments again for the same seed. */
  const random = ((state: number) => (): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  })(seed)
  /** The messages that the store has: what Telegram was told to forget must be among them. */
  const seenBy = (gate: Program): ReadonlySet<number> =>
    new Set(
      stored(gate, "SELECT message_id FROM seen WHERE channel = 'telegram'").map((row) =>
        Number(row['message_id']),
      ),
    )
  const note = (round: number): string => `./note.sh ${round}`

  test(
    'never a lockdown, never a lost approval that was answered, nothing twice',
    { timeout: 240_000 },
    async () => {
      console.log(`seed ${seed}`)
      await put(program, 'note.sh', '#!/bin/sh\n')
      await propose(
        program,
        phone,
        Array.from({ length: rounds }, (_, round) => ({ event: 'on_notification', command: note(round) })),
      )
      const from = phone.texts().length
      for (let round = 0; round < rounds; round++) {
        const said = [
          `/hooks approve on_notification ${note(round)}`,
          `!echo ${round} >> burst.txt; echo ran ${round}`,
          round % 2 === 0 ? '/hooks off' : '/hooks on',
          `say word ${round}`,
        ]
        const ids = said.map((words) => api.say(words).message_id)
        await new Promise((done) => setTimeout(done, random() * maxPauseMs))
        await program.kill()
        const pending = new Set(api.pending().map(({ message }) => message?.message_id))
        const seen = seenBy(program)
        expect(ids.filter((id) => !pending.has(id) && !seen.has(id))).toEqual([])
        program = await program.again()
        expect(program.output()).not.toMatch(/LOCKDOWN|damaged|\n\s+at /)
      }
      await phone.ask('say the end', /^the end$/, 90_000)
      await until('every update to be taken', () => api.pending().length === 0)
      const shown = phone.texts().slice(from)
      const list = await wholeList(phone)
      const ran = (await readFile(join(program.workspace, 'burst.txt'), 'utf8').catch(() => ''))
        .trim()
        .split('\n')
      expect(new Set(ran).size).toBe(ran.length)
      let answered = 0
      for (let round = 0; round < rounds; round++) {
        const receipts = shown.filter((text) => text.includes(`pproved: on_notification\n  ${note(round)}\n`))
        const isApproved = list.split('\n').includes(`✓ ${note(round)}`)
        expect(receipts.length).toBeLessThanOrEqual(1)
        if (receipts.length === 1) expect([round, isApproved]).toEqual([round, true])
        expect(shown.filter((text) => text === `ran ${round}\n`).length).toBeLessThanOrEqual(1)
        expect(shown.filter((text) => text === `word ${round}`).length).toBeLessThanOrEqual(1)
        answered += receipts.length
      }
      console.log(
        `${answered} approvals answered, ${ran.length} commands ran, ${shown.filter((text) => text.startsWith('word ')).length} words arrived, ${shown.filter((text) => /in the middle|may have arrived/.test(text)).length} interruptions told`,
      )
      expect(answered).toBeGreaterThan(0)
    },
  )
})
