import { appendFile, glob, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { plain } from '../../src/core/model/chat/content.ts'
import { deepFreeze } from '../../src/core/model/base/json.ts'
import { startPlane, until, type Plane } from '../plane.ts'

let plane: Plane | undefined
afterEach(async () => {
  await plane?.stop()
  plane = undefined
})

const begin = async (...args: Parameters<typeof startPlane>): Promise<Plane> =>
  (plane = await startPlane(...args))
const hook = (event: string, command: string, more = ''): string =>
  `  - {event: ${event}, command: ${command}${more}}\n`
const approve = async (gate: Plane, event: string, command: string): Promise<void> => {
  await gate.ask(`/hooks approve ${event} ${command}`, (text) => text.includes('Approved'))
}
const on = (gate: Plane): Promise<string> => gate.ask('/hooks on', (text) => text.includes('Hooks are ON'))

const post = (socketPath: string, path: string, body: object): Promise<number> =>
  new Promise((done, fail) => {
    const sent = request(
      { socketPath, path, method: 'POST', headers: { 'content-type': 'application/json' } },
      (response) => {
        response.resume()
        done(response.statusCode ?? 0)
      },
    )
    sent.on('error', fail)
    sent.end(JSON.stringify(body))
  })

test('Law 1, one door: exactly one line in src calls deliver, and a channel refuses what did not come through it', async () => {
  const lines: string[] = []
  for await (const file of glob('src/**/*.ts', { cwd: resolve(import.meta.dirname, '../..') })) {
    const source = await readFile(resolve(import.meta.dirname, '../..', file), 'utf8')
    lines.push(
      ...source
        .split('\n')
        .filter(
          (line) =>
            /\bdeliver\b\s*[(?\]]|\[['"]deliver/.test(line) &&
            !/^\s*(\*|\/\/|\/\*)|deliver\(outgoing: OutgoingMessage\): Promise/.test(line),
        )
        .map((line) => `${file}: ${line.trim()}`),
    )
  }
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^src\/core\/dispatcher\/door\/door\.ts/)
  const gate = await begin()
  const stray = deepFreeze({
    outgoing_id: 'x',
    channel: 'memory',
    chat_id: 'owner',
    kind: 'push' as const,
    ...plain('text', 'stray'),
    code: [],
  })
  expect(await gate.memory.deliver(stray)).toMatchObject({ kind: 'failed' })
  expect(gate.texts()).not.toContain('stray')
  const alarms = await gate.gate.store.records({ limit: 10, kinds: ['alarm'] })
  expect(alarms.map(({ subject }) => subject)).toContain('tripwire')
})

test('Law 2, what was judged is what is sent: the text that arrives is the text that the last hook saw', async () => {
  const inNode = (does: string): string =>
    `#!${process.execPath}\nconst p = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))\n${does}\n`
  const upper = inNode('console.log(JSON.stringify({ notification: p.notification.toUpperCase() }))')
  const witness = inNode("require('node:fs').appendFileSync('seen', p.notification + '\\n')")
  const gate = await begin(
    `hooks:\n${hook('on_outbound_message', './upper.sh')}${hook('on_outbound_message', './witness.sh')}`,
    { 'upper.sh': upper, 'witness.sh': witness },
  )
  await approve(gate, 'on_outbound_message', './upper.sh')
  await approve(gate, 'on_outbound_message', './witness.sh')
  await on(gate)
  const arrived = await gate.ask('say judge me', (text) => /judge me/i.test(text))
  expect(arrived).toBe('JUDGE ME')
  expect((await gate.read('seen')).split('\n')).toContain('JUDGE ME')
  expect(
    gate.memory.sent().every((outgoing) => Object.isFrozen(outgoing) && Object.isFrozen(outgoing.code)),
  ).toBe(true)
})

test('Law 3, commands come first: what looks like a command never reaches the agent', async () => {
  const gate = await begin(`hooks:\n${hook('on_user_message', './witness.sh')}`, {
    'witness.sh': '#!/bin/sh\ncat >> seen\n',
  })
  await approve(gate, 'on_user_message', './witness.sh')
  await on(gate)
  const typed = [
    '/hooks aprove x',
    '/hook',
    '／whoami',
    '/HOOKS',
    '`/hooks why`',
    '/nothing at all',
    '\u200B/hooks log',
  ]
  for (const line of typed) await gate.ask(line, (text) => text.startsWith('🛡'))
  await gate.ask('say over', (text) => text === 'over')
  const seen = await gate.read('seen')
  expect(seen.match(/"event":"on_user_message"/g)).toHaveLength(1)
  expect(seen).toContain('say over')
})

test('Law 4, only a person opens the gate: no file, no socket, no echo and no forwarded text does', async () => {
  const gate = await begin(`hooks:\n${hook('pre_tool_call', './a.sh')}`, { 'a.sh': '#!/bin/sh\n' })
  const socket = join(gate.home, 'run', 'main.sock')
  await writeFile(join(gate.workspace, 'config', 'agent.yaml'), 'shell_hooks: {enabled: true}\n')
  for (const path of ['/v1/hooks/on', '/v1/hooks/approve', '/v1/approve', '/v1/switch'])
    expect(await post(socket, path, { command: './a.sh' })).toBe(404)
  await gate.ask('say /hooks on', (text) => text === '/hooks on')
  for (const origin of [
    'self',
    'forwarded',
    'edited',
    'via_bot',
    'captioned',
    'quoted',
    'from_bot',
    'sender_chat',
  ] as const)
    gate.say('/hooks on', { origin })
  gate.say('/hooks on', { sender_id: 'stranger', chat_id: 'stranger' })
  gate.say('/hooks on', { isPrivate: false })
  gate.say('/hooks on', { sentAtMs: Date.now() - 3_600_000 })
  gate.say('/hooks approve pre_tool_call ./a.sh', { origin: 'forwarded' })
  for (const sender_id of ['stranger', 'owner'])
    gate.memory.press('AAAAAAAAAAAAAAAA', '1', { sender_id, chat_id: sender_id })
  await until(
    'every forgery to be recorded',
    async () => (await gate.gate.store.records({ limit: 50, kinds: ['refusal'] })).length >= 13,
  )
  expect(gate.gate.gatekeeper.state()).toMatchObject({ isOn: false })
  expect(gate.gate.gatekeeper.state().approvals.size).toBe(0)
})

test('Law 5, the workspace proposes and the ledger disposes: approved bytes run on whatever happens to the files', async () => {
  const gate = await begin(`hooks:\n${hook('pre_tool_call', './guard.sh')}`, {
    'guard.sh': `#!/bin/sh\necho '{"decision":"block","reason":"guarded"}'\n`,
  })
  await approve(gate, 'pre_tool_call', './guard.sh')
  await on(gate)
  await gate.script('guard.sh', '#!/bin/sh\necho "{}"\n')
  expect(await gate.ask('!echo one', (text) => /guarded|one/.test(text))).toContain('guarded')
  await until('the owner to be told of the change', () =>
    gate.texts().find((text) => text.includes('A changed hook waits for you:')),
  )
  expect(await gate.ask('/hooks', (text) => text.includes('Hooks are'))).toContain(
    '✓ ./guard.sh: its file changed',
  )
  await gate.propose('hooks: []\n')
  expect(await gate.ask('!echo two', (text) => /^I did not run|^two/.test(text))).toBe('I did not run bash.')
  expect(await gate.ask('/hooks', (text) => text.includes('Hooks are'))).toContain(
    '✓ ./guard.sh: no file proposes it any longer',
  )
})

test('Law 6, no opinion is not consent and a fault is neither', async () => {
  const gate = await begin(
    `hooks:\n${['silent', 'allowing', 'broken'].map((name) => hook('on_permission_request', `./${name}.sh`)).join('')}`,
    {
      'silent.sh': '#!/bin/sh\n',
      'allowing.sh': `#!/bin/sh\necho '{"decision":"allow"}'\n`,
      'broken.sh': '#!/bin/sh\nexit 3\n',
    },
  )
  await on(gate)
  const ask = async (): Promise<{ isConsent: boolean; kinds: unknown }> => {
    const fired = await gate.gate.dispatcher.fire({
      agentId: 'main',
      event: 'on_permission_request',
      sessionId: 's',
      cwd: gate.workspace,
      fields: { tool_name: 'bash', tool_input: {} },
    })
    if (fired.kind !== 'verdict') throw new Error(fired.why)
    return {
      isConsent: fired.verdict.isConsent,
      kinds: fired.verdict.hooks.map(({ answer }) => answer?.kind),
    }
  }
  await approve(gate, 'on_permission_request', './silent.sh')
  expect(await ask()).toEqual({ isConsent: false, kinds: ['abstain'] })
  await approve(gate, 'on_permission_request', './broken.sh')
  expect(await ask()).toEqual({ isConsent: false, kinds: ['abstain', 'fault'] })
  await approve(gate, 'on_permission_request', './allowing.sh')
  expect(await ask()).toEqual({ isConsent: true, kinds: ['abstain', 'allow', 'fault'] })
})

test('Law 7, a broken hook never breaks the agent and a broken gate never opens', async () => {
  const gate = await begin(`hooks:\n${hook('pre_tool_call', './crash.sh')}`, {
    'crash.sh': '#!/bin/sh\nexit 1\n',
  })
  await approve(gate, 'pre_tool_call', './crash.sh')
  await on(gate)
  expect(
    await gate.ask('!echo survived', (text) => text.includes('survived') && !text.startsWith('🛡')),
  ).toContain('survived')
  await until('the fault to be told', () => gate.texts().find((text) => text.includes('crash.sh failed')))
  await appendFile(join(gate.home, 'ledger.jsonl'), '{"n":99,"act":"off"}\n')
  await gate.ask('/hooks off', (text) => text.includes('LOCKDOWN'))
  gate.say('!touch opened')
  await until('the agent to be blocked', async () =>
    (await gate.gate.store.records({ limit: 20, kinds: ['event'] })).some(({ reason }) =>
      reason?.includes('lockdown'),
    ),
  )
  await until('the turn to end', async () => (await gate.gate.store.prompts()).length === 0)
  await expect(gate.read('opened')).rejects.toThrow('ENOENT')
})

test('Law 8, the owner is never locked out: a hook that blocks or hangs on everything cannot stop /hooks off', async () => {
  const gate = await begin(
    `hooks:\n${hook('on_user_message', './hang.sh', ', on_error: block, timeout: 60')}${hook('on_outbound_message', './wall.sh', ', on_error: block')}`,
    {
      'wall.sh': `#!/bin/sh\necho '{"decision":"block","reason":"no"}'\n`,
      'hang.sh': '#!/bin/sh\nsleep 60\n',
    },
  )
  await approve(gate, 'on_user_message', './hang.sh')
  await approve(gate, 'on_outbound_message', './wall.sh')
  await on(gate)
  // What somebody typed is quoted in the answer. It can be withheld, and the answer arrives.
  const answer = await gate.ask('/hooks revoke ./strange.sh', (text) => text.includes('[withheld by'), 5000)
  expect(answer).toContain('No approved hook runs')
  expect(answer).not.toContain('strange')
  gate.say('a message that waits for the hook that hangs')
  await gate.ask('/hooks off', (text) => text.includes('Hooks are OFF'), 5000)
  expect(gate.gate.gatekeeper.state().isOn).toBe(false)
})

test('Law 9, nothing is silent: every event that a hook could have judged has a record, and what is withheld is told once', async () => {
  const gate = await begin(`hooks:\n${hook('on_outbound_message', './guard.sh', ', matcher: "password"')}`, {
    'guard.sh': `#!/bin/sh\necho '{"decision":"block","reason":"not here"}'\n`,
  })
  await approve(gate, 'on_outbound_message', './guard.sh')
  await gate.ask('say password is off', (text) => text === 'password is off')
  await on(gate)
  await gate.ask('say nothing special', (text) => text === 'nothing special')
  const from = gate.texts().length
  gate.say('say my password')
  await until('the owner to be told', () =>
    gate
      .texts()
      .slice(from)
      .find((text) => text.includes('Blocked: ')),
  )
  await gate.ask('say after', (text) => text === 'after')
  expect(gate.texts().filter((text) => text.includes('Blocked: ') && text.includes('not here'))).toHaveLength(
    1,
  )
  const records = (await gate.gate.records({ limit: 200, kinds: ['event'] })).filter(
    ({ session_id }) => session_id !== 'notices',
  )
  const whys = records.map(
    (record) =>
      `${record.outcome}: ${record.hooks?.map(({ why }) => why).join() || `${record.missed} missed`}`,
  )
  expect(whys).toContain('allow: the switch is off')
  expect(whys).toContain('allow: 1 missed')
  expect(whys).toContain('block: matched')
})

test('Law 10, bounded on hostile input: a flood, a hang and a catastrophic pattern each end in time', async () => {
  const gate = await begin(
    `hooks:\n${hook('post_tool_call', './flood.sh', ', timeout: 1')}${hook('on_user_message', './never.sh', `, matcher: "(?=a)(a+)+$"`)}`,
    {
      // It floods, hangs when nobody reads on, and has a child that stays.
      'flood.sh': `#!/bin/sh\ntrap '' TERM\nsleep 30 & yes flood\nsleep 30\n`,
      'never.sh': '#!/bin/sh\ncat > matched\n',
    },
  )
  for (const [event, command] of [
    ['post_tool_call', './flood.sh'],
    ['on_user_message', './never.sh'],
  ] as const)
    await approve(gate, event, command)
  await on(gate)
  const startedAtMs = Date.now()
  await gate.ask(`!echo ${'a'.repeat(40)}b`, (text) => text.includes('aab') && !text.startsWith('🛡'), 12_000)
  expect(Date.now() - startedAtMs).toBeLessThan(8000)
  // A pattern that did not finish counts as a match.
  expect(await gate.read('matched')).toContain('on_user_message')
})

test('Law 12, what the owner approved is what the owner gets: what cannot work is told beforehand, and what fails later is told at once', async () => {
  const guard =
    '#!/bin/sh\nexec < rules.txt\nread -r rule\necho "{\\"decision\\":\\"block\\",\\"reason\\":\\"$rule\\"}"\n'
  const gate = await begin(
    `hooks:\n${hook('pre_tool_call', './guard.sh')}${hook('pre_tool_call', './lost.sh')}`,
    {
      'guard.sh': guard,
      'rules.txt': 'no echo today\n',
      'lost.sh': '#!/usr/bin/env no-such-interpreter\n',
    },
  )
  expect(await gate.ask('/hooks', (text) => text.includes('Hooks are'))).toContain('1 cannot run here')
  await gate.ask('/hooks pending 2', (text) => text.includes('no-such-interpreter'))
  await gate.ask('/hooks approve pre_tool_call ./lost.sh', (text) => text.includes('no-such-interpreter'))
  await approve(gate, 'pre_tool_call', './guard.sh')
  await on(gate)
  expect(await gate.ask('!echo one', (text) => /no echo today|one/.test(text))).toContain('no echo today')
  // What it reads is gone. Its shell ends with an error, and no word of it is an answer.
  await rm(join(gate.workspace, 'rules.txt'))
  const from = gate.texts().length
  gate.say('!touch passed')
  await until('the failure to be told', () =>
    gate
      .texts()
      .slice(from)
      .find((text) => text.startsWith('🛡') && text.includes('rules.txt')),
  )
  await until('the turn to end', async () => (await gate.gate.store.prompts()).length === 0)
  await expect(gate.read('passed')).rejects.toThrow('ENOENT')
})
