import { modeWords, type Machine } from './machine.ts'

/** What the gate said when it was asked whether it works. */
export type Readiness = { readonly isReady: boolean; readonly words: string } | undefined

const unitWords = ({ unit }: Machine): string => {
  if (unit.found === undefined) return `not installed (${unit.path})`
  return unit.found === unit.text
    ? `installed (${unit.path})`
    : `installed (${unit.path}), and another one than this hookgate writes: "hookgate service install" replaces it`
}

const managerWords = ({ manager, kind, root }: Machine, what: 'isEnabled' | 'isActive'): string => {
  if (manager.program === undefined)
    return `unknown: ${kind === 'systemd' ? 'systemctl' : 'launchctl'} is missing`
  if (what === 'isActive' && !manager.isRunning)
    return root === ''
      ? 'unknown: systemd does not run here, as in most containers'
      : 'no, since this is no running system'
  return manager[what] ? 'yes' : 'no'
}

/** What `hookgate service status` prints, and its exit code. 0: the gate works. 2: it does not. */
export const statusOf = (
  machine: Machine,
  version: string,
  address: string,
  readiness: Readiness,
): { readonly text: string; readonly code: 0 | 2 } => {
  const { users, folders } = machine
  const uidOf = (owner: string): number | undefined => users.find(({ name }) => name === owner)?.found?.uid
  const rows: readonly (readonly [string, string])[] = [
    ['unit', unitWords(machine)],
    ['at boot', managerWords(machine, 'isEnabled')],
    ['running', managerWords(machine, 'isActive')],
    ...users.map(({ name, found }): readonly [string, string] => [
      'user',
      `${name}: ${found === undefined ? 'missing' : `there, number ${found.uid}`}`,
    ]),
    ...folders.map(({ path, mode, owner, found }): readonly [string, string] => [
      'folder',
      `${path}: ${
        found === undefined
          ? 'missing'
          : found.mode !== mode
            ? `mode ${modeWords(found.mode)} in place of ${modeWords(mode)}`
            : found.uid === uidOf(owner)
              ? `mode ${modeWords(mode)}, owner ${owner}`
              : `owned by number ${found.uid} in place of ${owner}`
      }`,
    ]),
    ['version', version],
    [
      'gate',
      readiness === undefined
        ? `nobody answers at ${address}`
        : readiness.isReady
          ? `works (${address})`
          : `does not work: ${readiness.words}`,
    ],
  ]
  return {
    text: rows.map(([name, words]) => `${name.padEnd(9)}${words}`).join('\n'),
    code: readiness?.isReady === true ? 0 : 2,
  }
}
