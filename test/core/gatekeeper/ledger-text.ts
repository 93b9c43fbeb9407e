import { randomBytes } from 'node:crypto'
import { chainOf, formatLine, noLine, type Act } from '../../../src/core/gatekeeper/ledger/lines.ts'

export const key = randomBytes(32)

/** The bytes of a ledger with these acts, signed with the key. */
export const write = (acts: readonly Act[]): string => {
  let prev = noLine
  return acts
    .map((act, index) => {
      const line = formatLine(index + 1, '2026-01-02T03:04:05.000Z', act, prev, key)
      prev = chainOf(line)
      return `${line}\n`
    })
    .join('')
}
export const owner = (id: string): Act => ({
  act: 'owner_add',
  by: 'telegram:7',
  data: { id, chat_id: 'häuschen 家' },
})
export const genesis: Act = { act: 'genesis', by: 'adoption', data: { owners: [], isOn: true } }
