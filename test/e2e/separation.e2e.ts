import { randomInt } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startBotApi, type BotApi } from '../fixtures/bot-api/server.ts'
import { hijack, stolen } from '../isolation/hijack.ts'
import { planted, type Findings, type Targets } from '../isolation/intruder.ts'
import { isRoot, makePeople } from '../isolation/people.ts'
import { openings } from '../isolation/world.ts'
import { cli, startProgram, until, type Program, type Starter } from './program.ts'
import { alive } from '../process-list.ts'
import {
  agentHost,
  arm,
  familyOf,
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
import { asService, homeWith as aHome } from './starters.ts'

const people = isRoot ? makePeople('gate', 'agent', 'hooks', 'person') : undefined
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

const nameOf = (name: 'gate' | 'agent' | 'hooks' | 'person'): string => people?.of(name).name ?? name

/** The home of a person with files that nobody else may read. */
const homeWith = (
  yaml: string,
  owner?: { readonly uid: number; readonly gid: number },
): ((home: string) => void) =>
  aHome(yaml, owner, ['.bashrc', 'notes.txt', '.config/chromium/Default/Cookies'])
const start = async (starter: Starter): Promise<{ readonly gate: Program; readonly phone: Chat }> => {
  const gate = await startProgram(ownedEnv(api), cli, starter)
  program = gate
  return { gate, phone: openPhone(api) }
}
const threeUsers = (): string =>
  `agents: {main: {kind: demo, user: ${nameOf('agent')}}}\nhooks: {user: ${nameOf('hooks')}}\n`
/** Where nobody is root, the gate's own user is the only one there is. */
const ownStarter = (): Starter => {
  if (people === undefined) return { prepare: homeWith('separation: sandbox\n') }
  const { uid, gid } = people.of('person')
  return { user: { uid, gid }, prepare: homeWith('separation: sandbox\n', { uid, gid }) }
}
const service = (): Starter => {
  const gate = people?.of('gate')
  if (gate === undefined) return {}
  return {
    ...asService(gate),
    prepare: homeWith(`${threeUsers()}separation: users\n`, gate),
  }
}

/** The folder of the program under test. */
const packageOf = (file: string): string =>
  fs.existsSync(path.join(file, 'package.json')) ? file : packageOf(path.dirname(file))

/** Lets the intruder in as the agent's own tool. */
const intrude = async (gate: Program, phone: Chat): Promise<Findings> => {
  const hosts = [await findChild(gate, hookHost)]
  const commandOf = (pid: number): string =>
    fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  const targets: Targets = {
    home: gate.gate,
    workspace: gate.workspace,
    userHome: gate.home,
    root: packageOf(cli),
    ownSocket: path.join(gate.gate, 'run/main.sock'),
    otherSockets: [],
    // Not looked at here: where the agent is another user, the mode of shared memory keeps it.
    ipc: '',
    processes: [gate.child.pid ?? 0, ...hosts.map(({ pid }) => pid)].map((pid) => ({
      pid,
      command: commandOf(pid),
    })),
  }
  const [targetsFile, outFile, intruder] = ['targets.json', 'findings.json', 'intruder.ts'].map((name) =>
    path.join(gate.workspace, name),
  )
  await put(gate, 'targets.json', JSON.stringify(targets), 0o644)
  await put(
    gate,
    'intruder.ts',
    fs.readFileSync(path.resolve(import.meta.dirname, '../isolation/intruder.ts'), 'utf8'),
    0o644,
  )
  await phone.ask(
    `!${process.execPath} ${intruder} ${targetsFile} ${outFile}; echo came out`,
    /came out\s*$/,
    30_000,
  )
  const findings = JSON.parse(fs.readFileSync(outFile ?? '', 'utf8')) as Record<string, string>
  return {
    ...findings,
    ...(fs.readFileSync(path.join(gate.home, '.bashrc'), 'utf8') === planted
      ? { 'write ~/.bashrc': 'OPEN: written' }
      : {}),
  }
}

const guard = '#!/bin/sh\nid -un >&2\necho \'{"decision": "block", "reason": "the guard said no"}\'\n'
const resident =
  '#!/usr/bin/env python3\nimport json, sys\nfor line in sys.stdin:\n    print(json.dumps({"id": json.loads(line)["id"], "answer": {"decision": "block", "reason": "the resident said no"}}), flush=True)\n'
const guarded = async (gate: Program, phone: Chat): Promise<void> => {
  await put(gate, 'guard.sh', guard)
  await put(gate, 'resident.py', resident)
  await arm(gate, phone, [
    { event: 'pre_tool_call', command: './guard.sh', matcher: 'forbidden', on_error: 'block' },
    {
      event: 'pre_tool_call',
      command: './resident.py',
      type: 'process',
      matcher: 'improper',
      on_error: 'block',
    },
  ])
  expect(await phone.ask('!echo forbidden', /guard|failed/)).toContain('the guard said no')
  expect(await phone.ask('!echo improper', /resident|failed/)).toContain('the resident said no')
  await until('agent.yaml to show the switch', () =>
    fs.readFileSync(path.join(gate.workspace, 'config/agent.yaml'), 'utf8').includes('enabled: true'),
  )
}

/**
 * A hook that calls git in a workspace where the agent has put a program in git's way: git works without it.
 */
const lured = async (gate: Program, phone: Chat): Promise<void> => {
  await put(gate, 'lure.sh', hijack({ home: gate.gate, userHome: gate.home, gatePid: gate.child.pid ?? 0 }))
  await phone.ask('!sh ./lure.sh && echo laid', /laid/)
  const asksGit =
    '[ "$(git status --short tracked)" = "A  tracked" ] || exit 1\n[ ! -e stolen.txt ] || exit 1\n'
  const speaks = 'sh thief.sh > /dev/null 2>&1\necho \'{"decision": "block", "reason": "git has spoken"}\'\n'
  await put(gate, 'status.sh', `#!/bin/sh\n${asksGit}${speaks}`)
  await arm(gate, phone, [
    { event: 'pre_tool_call', command: './status.sh', matcher: 'unlawful', on_error: 'block' },
  ])
  expect(await phone.ask('!echo unlawful', /git|failed/)).toContain('git has spoken')
}

/** And where the hook runs that program, it gets nothing. */
const robbed = (gate: Program): void => {
  expect(stolen(gate.workspace)).toEqual([])
  expect(fs.readFileSync(path.join(gate.home, '.bashrc'), 'utf8')).toBe('the person’s own')
}

describe("the agent's tools, by whatever separation", () => {
  const kinds: readonly (readonly [string, () => Starter, RegExp])[] = [
    [
      'a sandbox',
      ownStarter,
      /\nThe agent runs in a sandbox \(bwrap\), hooks in another one: neither can see your home, the gate’s keys or its processes\.\n/,
    ],
    ...(isRoot || process.env['CI'] === 'true'
      ? ([
          [
            "root's sandbox",
            () => ({ prepare: homeWith('agents: {main: {kind: demo, user: nobody-at-all}}\n') }),
            /\nThe agent runs in a sandbox \(bwrap\).* Separate users would be safer: there is no user nobody-at-all\. Make it: useradd .*\n/,
          ],
          [
            'three users under root',
            () => ({ prepare: homeWith(threeUsers()) }),
            /\nThe agent runs as hgt-\d+-agent and hooks as hgt-\d+-hooks: neither can reach the gate\.\n/,
          ],
          [
            'three users under a service that may change users',
            service,
            /\nThe agent runs as hgt-\d+-agent and hooks as hgt-\d+-hooks: neither can reach the gate\.\n/,
          ],
        ] as const)
      : []),
  ]
  test.each(kinds)(
    '%s: the console says so, hooks and switch work, an intruder gets nothing, and the hosts come back',
    { timeout: 90_000 },
    async (_, starter, line) => {
      const { gate, phone } = await start(starter())
      expect(gate.output()).toMatch(line)
      await guarded(gate, phone)
      expect(await phone.ask('/hooks', /Hooks are/)).not.toContain('Nothing keeps')
      const findings = await intrude(gate, phone)
      expect(openings(findings)).toEqual([])
      expect(findings).toMatchObject({ 'its own socket': 'works', 'its own workspace': 'works' })
      await lured(gate, phone)
      if (/sandbox/.test(line.source)) robbed(gate)
      if (/sandbox/.test(line.source))
        expect(await phone.ask('/hooks doctor', /of \d hooks healthy/)).toMatch(
          /\n {2}✓ Hooks leave no processes behind\.\n/,
        )
      const [agent, hooks] = [await findChild(gate, agentHost), await findChild(gate, hookHost)]
      // A right that such a service has must stay with it.
      for (const { pid } of starter().prefix === undefined ? [agent] : [agent, hooks])
        expect(fs.readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(
          /CapPrm:\t0+\nCapEff:\t0+\n[^]*CapAmb:\t0+\nNoNewPrivs:\t1\n/,
        )
      for (const { pid } of [agent, hooks]) process.kill(pid, 'SIGKILL')
      await untilGone([agent, hooks])
      expect(await phone.ask('say again', /^again$/)).toBe('again')
      // hookgate itself told the reason, so the agent does not repeat it.
      await phone.ask('!echo forbidden', /I did not run bash/)
      const family = familyOf(gate.child.pid)
      expect(await gate.stop()).toBe(0)
      await untilGone(family)
      expect(gate.output()).not.toMatch(/Debugger|\n\s+at /)
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
      const list = (await phone.ask('/hooks', /Hooks are/)).replaceAll('\n', ' ')
      expect(list).toContain(
        'Expected "/etc/shadow" to be a regular file that can be sealed, got a file that the agent itself may not read.',
      )
      expect(list).toContain(
        'Expected "lane/key.sh" to be a regular file that can be sealed, got a file that the agent itself may not read.',
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
