import type { ListedHook } from '../../shared/gate/catalogue.ts'
import { prose, verbatim, type Prose } from '../../core/model/chat/prose.ts'
import { briefDifferenceOf } from './difference.ts'
import { sidesOf, type SidePorts } from './sides.ts'

/**
 * The difference since a changed row was approved, in at most six lines of a phone, for the head of its card.
 * `handle`: for the command that shows all of it. Empty where a button does, or where nothing differs.
 */
export const differenceInBrief = (row: ListedHook, ports: SidePorts, handle: string): readonly Prose[] => {
  const sides = row.status === 'changed' ? sidesOf(row, ports) : undefined
  if (sides === undefined) return []
  return briefDifferenceOf(...sides, handle === '' ? [] : prose` → /hooks diff ${verbatim(handle)}`)
}
