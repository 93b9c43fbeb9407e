import { fixed, joinProse } from '../model/prose.ts'
import { card } from './card.ts'
import { findShown } from './find.ts'
import type { Command, CommandPorts } from './ports.ts'
import type { Shown } from './shown.ts'

export const showCommand = (ports: CommandPorts, shown: Shown): Command => ({
  path: 'hooks show', usage: '/hooks show <handle>', summary: 'one hook, whole', need: 'owner',
  run: (rest, context) => {
    if (rest === '') return fixed('Say which: /hooks show <handle>, as /hooks lists it.')
    const rows = ports.rows()
    const found = findShown(rest, rows, ports, context)
    if ('wrong' in found) return found.wrong
    shown.note(context.owner, found.rows, rows)
    return joinProse(found.rows.map((row) => card(row, ports, context)), '\n\n')
  },
})
