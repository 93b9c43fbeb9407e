import { dirname } from 'node:path'
import {
  launchdLabel,
  modeWords,
  serviceName,
  type Machine,
  type WantedFolder,
  type WantedUser,
} from './machine.ts'

/** What one step does, as data. Programs are started by their words, without a shell. */
export type Deed =
  | { readonly kind: 'run'; readonly argv: readonly [string, ...string[]] }
  | { readonly kind: 'write'; readonly path: string; readonly mode: number; readonly text: string }
  | { readonly kind: 'folder'; readonly path: string; readonly mode: number; readonly owner: string }
  /** Removes a file, or an empty folder. */
  | { readonly kind: 'remove'; readonly path: string }

export interface Step {
  /** What it is for, in a few words. */
  readonly does: string
  /** Absent: it is done already. */
  readonly deed?: Deed
}

export interface Plan {
  readonly steps: readonly Step[]
  /** What a person has to know or do afterwards, each one or more sentences. */
  readonly after: readonly string[]
}

/** Why nothing can be planned here, and what to do. */
export interface Refusal {
  readonly why: string
  readonly fix: string
}

/** The exact command, or the file, that a step makes. */
export const deedWords = (deed: Deed): string => {
  if (deed.kind === 'run')
    return deed.argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')
  if (deed.kind === 'write') return `write ${deed.path}, mode ${modeWords(deed.mode)}`
  if (deed.kind === 'folder') return `folder ${deed.path}, mode ${modeWords(deed.mode)}, owner ${deed.owner}`
  return `remove ${deed.path}`
}

const refusalOf = (machine: Machine, needed?: keyof Machine['programs']): Refusal | undefined => {
  if (!machine.isRoot) return { why: 'only root may do that', fix: `Run it as root: sudo ${machine.typed}` }
  if (machine.outside !== undefined)
    return {
      why: `${machine.outside} leads out of ${machine.root}, so this machine would be changed in its place`,
      fix: 'Make it a folder, or a relative link inside.',
    }
  return needed === undefined || machine.programs[needed] !== undefined
    ? undefined
    : {
        why: `the program ${needed === 'addUser' ? 'useradd' : 'userdel'} is missing`,
        fix: 'Install it: on most systems it is in the package passwd or shadow.',
      }
}

/** What on the disk keeps the service from working, or would give its rights to others. */
const obstacleOf = ({ unreachable, changeable, exposed }: Machine): Refusal | undefined => {
  if (unreachable !== undefined)
    return {
      why: `the users of the service cannot reach ${unreachable}`,
      fix: 'Install Node and hookgate where every user can read them: npm install --global hookgate, with a Node in /usr or /opt.',
    }
  // The service may become any user.
  if (changeable !== undefined)
    return {
      why: `somebody besides root can change ${changeable}, and would be root at the next start`,
      fix: 'Install Node and hookgate where only root can write: sudo npm install --global hookgate, with a Node in /usr or /opt.',
    }
  if (exposed !== undefined)
    return {
      why: `others may read or change ${exposed}, which is for tokens and decides what starts`,
      fix: `Close it: chown root ${exposed} && chmod 600 ${exposed}. A token that was in it may be known: get another one.`,
    }
  return undefined
}

const userStep = ({ programs, root }: Machine, { name, hasHome, found }: WantedUser): Step => ({
  does: `the user ${name}${hasHome ? ', with a home' : ''}`,
  ...(found === undefined
    ? {
        deed: {
          kind: 'run',
          argv: [
            programs.addUser ?? 'useradd',
            ...(root === '' ? [] : ['--prefix', root]),
            '--system',
            // A group of its own, because the group of the hooks may read what the agent may not.
            '--user-group',
            hasHome ? '--create-home' : '--no-create-home',
            ...(hasHome ? [] : ['--shell', '/usr/sbin/nologin']),
            name,
          ],
        },
      }
    : {}),
})

