import { randomInt } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { isRoot } from '../isolation/people.ts'
import { startedDirty } from './dirty-start.ts'
import { cli, startProgram, until, type Program, type Starter } from './program.ts'
import { alive } from '../process-list.ts'
import {
  agentHost,
  findChild,
  hookHost,
  openPhone,
  ownedEnv,
  propose,
  put,
  startInVain,
  token,
  untilGone,
  type Chat,
} from './rig.ts'
import {
  homeWith,
  ownStarter,
  people,
  provesSeparation,
  sandboxOfRoot,
  threeUsers,
  usersOfRoot,
} from './separation-rig.ts'

afterAll(() => people?.remove())

let api: BotApi
let program: Program | undefined
// One bot for each gate: what it keeps pinned would tell the next one that its ledger was put back.
beforeEach(async () => {
  api = await startBotApi({ token })
})
afterEach(async () => {
  await program?.remove()
  program = undefined
  await api.stop()
})

const start = async (starter: Starter): Promise<{ readonly gate: Program; readonly phone: Chat }> => {
  const gate = await startProgram(ownedEnv(api), cli, starter)
  program = gate
  return { gate, phone: openPhone(api) }
}

describe.runIf(isRoot || process.env['CI'] === 'true')("the agent's tools, by whatever separation", () => {
  test.each([sandboxOfRoot, usersOfRoot])(
    '$title: the console says so, hooks and switch work, an intruder gets nothing, and the hosts come back',
    async (kind) => {
      const { gate, phone } = await start(startedDirty(kind.starter()))
      await provesSeparation(gate, phone, kind)
    },
  )
})

test(
  'a workspace that is the home itself works on, and console, list and doctor warn with the same line',
  { timeout: 60_000 },
  async () => {
    const starter = ownStarter()
    const env = ownedEnv(api)
    const gate = await startProgram(env, cli, {
      ...starter,
      prepare: (home) => {
        starter.prepare?.(home)
        env['HOOKGATE_WORKSPACE'] = home
      },
    })
    program = gate
    const phone = openPhone(api)
    const line = `⚠ The agent runs in a sandbox (bwrap), hooks in another one: neither can see the gate’s keys or its processes. But your home is visible: the workspace ${gate.home} holds it, and what is written there can run as you. Name another: HOOKGATE_WORKSPACE=${gate.home}/hookgate.`
    expect(gate.output()).toContain(`\n${line}\n`)
    expect(await phone.ask('/hooks', /Hooks are/)).toContain(line)
    expect(await phone.ask('/hooks doctor', /No hook is approved/)).toContain(line)
    expect(
      await phone.ask(
        `!cat ${gate.gate}/secrets/ledger.key; ls -A ${gate.gate}; cat notes.txt; echo out`,
        /out\s*$/,
      ),
    ).toMatch(/^cat: .*No such file.*\nagents\nrun\nthe person’s ownout\s*$/)
  },
)

describe('where nothing separates', () => {
  test('console, list and doctor say so with the same line, and what to do', async () => {
    const { gate, phone } = await start({ prepare: homeWith('separation: none\n') })
    const line =
      '⚠ Nothing keeps an agent with a shell out of the gate: gate.yaml says separation: none. Remove that line.'
    expect(gate.output()).toContain(`\n${line}\n`)
    expect(await phone.ask('/hooks', /Hooks are/)).toContain(line)
    expect(await phone.ask('/hooks doctor', /No hook is approved/)).toContain(line)
  })

  test.each([
    [
      'users',
      /Expected "separation: users" of gate\.yaml to be possible, but (there is no user nobody-at-all\. Make it: useradd|hookgate may not change users\. Start it as root)/,
    ],
    [
      'sandbox or so',
      /Expected "separation" to be auto, users, sandbox or none, got "sandbox or so" \(string\)/,
    ],
  ])('what gate.yaml demands and cannot be had is a start that fails: %s', async (wanted, words) => {
    const home = fs.mkdtempSync('/tmp/hookgate-vain-')
    homeWith(`agents: {main: {kind: demo, user: nobody-at-all}}\nseparation: ${wanted}\n`)(home)
    const { code, output } = await startInVain(home)
    fs.rmSync(home, { recursive: true })
    expect(code).toBe(1)
    expect(output).toMatch(words)
    expect(output).not.toMatch(/\n\s+at /)
  })

  test('the signal that opens a debugger opens none, in gate and hosts', async () => {
    const { gate, phone } = await start({ prepare: homeWith('separation: none\n') })
    // A process that is still being started ends by any signal.
    await phone.ask('say ready', /^ready$/)
    const all = [
      gate.child.pid ?? 0,
      (await findChild(gate, agentHost)).pid,
      (await findChild(gate, hookHost)).pid,
    ]
    for (const pid of all) process.kill(pid, 'SIGUSR1')
    expect(await phone.ask('say still here', /^still here$/)).toBe('still here')
    expect(gate.output()).not.toContain('Debugger')
    expect(alive().filter(({ pid }) => all.includes(pid))).toHaveLength(3)
    for (const pid of all) expect(fs.readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/State:\s+[SR]/)
  })

  test('what the environment says to Node reaches the gate alone', async () => {
    const gate = await startProgram(
      { ...ownedEnv(api), NODE_OPTIONS: '--inspect=127.0.0.1:0 --no-warnings' },
      cli,
      { prepare: homeWith('separation: none\n') },
    )
    program = gate
    for (const host of [agentHost, hookHost]) {
      const { pid, command } = await findChild(gate, host)
      expect(`${command} ${fs.readFileSync(`/proc/${pid}/environ`, 'utf8')}`).not.toMatch(
        /inspect(?!or)|NODE_OPTIONS/,
      )
    }
    expect(gate.output().match(/Debugger listening/g)).toHaveLength(1)
  })
})

