import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import type { Machine } from '../../service/machine.ts'
import type { Plan, Refusal } from '../../service/plan.ts'
import { fail, print, type Verb } from '../verb.ts'

const options = {
  yes: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  root: { type: 'string' },
} as const

/** The person who called sudo, and their home, as macOS tells them. */
const personOf = async (name: string | undefined) => {
  if (name === undefined || !/^[\w][\w.-]{0,63}$/.test(name) || name === 'root') return undefined
  const { runProgram } = await import('../../service/carry-out.ts')
  const { output } = await runProgram(['/usr/bin/id', '-P', name])
  const home = output.split(':')[8]
  return home?.startsWith('/') === true ? { name, home } : undefined
}

/** gate.yaml of the service, or the defaults where it cannot be read. Only root and the gate may read it. */
const gateFileOf = async (home: string) => {
  const { defaultGate, readGateFile } = await import('../../config/gate-file.ts')
  try {
    return readGateFile(home).file
  } catch {
    return defaultGate().file
  }
}

const portsOf = async (words: readonly string[], root: string) => {
  const { readFileSync } = await import('node:fs')
  const { packageRoot } = await import('../../config/first-start.ts')
  const { findAccount } = await import('../../isolation/users/accounts.ts')
  const { systemProgram } = await import('../../isolation/users/rights.ts')
  const { changeable, programWords } = await import('../../bridge/install/command.ts')
  const { quoted } = await import('../../shared/base/shell.ts')
  const { serviceHome } = await import('../../service/read-machine.ts')
  const cli = realpathSync(process.argv[1] ?? '')
  const kind: Machine['kind'] = process.platform === 'darwin' ? 'launchd' : 'systemd'
  const gate = await gateFileOf(`${root}${serviceHome}`)
  const start = programWords(cli, process.execPath, process.env['PATH']).words.map(quoted).join(' ')
  return {
    gate,
    start,
    ports: {
      kind,
      root,
      typed: `${start} service ${words.map(quoted).join(' ')}`,
      program: [process.execPath, cli] as const,
      code: packageRoot(),
      agentUsers: Object.values(gate.agents).map(({ user }) => user),
      hooksUser: gate.hooks.user,
      person: kind === 'launchd' ? await personOf(process.env['SUDO_USER']) : undefined,
      model: () => readFileSync(`${packageRoot()}/config/service/hookgate.service`, 'utf8'),
      findUser: (name: string) =>
        findAccount(name, { passwd: `${root}/etc/passwd`, group: `${root}/etc/group` }),
      programOf: systemProgram,
      changeable,
    },
  }
}

const refuse = ({ why, fix }: Refusal): never => fail(`Nothing was changed: ${why}. ${fix}`)

const isAgreed = async (count: number): Promise<boolean> => {
  if (!process.stdin.isTTY)
    return fail(
      'Nothing was changed: expected a terminal to ask on, got none. Add --yes to carry out these steps, or --dry-run to see them only.',
    )
  const ask = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await ask.question(
      `Carry out ${count === 1 ? 'this step' : `these ${count} steps`}? [y/N] `,
    )
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    ask.close()
  }
}

/** Says every step, asks once, and carries out what is left to do. */
const follow = async (
  { steps, after }: Plan,
  findUser: (name: string) => { readonly uid: number; readonly gid: number } | undefined,
  values: { readonly yes?: boolean; readonly 'dry-run'?: boolean },
): Promise<void> => {
  const { deedWords } = await import('../../service/plan.ts')
  const { carryOut } = await import('../../service/carry-out.ts')
  const left = steps.flatMap(({ does, deed }) => (deed === undefined ? [] : [{ does, deed }]))
  let number = 0
  for (const { does, deed } of steps)
    print(
      deed === undefined
        ? `   ✓ ${does}: done already`
        : `${String((number += 1)).padStart(2)}. ${does}\n      ${deedWords(deed)}`,
    )
  const end = (): void => {
    if (after.length > 0) print(['', ...after].join('\n'))
  }
  if (left.length === 0) {
    print('Nothing is left to do.')
    return end()
  }
  if (values['dry-run'] === true) return print('These steps were not carried out (--dry-run).')
  if (values.yes !== true && !(await isAgreed(left.length))) return fail('Nothing was changed.')
  for (const [index, { does, deed }] of left.entries()) {
    await carryOut(deed, findUser)
    print(`${String(index + 1).padStart(2)}. ✓ ${does}`)
  }
  end()
}

export const service: Verb = {
  usage: 'hookgate service install|uninstall|status',
  does: ['runs hookgate as a service of this machine: its users, folders and unit'],
  help: `  install     makes the users, the folders and the unit (launchd on macOS), and starts the service
  uninstall   takes the unit away, and the users once the gate's folder is gone; it never deletes that folder
  status      says what is there, and whether the gate works: 0 it works, 2 it does not

  --dry-run     prints the steps and carries out none
  --yes         does not ask
  --root DIR    works on another system in this folder, as an image is built

install and uninstall need root. Each step is said first, with the exact command or file. Steps that are done
are skipped, so the same command can be repeated.`,
  run: async (args) => {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [what, more] = positionals
    if ((what !== 'install' && what !== 'uninstall' && what !== 'status') || more !== undefined)
      return fail(
        `Expected "hookgate service install", "uninstall" or "status", got ${what === undefined ? 'none of them' : `"${positionals.join(' ')}"`}.`,
      )
    const { readMachine } = await import('../../service/read-machine.ts')
    const { installPlan, uninstallPlan } = await import('../../service/plan.ts')
    const root = values.root === undefined ? '' : resolve(values.root).replace(/\/$/, '')
    const { ports, start, gate } = await portsOf(args, root)
    if (
      ports.kind === 'launchd' &&
      what === 'install' &&
      process.getuid?.() === 0 &&
      ports.person === undefined
    )
      return refuse({
        why: 'nobody called sudo, so the gate would run as root',
        fix: `Run it as the person who owns the gate: sudo ${ports.typed}`,
      })
    const machine = await readMachine(ports)
    if (what === 'status') {
      const { version, commit } = await import('../../config/version.ts')
      const { statusOf } = await import('../../service/status.ts')
      const { port, origin } = gate.channels.web
      const host = origin === undefined ? `127.0.0.1:${port}` : new URL(origin).host
      const address = `http://127.0.0.1:${port}/readyz`
      // It loads Node's HTTP, which no other verb should wait for.
      const { askReady } = await import('./ask-ready.ts')
      const { text, code } = statusOf(
        machine,
        `${version()}${commit()}`,
        address,
        root === '' ? await askReady(address, host) : undefined,
      )
      print(text)
      process.exitCode = code
      return
    }
    const plan = what === 'install' ? installPlan(machine, start) : uninstallPlan(machine)
    if ('why' in plan) return refuse(plan)
    await follow(plan, ports.findUser, values)
  },
}
