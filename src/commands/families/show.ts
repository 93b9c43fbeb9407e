import { refusal } from '../../core/model/chat/notice.ts'
import { joinProse, prose } from '../../core/model/chat/prose.ts'
import type { CardButtons } from '../cards/card-buttons.ts'
import { findShown } from '../find.ts'
import type { Command, CommandPorts } from '../ports.ts'

export const showCommand = (ports: CommandPorts, cardButtons: CardButtons): Command => ({
  path: 'hooks show',
  usage: '/hooks show <name>',
  summary: 'one hook, whole',
  need: 'owner',
  needsRefresh: true,
  run: (rest, context) => {
    if (rest === '') return refusal(prose`Name the hook: /hooks show <name>, as /hooks lists it.`)
    const rows = ports.rows()
    const found = findShown(rest, rows, ports, context)
    if ('wrong' in found) return found.wrong
    const place = cardButtons.place(context)
    const [only, another] = found.rows
    if (only !== undefined && another === undefined) return cardButtons.card(only, rows, place, true)
    // Under several cards a button would not say which one it means, and neither would a file beside them.
    const untapped = { ...place, canTap: false, takesFiles: false }
    return joinProse(
      found.rows.map((row) => cardButtons.card(row, rows, untapped, true).text),
      '\n\n',
    )
  },
})
