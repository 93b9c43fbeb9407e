import { contractOf, isEventName } from '../core/model/events/event.ts'
import { fromTable, prose, type Prose, verbatim } from '../core/model/chat/prose.ts'

/** The effects that a hook may have at an event, in words. */
export const powers = (event: string): Prose => {
  if (!isEventName(event)) return prose`nothing: this is not an event`
  const { gate, onBlock, rewrite, contextTo } = contractOf(event)
  const blocks = onBlock === undefined ? prose`block (stop it)` : prose`block (${fromTable(onBlock)})`
  const list = [
    ...(gate.includes('block') ? [blocks] : []),
    ...(gate.includes('ask') ? [prose`ask you`] : []),
    ...(gate.includes('allow') ? [prose`allow`] : []),
    ...(rewrite.length > 0 ? [prose`rewrite ${verbatim(rewrite.join(', '))}`] : []),
    ...(contextTo === undefined ? [] : [prose`add context`]),
  ]
  return list.length === 0 ? prose`only watch` : list.reduce((before, next) => prose`${before}, ${next}`)
}