test('what a killed gate left behind, even outside of every group, is gone before the next one works', async () => {
  const { gate, phone } = await start({ prepare: homeWith('separation: none\n') })
  const sleeper = `sleep ${80_000 + randomInt(9999)}`
  await phone.ask(
    `!setsid sh -c "echo > up; exec ${sleeper}" & until [ -e up ]; do sleep 0.05; done; echo left`,
    /^left/,
  )
  const left = await until('it', () => alive().find(({ command }) => command === sleeper))
  await gate.kill()
  expect(alive().some(({ pid }) => pid === left.pid)).toBe(true)
  program = await gate.again()
  await untilGone([left], 3000)
})

describe.runIf(isRoot || process.env['CI'] === 'true')('a gate with more rights than its agent', () => {
  test(
    "writes nothing where the agent's links lead, and proposes nothing that the agent could not read",
    { timeout: 60_000 },
    async () => {
      const { gate, phone } = await start({ prepare: homeWith(threeUsers()) })
      fs.mkdirSync(path.join(gate.home, 'private'), { mode: 0o700 })
      fs.writeFileSync(path.join(gate.home, 'private', 'key.sh'), '#!/bin/sh\n', { mode: 0o755 })
      await phone.ask(`!ln -s ${gate.home}/private lane; ln -s /etc/shadow config/x; echo linked`, /^linked/)
      await put(gate, 'plain.sh', '#!/bin/sh\n')
      await propose(gate, phone, [
        { event: 'on_stop', command: 'cat', files: ['/etc/shadow'] },
        { event: 'on_stop', command: './lane/key.sh' },
        { event: 'on_stop', command: './plain.sh' },
      ])
      const cards = [2, 3].map((page) => phone.ask(`/hooks pending ${page}`, new RegExp(`${page} of 3$`)))
      const problems = (await Promise.all(cards)).join('\n')
      for (const file of ['/etc/shadow', 'lane/key.sh'])
        expect(problems).toContain(
          `Expected "${file}" to be a regular file that can be sealed, got a file that the agent itself may not read.`,
        )
      const elsewhere = path.join(gate.home, 'elsewhere')
      fs.mkdirSync(elsewhere, { mode: 0o755 })
      fs.writeFileSync(path.join(elsewhere, 'agent.yaml'), 'name: owner\n', { mode: 0o644 })
      await phone.ask(`!mv config aside && ln -s ${elsewhere} config && echo moved`, /^moved/)
      await phone.ask('/hooks on', /Hooks are ON/)
      await until('the owner to hear that the file does not show it', () =>
        phone
          .texts()
          .some((text) =>
            text.includes(
              'config/agent.yaml was left as it is: its folder is a link that leaves the workspace.',
            ),
          ),
      )
      expect(fs.readFileSync(path.join(elsewhere, 'agent.yaml'), 'utf8')).toBe('name: owner\n')
      expect(fs.readdirSync(elsewhere)).toEqual(['agent.yaml'])
    },
  )
})
