import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { changeable } from '../../src/bridge/install/command.ts'
import { installPlan, uninstallPlan } from '../../src/service/plan.ts'
import { readMachine, type MachinePorts } from '../../src/service/read-machine.ts'

let folder = ''
let root = ''
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookgate-machine-')))
  root = join(folder, 'image')
  for (const path of ['etc/systemd/system', 'var/lib', 'home'])
    mkdirSync(join(root, path), { recursive: true })
  chmodSync(folder, 0o755)
})
afterEach(() => rmSync(folder, { recursive: true }))

const read = (some: Partial<MachinePorts> = {}) =>
  readMachine({
    kind: 'systemd',
    root,
    typed: 'hookgate service install',
    program: ['/bin/sh', '/bin/sh'],
    code: '/bin/sh',
    agentUsers: ['hookgate-agent'],
    hooksUser: 'hookgate-hooks',
    person: undefined,
    model: () => '[Service]\nExecStart=hookgate\n',
    findUser: () => ({ uid: 901, gid: 901 }),
    programOf: () => undefined,
    changeable,
    ...some,
  })
/** What install says, or the words of its steps that are left. */
const said = async (some: Partial<MachinePorts> = {}): Promise<string> => {
  const plan = installPlan({ ...(await read(some)), isRoot: true }, 'hookgate')
  return 'why' in plan
    ? `${plan.why}. ${plan.fix}`
    : plan.steps.flatMap(({ does, deed }) => (deed === undefined ? [] : [does])).join('\n')
}
const put = (path: string, text: string, mode: number): void => {
  writeFileSync(join(root, path), text)
  chmodSync(join(root, path), mode)
}

test('A program that somebody besides root can change is not started with the rights of the service', async () => {
  // The folder for temporary files is open to everybody.
  const program = join(folder, 'cli.js')
  writeFileSync(program, '')
  writeFileSync(join(folder, 'package.json'), '')
  expect(await said({ root: '', code: folder, program: ['/bin/sh', program] })).toMatch(
    /^somebody besides root can change \/\S+, and would be root at the next start\. Install /,
  )
})

test('A file for tokens that others may read or change is refused, with the command that closes it', async () => {
  const closed = `Close it: chown root ${root}/etc/hookgate.env && chmod 600 ${root}/etc/hookgate.env`
  for (const mode of [0o644, 0o640, 0o602]) {
    put('etc/hookgate.env', 'TELEGRAM_BOT_TOKEN=x', mode)
    expect(await said()).toContain(closed)
  }
  put('etc/hookgate.env', 'TELEGRAM_BOT_TOKEN=x', 0o600)
  expect(await said()).not.toContain('Close it')
})

test('A unit with the right text and other rights is written anew', async () => {
  const unit = 'etc/systemd/system/hookgate.service'
  put(unit, (await read()).unit.text, 0o644)
  const before = (await said()).includes('the unit')
  expect(before).toBe(process.getuid?.() !== 0)
  put(unit, (await read()).unit.text, 0o666)
  expect(await said()).toContain('the unit')
})

test('A link that leads out of the other system is refused', async () => {
  for (const path of ['etc/systemd/system', 'etc/systemd', 'var/lib', 'home', 'etc']) {
    const at = join(root, path)
    rmSync(at, { recursive: true, force: true })
    symlinkSync(folder, at)
    expect(await said()).toContain(`${at} leads out of ${root}`)
    expect(uninstallPlan({ ...(await read()), isRoot: true })).toMatchObject({
      why: expect.stringContaining('leads out of'),
    })
    rmSync(at)
    mkdirSync(at)
  }
  symlinkSync('var', join(root, 'usr-var'))
  rmSync(join(root, 'home'), { recursive: true })
  symlinkSync('var', join(root, 'home'))
  expect(await said()).not.toContain('leads out')
})
