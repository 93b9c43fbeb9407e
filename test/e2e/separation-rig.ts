import fs from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { hijack, stolen } from '../isolation/hijack.ts'
import { planted, type Findings, type Targets } from '../isolation/intruder.ts'
import { isRoot, makePeople } from '../isolation/people.ts'
import { openings } from '../isolation/world.ts'
import { startedClean } from './dirty-start.ts'
import { cli, until, type Program, type Starter } from './program.ts'
import { agentHost, arm, familyOf, findChild, hookHost, put, untilGone, type Chat } from './rig.ts'
import { asService, homeWith as aHome } from './starters.ts'

/** Users of this machine. Whoever imports them removes them. Undefined where nobody is root. */
export const people = isRoot ? makePeople('gate', 'agent', 'hooks', 'person') : undefined

/** A process that was killed is gone soon, and one that was not would stay for ever. */
const patientMs = 90_000

const nameOf = (name: 'gate' | 'agent' | 'hooks' | 'person'): string => people?.of(name).name ?? name

/** The home of a person with files that nobody else may read. */
export const homeWith = (
  yaml: string,
  owner?: { readonly uid: number; readonly gid: number },
): ((home: string) => void) =>
  aHome(yaml, owner, ['.bashrc', 'notes.txt', '.config/chromium/Default/Cookies'])
export const threeUsers = (): string =>
  `agents: {main: {kind: demo, user: ${nameOf('agent')}}}\nhooks: {user: ${nameOf('hooks')}}\n`
/** Where nobody is root, the gate's own user is the only one there is. */
export const ownStarter = (): Starter => {
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
  await phone.ask(`!${process.execPath} ${intruder} ${targetsFile} ${outFile}; echo came out`, /came out\s*$/)
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

/** A way to separate agent and hooks from the gate. */
export interface Kind {
  readonly title: string
  readonly starter: () => Starter
  /** What the console says. */
  readonly line: RegExp
}

const areUsers =
  /\nThe agent runs as hgt-\d+-agent and hooks as hgt-\d+-hooks: neither can reach the gate\.\n/

export const sandbox: Kind = {
  title: 'a sandbox',
  starter: ownStarter,
  line: /\nThe agent runs in a sandbox \(bwrap\), hooks in another one: neither can see your home, the gate’s keys or its processes\.\n/,
}
export const sandboxOfRoot: Kind = {
  title: "root's sandbox",
  starter: () => ({ prepare: homeWith('agents: {main: {kind: demo, user: nobody-at-all}}\n') }),
  line: /\nThe agent runs in a sandbox \(bwrap\).* Separate users would be safer: there is no user nobody-at-all\. Make it: useradd .*\n/,
}
export const usersOfRoot: Kind = {
  title: 'three users under root',
  starter: () => ({ prepare: homeWith(threeUsers()) }),
  line: areUsers,
}
export const usersOfService: Kind = {
  title: 'three users under a service that may change users',
  starter: service,
  line: areUsers,
}

/** What holds for each of them. It ends the gate. */
export const provesSeparation = async (
  gate: Program,
  phone: Chat,
  { starter, line }: Kind,
): Promise<void> => {
  expect(gate.output()).toMatch(line)
  await guarded(gate, phone)
  await startedClean(gate, phone)
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
  await untilGone([agent, hooks], patientMs)
  expect(await phone.ask('say again', /^again$/)).toBe('again')
  // hookgate itself told the reason, so the agent does not repeat it.
  await phone.ask('!echo forbidden', /I did not run bash/)
  const family = familyOf(gate.child.pid)
  expect(await gate.stop()).toBe(0)
  await untilGone(family, patientMs)
  expect(gate.output()).not.toMatch(/Debugger|\n\s+at /)
}
