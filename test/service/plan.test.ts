import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { Machine, ManagerFacts } from '../../src/service/machine.ts'
import { deedWords, installPlan, uninstallPlan, type Plan, type Refusal } from '../../src/service/plan.ts'
import { statusOf } from '../../src/service/status.ts'
import { launchdPlist, systemdUnit } from '../../src/service/unit.ts'

const manager = (some: Partial<ManagerFacts> = {}): ManagerFacts => ({
  program: '/usr/bin/systemctl',
  isRunning: true,
  isEnabled: false,
  isActive: false,
  ...some,
})
const file = (path: string, found?: string) => ({ path, mode: 0o644, text: `text of ${path}`, found })
const user = (name: string, hasHome: boolean, uid?: number) => ({
  name,
  hasHome,
  found: uid === undefined ? undefined : { uid, gid: uid },
})
const folder = (path: string, found?: { uid: number; mode: number; isEmpty: boolean }) => ({
  path,
  mode: 0o711,
  owner: 'hookgate',
  found,
})

/** A machine on which nothing of hookgate is. */
const bare = (some: Partial<Machine> = {}): Machine => ({
  kind: 'systemd',
  root: '',
  isRoot: true,
  typed: 'hookgate service install',
  users: [user('hookgate', false), user('hookgate-agent', true), user('hookgate-hooks', false)],
  folders: [folder('/var/lib/hookgate'), folder('/var/lib/hookgate/gate')],
  unit: file('/etc/systemd/system/hookgate.service'),
  settings: file('/etc/hookgate.env'),
  manager: manager(),
  programs: { addUser: '/sbin/adder', removeUser: '/sbin/remover' },
  unreachable: undefined,
  changeable: undefined,
  exposed: undefined,
  outside: undefined,
  home: '/var/lib/hookgate/gate',
  ...some,
})
const kept = { uid: 901, mode: 0o711, isEmpty: false }
/** The same machine after an install. */
const full = (some: Partial<Machine> = {}): Machine =>
  bare({
    users: [
      user('hookgate', false, 901),
      user('hookgate-agent', true, 902),
      user('hookgate-hooks', false, 903),
    ],
    folders: [
      folder('/var/lib/hookgate', { ...kept, isEmpty: true }),
      folder('/var/lib/hookgate/gate', { ...kept, isEmpty: true }),
    ],
    unit: file('/etc/systemd/system/hookgate.service', 'text of /etc/systemd/system/hookgate.service'),
    settings: file('/etc/hookgate.env', 'text of /etc/hookgate.env'),
    manager: manager({ isEnabled: true, isActive: true }),
    ...some,
  })

const planned = (plan: Plan | Refusal): Plan => {
  if ('why' in plan) throw new Error(plan.why)
  return plan
}
const deeds = (plan: Plan | Refusal): readonly string[] =>
  planned(plan).steps.flatMap(({ deed }) => (deed === undefined ? [] : [deedWords(deed)]))

test('on a bare machine each user has its own group, folders and files have their rights, and it starts', () => {
  expect(deeds(installPlan(bare(), 'hookgate'))).toEqual([
    '/sbin/adder --system --user-group --no-create-home --shell /usr/sbin/nologin hookgate',
    '/sbin/adder --system --user-group --create-home hookgate-agent',
    '/sbin/adder --system --user-group --no-create-home --shell /usr/sbin/nologin hookgate-hooks',
    'folder /var/lib/hookgate, mode 0711, owner hookgate',
    'folder /var/lib/hookgate/gate, mode 0711, owner hookgate',
    'write /etc/hookgate.env, mode 0644',
    'write /etc/systemd/system/hookgate.service, mode 0644',
    '/usr/bin/systemctl daemon-reload',
    '/usr/bin/systemctl enable hookgate',
    '/usr/bin/systemctl start hookgate',
  ])
})

test('where all of it is done, nothing is left to do, and each step says so', () => {
  const { steps } = planned(installPlan(full(), 'hookgate'))
  expect(steps).toHaveLength(10)
  expect(steps.filter(({ deed }) => deed !== undefined)).toEqual([])
})

test('only what is not as it should be is done again, and what you wrote into the file for tokens stays', () => {
  const machine = full({
    folders: [
      folder('/var/lib/hookgate', { ...kept, mode: 0o755 }),
      folder('/var/lib/hookgate/gate', { ...kept, uid: 0 }),
    ],
    settings: file('/etc/hookgate.env', 'TELEGRAM_BOT_TOKEN=mine'),
    unit: file('/etc/systemd/system/hookgate.service', 'an older one'),
  })
  expect(deeds(installPlan(machine, 'hookgate'))).toEqual([
    'folder /var/lib/hookgate, mode 0711, owner hookgate',
    'folder /var/lib/hookgate/gate, mode 0711, owner hookgate',
    'write /etc/systemd/system/hookgate.service, mode 0644',
    '/usr/bin/systemctl daemon-reload',
    '/usr/bin/systemctl restart hookgate',
  ])
})

