import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import type { AttackMode } from '../../src/attack/gate/mode.ts'
import type { Separation, StartAs } from '../../src/shared/gate/separation.ts'
import { prepareUsers } from '../../src/isolation/users/users.ts'
import { proseText } from '../../src/core/model/chat/prose.ts'
import { isRoot, makePeople } from '../isolation/people.ts'

export type ModeName = Separation['kind']

const root = resolve(import.meta.dirname, '../..')
const finder = resolve(import.meta.dirname, '../isolation/find-sandbox.ts')
const agents = ['main', 'other']
const yaml = (separation: ModeName, main = '', other = '', rest = ''): string =>
  `separation: ${separation}\nagents: {main: {kind: demo${main}}, other: {kind: demo${other}}}\n${rest}`

/** Gate and agents are one user, and no privileged one where the machine has the choice. */
const oneUser = (): Pick<AttackMode, 'gateUser' | 'agentUser' | 'remove'> => {
  if (!isRoot) return { remove: () => undefined }
  const people = makePeople('one')
  const { uid, gid } = people.of('one')
  return { gateUser: { uid, gid }, agentUser: { uid, gid }, remove: people.remove }
}

const none = (): AttackMode => {
  const one = oneUser()
  return {
    separation: 'none',
    agents,
    ...one,
    yaml: yaml('none'),
    agentAs: () => ({ prefix: [], ...(one.agentUser === undefined ? {} : { user: one.agentUser }) }),
  }
}

/** The sandbox is found as its user: what root may change is not what that user may. */
const sandbox = (): AttackMode => {
  const one = oneUser()
  return {
    separation: 'sandbox',
    agents,
    ...one,
    yaml: yaml('sandbox'),
    agentAs: ({ home, workspace, userHome }) => {
      const found: unknown = JSON.parse(
        execFileSync(
          process.execPath,
          [finder, home, workspace, root, userHome, '', join(home, 'run', 'main.sock')],
          { ...one.gateUser, cwd: '/', encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: userHome } },
        ),
      )
      const { startAs, why } = found as { startAs?: StartAs; why?: string }
      if (startAs === undefined) throw new Error(`Expected a sandbox on this machine, got none: ${why}`)
      return { ...startAs, ...(one.agentUser === undefined ? {} : { user: one.agentUser }), home: userHome }
    },
  }
}

const users = (): AttackMode => {
  const people = makePeople('main', 'other', 'hooks')
  const [main, other, hooks] = [people.of('main'), people.of('other'), people.of('hooks')]
  return {
    separation: 'users',
    agents,
    agentUser: { uid: main.uid, gid: main.gid },
    remove: people.remove,
    yaml: yaml('users', `, user: ${main.name}`, `, user: ${other.name}`, `hooks: {user: ${hooks.name}}\n`),
    agentAs: ({ home, workspace }) => {
      const found = prepareUsers({
        home,
        workspace,
        root,
        agents: [
          { id: 'main', user: main.name },
          { id: 'other', user: other.name },
        ],
        hooksUser: hooks.name,
      })
      if ('why' in found) throw new Error(`Expected three users, got none: ${proseText(found.why)}`)
      return found.programAs(main)
    },
  }
}

export const modes: Readonly<Record<ModeName, () => AttackMode>> = { none, sandbox, users }
export const isModeName = (name: string): name is ModeName => Object.hasOwn(modes, name)