const folderStep = ({ users }: Machine, { path, mode, owner, found }: WantedFolder): Step => {
  const uid = users.find(({ name }) => name === owner)?.found?.uid
  const holds = found !== undefined && found.mode === mode && found.uid === uid
  return { does: `the folder ${path}`, ...(holds ? {} : { deed: { kind: 'folder', path, mode, owner } }) }
}

const run = (program: string, ...words: readonly string[]): Deed => ({
  kind: 'run',
  argv: [program, ...words],
})

/** The steps that make systemd know the unit and start it. */
const systemdSteps = ({ manager, root, unit }: Machine): readonly Step[] => {
  const { program, isRunning, isEnabled, isActive } = manager
  if (program === undefined) return []
  const isNew = unit.found !== unit.text
  const enable: Step = {
    does: 'start at each boot',
    ...(isEnabled
      ? {}
      : { deed: run(program, ...(root === '' ? [] : [`--root=${root}`]), 'enable', serviceName) }),
  }
  if (root !== '' || !isRunning) return [enable]
  return [
    { does: 'systemd reads the unit', ...(isNew ? { deed: run(program, 'daemon-reload') } : {}) },
    enable,
    {
      does: isActive && isNew ? 'start it again with the new unit' : 'start it now',
      ...(isActive && !isNew ? {} : { deed: run(program, isActive ? 'restart' : 'start', serviceName) }),
    },
  ]
}

const systemdAfter = ({ manager, root, home, settings }: Machine, command: string): readonly string[] => {
  const token = `Write your bot's token into ${settings?.path ?? ''}`
  if (root !== '') return [`${token}.`]
  if (manager.isRunning)
    return [
      `${token}, and then: systemctl restart ${serviceName}`,
      `The address and the pairing code are in the journal: journalctl --unit ${serviceName}`,
    ]
  return [
    'systemd does not run here, as in most containers, so nothing starts hookgate by itself.',
    `Start it as root: HOOKGATE_HOME=${home} HOOKGATE_WORKSPACE=${dirname(home)}/workspace ${command} start`,
    'For a container there is an image: config/service/Containerfile.',
  ]
}

const launchdSteps = ({ manager, unit }: Machine): readonly Step[] => {
  const program = manager.program ?? 'launchctl'
  const isNew = unit.found !== unit.text
  return [
    ...(manager.isActive && isNew
      ? [{ does: 'end the old one', deed: run(program, 'bootout', `system/${launchdLabel}`) }]
      : []),
    {
      does: 'start it now and at each boot',
      ...(manager.isActive && !isNew ? {} : { deed: run(program, 'bootstrap', 'system', unit.path) }),
    },
  ]
}

const launchdAfter: readonly string[] = [
  'On macOS the gate, its agent and its hooks run as you. hookgate has no users of their own there; /hooks doctor says what that means.',
  'The address and the pairing code are in ~/Library/Logs/hookgate.log, or in the file that it names.',
]

const writeStep = (does: string, { path, mode, text, found }: Machine['unit']): Step => ({
  does,
  ...(found === text ? {} : { deed: { kind: 'write', path, mode, text } }),
})

/**
 * The steps that make this machine run hookgate as a service. A step that holds already has no deed. Pure.
 */
export const installPlan = (machine: Machine, command: string): Plan | Refusal => {
  const { kind, users, folders, unit, settings } = machine
  const refusal = refusalOf(machine, users.some(({ found }) => found === undefined) ? 'addUser' : undefined)
  if (refusal !== undefined) return refusal
  const obstacle = obstacleOf(machine)
  if (obstacle !== undefined) return obstacle
  const manager = kind === 'systemd' ? systemdSteps(machine) : launchdSteps(machine)
  return {
    steps: [
      ...users.map((user) => userStep(machine, user)),
      ...folders.map((folder) => folderStep(machine, folder)),
      ...(settings === undefined
        ? []
        : [
            settings.found === undefined
              ? writeStep('a file for tokens, which only root may read', settings)
              : { does: `the file for tokens, ${settings.path}` },
          ]),
      writeStep(`the ${kind === 'systemd' ? 'unit' : 'property list'} ${unit.path}`, unit),
      ...manager,
    ],
    after: kind === 'systemd' ? systemdAfter(machine, command) : launchdAfter,
  }
}