test('where no systemd runs, the rest is made, and the person is told how to start it', () => {
  const inContainer = installPlan(bare({ manager: manager({ isRunning: false }) }), 'hookgate')
  expect(deeds(inContainer).at(-1)).toBe('/usr/bin/systemctl enable hookgate')
  const without = installPlan(
    bare({ manager: manager({ program: undefined, isRunning: false }) }),
    'hookgate',
  )
  expect(deeds(without).at(-1)).toBe('write /etc/systemd/system/hookgate.service, mode 0644')
  for (const plan of [inContainer, without])
    expect(planned(plan).after.join('\n')).toContain(
      'Start it as root: HOOKGATE_HOME=/var/lib/hookgate/gate HOOKGATE_WORKSPACE=/var/lib/hookgate/workspace hookgate start',
    )
})

test('who is not root gets the command to use, and a program that others cannot reach is refused', () => {
  expect(installPlan(bare({ isRoot: false }), 'hookgate')).toEqual({
    why: 'only root may do that',
    fix: 'Run it as root: sudo hookgate service install',
  })
  expect(uninstallPlan(bare({ isRoot: false }))).toMatchObject({ why: 'only root may do that' })
  expect(installPlan(bare({ unreachable: '/root' }), 'hookgate')).toMatchObject({
    why: 'the users of the service cannot reach /root',
  })
  const programs = { addUser: undefined, removeUser: undefined }
  expect(installPlan(bare({ programs }), 'hookgate')).toMatchObject({
    why: expect.stringMatching(/^the program user.dd is missing$/),
  })
  expect(installPlan(full({ programs }), 'hookgate')).toHaveProperty('steps')
})

test("uninstall never removes the gate's folder, nor its users while it is there", () => {
  const folders = [
    folder('/var/lib/hookgate', { ...kept, isEmpty: true }),
    folder('/var/lib/hookgate/gate', kept),
  ]
  const plan = uninstallPlan(
    full({ folders, settings: file('/etc/hookgate.env', 'TELEGRAM_BOT_TOKEN=mine') }),
  )
  expect(deeds(plan)).toEqual([
    '/usr/bin/systemctl stop hookgate',
    '/usr/bin/systemctl disable hookgate',
    'remove /etc/systemd/system/hookgate.service',
    '/usr/bin/systemctl daemon-reload',
  ])
  expect(planned(plan).after).toEqual([
    '/etc/hookgate.env stays, because you wrote into it. To delete it: rm /etc/hookgate.env',
    "The gate's folder stays, with its ledger and its secrets: /var/lib/hookgate/gate. So its users stay, too: another user would get their numbers.",
    'To delete everything that hookgate knows: rm -r /var/lib/hookgate, and then "hookgate service uninstall" once more for the users.',
  ])
})

test('uninstall takes all that install made where no gate has begun, the inner folder first', () => {
  expect(deeds(uninstallPlan(full())).slice(4)).toEqual([
    'remove /etc/hookgate.env',
    'remove /var/lib/hookgate/gate',
    'remove /var/lib/hookgate',
    '/sbin/remover hookgate-hooks',
    '/sbin/remover --remove hookgate-agent',
    '/sbin/remover hookgate',
  ])
  expect(deeds(uninstallPlan(bare()))).toEqual([])
})

test('another system in a folder is changed by programs that know it, and nothing is started here', () => {
  const all = [
    ...deeds(installPlan(bare({ root: '/image', manager: manager({ isRunning: false }) }), 'hookgate')),
    ...deeds(
      uninstallPlan(full({ root: '/image', manager: manager({ isRunning: false, isEnabled: true }) })),
    ),
  ].filter((words) => words.startsWith('/'))
  expect(all.filter((words) => !/--prefix \/image |--root=\/image /.test(words))).toEqual([])
  expect(all.filter((words) => words.includes('systemctl'))).toEqual([
    '/usr/bin/systemctl --root=/image enable hookgate',
    '/usr/bin/systemctl --root=/image disable hookgate',
  ])
})

