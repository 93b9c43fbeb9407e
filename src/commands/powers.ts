import { contractOf, isEventName } from '../model/events/event.ts'

/** The effects that a hook may have at an event, in words. */
export const powers = (event: string): string => {
  if (!isEventName(event)) return 'nothing: this is not an event'
  const { gate, onBlock, rewrite, contextTo } = contractOf(event)
  const list = [
    ...(gate.includes('block') ? [`block (${onBlock ?? 'stop it'})`] : []),
    ...(gate.includes('ask') ? ['ask you'] : []),
    ...(gate.includes('allow') ? ['allow'] : []),
    ...(rewrite.length > 0 ? [`rewrite ${rewrite.join(', ')}`] : []),
    ...(contextTo === undefined ? [] : ['add context']),
  ]
  return list.length === 0 ? 'only watch' : list.join(', ')
}