const stopSteps = ({ kind, manager, root }: Machine): readonly Step[] => {
  const { program, isRunning, isEnabled, isActive } = manager
  if (program === undefined) return []
  if (kind === 'launchd')
    return isActive ? [{ does: 'end it', deed: run(program, 'bootout', `system/${launchdLabel}`) }] : []
  const isHere = root === '' && isRunning
  return [
    ...(isHere && isActive ? [{ does: 'end it', deed: run(program, 'stop', serviceName) }] : []),
    ...(isEnabled
      ? [
          {
            does: 'no start at boot',
            deed: run(program, ...(root === '' ? [] : [`--root=${root}`]), 'disable', serviceName),
          },
        ]
      : []),
  ]
}

const removeUsers = ({ programs, root, users }: Machine): readonly Step[] =>
  users
    .filter(({ found }) => found !== undefined)
    .toReversed()
    .map(({ name, hasHome }) => ({
      does: `remove the user ${name}${hasHome ? ' and its home' : ''}`,
      deed: {
        kind: 'run',
        argv: [
          programs.removeUser ?? 'userdel',
          ...(root === '' ? [] : ['--prefix', root]),
          ...(hasHome ? ['--remove'] : []),
          name,
        ],
      },
    }))

/**
 * The steps that take the service away. The gate's folder stays, and as long as it is there its users stay,
 * too: the next user of the system would get the number of a removed one, and with it the secrets. Pure.
 */
export const uninstallPlan = (machine: Machine): Plan | Refusal => {
  const { users, folders, unit, settings, manager, root, home } = machine
  const held = folders.some(({ found }) => found !== undefined && !found.isEmpty)
  const goes = !held && users.length > 0
  const refusal = refusalOf(
    machine,
    goes && users.some(({ found }) => found !== undefined) ? 'removeUser' : undefined,
  )
  if (refusal !== undefined) return refusal
  const isOwn = settings?.found !== undefined && settings.found === settings.text
  const remove = (does: string, path: string): Step => ({ does, deed: { kind: 'remove', path } })
  const outer = folders[0]?.path ?? home
  return {
    steps: [
      ...stopSteps(machine),
      unit.found === undefined ? { does: `remove ${unit.path}` } : remove('remove the unit', unit.path),
      ...(unit.found !== undefined && machine.kind === 'systemd' && root === '' && manager.isRunning
        ? [{ does: 'systemd forgets the unit', deed: run(manager.program ?? 'systemctl', 'daemon-reload') }]
        : []),
      ...(isOwn && settings !== undefined
        ? [remove('remove the file for tokens, in which nothing is set', settings.path)]
        : []),
      ...(goes
        ? folders
            .filter(({ found }) => found !== undefined)
            .toReversed()
            .map(({ path }) => remove(`remove ${path}, which is empty`, path))
        : []),
      ...(goes ? removeUsers(machine) : []),
    ],
    after: [
      ...(settings?.found !== undefined && !isOwn
        ? [`${settings.path} stays, because you wrote into it. To delete it: rm ${settings.path}`]
        : []),
      ...(held || machine.kind === 'launchd'
        ? [
            `The gate's folder stays, with its ledger and its secrets: ${home}.${users.length === 0 ? '' : ' So its users stay, too: another user would get their numbers.'}`,
            users.length === 0
              ? `To delete it: rm -r ${home}`
              : `To delete everything that hookgate knows: rm -r ${outer}, and then "hookgate service uninstall" once more for the users.`,
          ]
        : []),
    ],
  }
}