test('on macOS launchd is given the list, and a changed one replaces the old one', () => {
  const machine = (found: string | undefined, isActive: boolean): Machine =>
    bare({
      kind: 'launchd',
      users: [],
      folders: [],
      settings: undefined,
      unit: file('/Library/LaunchDaemons/org.hookgate.gate.plist', found),
      manager: manager({ program: '/bin/launchctl', isActive, isEnabled: isActive }),
    })
  const path = '/Library/LaunchDaemons/org.hookgate.gate.plist'
  expect(deeds(installPlan(machine(undefined, false), 'hookgate'))).toEqual([
    `write ${path}, mode 0644`,
    `/bin/launchctl bootstrap system ${path}`,
  ])
  expect(deeds(installPlan(machine('old', true), 'hookgate'))).toEqual([
    `write ${path}, mode 0644`,
    '/bin/launchctl bootout system/org.hookgate.gate',
    `/bin/launchctl bootstrap system ${path}`,
  ])
  expect(deeds(installPlan(machine(`text of ${path}`, true), 'hookgate'))).toEqual([])
  expect(deeds(uninstallPlan(machine('old', true)))).toEqual([
    '/bin/launchctl bootout system/org.hookgate.gate',
    `remove ${path}`,
  ])
})

test('the unit is the packaged one but for the program, whose words systemd reads as they are', () => {
  const model = readFileSync(resolve(import.meta.dirname, '../../config/service/hookgate.service'), 'utf8')
  // The first word has specifiers and no variables.
  const unit = systemdUnit(model, ['/opt/$5 %/node', '/opt/50% $HOME/"a"\\b/cli.js'])
  expect(unit).toContain(String.raw`ExecStart="/opt/$5 %%/node" "/opt/50%% $$HOME/\"a\"\\b/cli.js" start`)
  expect(unit.split('\n').filter((line) => !line.startsWith('ExecStart='))).toEqual(
    model.split('\n').filter((line) => !line.startsWith('ExecStart=')),
  )
  expect(() => systemdUnit(model, ['/a\nExecStartPre=/bin/evil'])).toThrow('without control characters')
  expect(() => systemdUnit('[Service]\n', ['/a'])).toThrow('a line ExecStart=')
})

test('the list for launchd names the person, and no text of it ends an element', () => {
  const list = launchdPlist('org.hookgate.gate', ['/usr/local/bin/node', '/a<b>&"c"/cli.js'], {
    name: 'ann',
    home: '/Users/ann',
  })
  expect(list).toContain('<string>/a&lt;b&gt;&amp;&quot;c&quot;/cli.js</string>\n    <string>start</string>')
  expect(list).toContain('<key>UserName</key>\n  <string>ann</string>')
  expect([...list.matchAll(/<(\w+)[ >]/g)].length).toBeGreaterThan(20)
  for (const element of ['plist', 'dict', 'array', 'key', 'string'])
    expect(list.match(new RegExp(`<${element}[ >]`, 'g'))).toHaveLength(
      list.match(new RegExp(`</${element}>`, 'g'))?.length ?? 0,
    )
})

test('the status says what is there and ends with 0 only while the gate works', () => {
  const ask = (machine: Machine, isReady?: boolean) =>
    statusOf(
      machine,
      '0.1.0',
      'http://a/readyz',
      isReady === undefined ? undefined : { isReady, words: 'It starts.' },
    )
  expect(ask(full(), true)).toEqual({
    code: 0,
    text: `unit     installed (/etc/systemd/system/hookgate.service)
at boot  yes
running  yes
user     hookgate: there, number 901
user     hookgate-agent: there, number 902
user     hookgate-hooks: there, number 903
folder   /var/lib/hookgate: mode 0711, owner hookgate
folder   /var/lib/hookgate/gate: mode 0711, owner hookgate
version  0.1.0
gate     works (http://a/readyz)`,
  })
  const { text, code } = ask(
    bare({
      manager: manager({ isRunning: false }),
      folders: [folder('/var/lib/hookgate', { ...kept, mode: 0o755 }), folder('/x', kept)],
    }),
    false,
  )
  expect(code).toBe(2)
  expect(text).toContain('unit     not installed')
  expect(text).toContain('running  unknown: systemd does not run here')
  expect(text).toContain('user     hookgate: missing')
  expect(text).toContain('/var/lib/hookgate: mode 0755 in place of 0711')
  expect(text).toContain('/x: owned by number 901 in place of hookgate')
  expect(text).toContain('gate     does not work: It starts.')
  expect(ask(full())).toMatchObject({
    code: 2,
    text: expect.stringContaining('nobody answers at http://a/readyz'),
  })
})
