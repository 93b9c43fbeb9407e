import { fixed, joinProse, prose, type Prose } from '../model/prose.ts'
import { switchLine } from './list.ts'
import type { Command, CommandPorts } from './ports.ts'
import { isWaiting } from './row.ts'
import { plural } from './words.ts'

const flip = (ports: CommandPorts, isOn: boolean, owner: string): Prose => {
  const { isChanged, warning } = ports.setSwitch(isOn, owner)
  const { lockdown } = ports.gate()
  if (lockdown !== undefined) return prose`${switchLine(ports)}`
  if (ports.gate().isOn !== isOn) return prose`✗ ${switchLine(ports)}${fixed(' still.')}\n${warning ?? 'The gate’s folder could not be written.'}`
  const rows = ports.rows()
  const approved = rows.filter(({ live }) => live !== undefined).length
  const waiting = rows.filter(isWaiting).length
  const effect = isOn
    ? `${approved === 0 ? 'No hook is approved yet' : `${plural(approved, 'hook')} live from the next event`}${waiting > 0 ? ` · ${waiting} waiting → /hooks` : '.'}`
    : 'No hook fires; approvals are kept.'
  return joinProse([
    prose`${switchLine(ports)}${fixed(isChanged ? '' : ' (they were already)')}.`,
    fixed(effect),
    ...(warning === undefined ? [] : [prose`⚠ ${warning}`]),
  ], '\n')
}

export const onCommand = (ports: CommandPorts): Command => ({
  path: 'hooks on', usage: '/hooks on', summary: 'approved hooks fire', need: 'privileged',
  run: (_, { owner }) => flip(ports, true, owner),
})

export const offCommand = (ports: CommandPorts): Command => ({
  path: 'hooks off', usage: '/hooks off', summary: 'no hook fires', need: 'off',
  run: (rest, { owner }) =>
    rest === '' ? flip(ports, false, owner) : prose`${flip(ports, false, owner)}\n${fixed('Off for a while, as in')} ${rest}${fixed(', comes with a later version: they stay off until /hooks on.')}`,
})

/** Ends a lockdown by beginning a new ledger. Owners stay; nothing is approved and the switch is off. */
export const recoverCommand = (ports: CommandPorts): Command => ({
  path: 'hooks recover', usage: '/hooks recover', summary: 'end a lockdown, with nothing approved', need: 'privileged',
  run: (_, { owner }) => {
    if (ports.gate().lockdown === undefined) return fixed('There is no lockdown to end.')
    const done = ports.recover(owner)
    return done.ok
      ? fixed('A new ledger was begun; the damaged one was kept beside it.\nNothing is approved and hooks are OFF. What waited is judged again.\n→ /hooks')
      : prose`The lockdown could not be ended: ${done.why ?? 'the gate’s folder cannot be written'}.`
  },
})

/** An edit of the switch's readable face from elsewhere: told, with the command that does it properly. */
export const faceEditText = (said: boolean, isOn: boolean): Prose =>
  fixed(`config/agent.yaml now says hooks are ${said ? 'on' : 'off'}. A file cannot switch them: they are ${isOn ? 'ON' : 'OFF'}.\nTo do it properly → /hooks ${said ? 'on' : 'off'}`)
