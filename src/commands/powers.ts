import { contractOf, isEventName } from '../core/model/events/event.ts'
import { fixed, fromTable, prose, type Prose, verbatim } from '../core/model/chat/prose.ts'

/** The effects that a hook may have at an event, in words. */
export const powers = (event: string): Prose => {
  if (!isEventName(event)) return fixed('nothing: this is not an event')
  const { gate, onBlock, rewrite, contextTo } = contractOf(event)
  const blocks = onBlock === undefined ? fixed('block (stop it)') : prose`block (${fromTable(onBlock)})`
  const list = [
    ...(gate.includes('block') ? [blocks] : []),
    ...(gate.includes('ask') ? [fixed('ask you')] : []),
    ...(gate.includes('allow') ? [fixed('allow')] : []),
    ...(rewrite.length > 0 ? [prose`rewrite ${verbatim(rewrite.join(', '))}`] : []),
    ...(contextTo === undefined ? [] : [fixed('add context')]),
  ]
  return list.length === 0 ? fixed('only watch') : list.reduce((before, next) => prose`${before}, ${next}`)
}
