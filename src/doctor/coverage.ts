import type { Channel } from '../core/model/chat/channel.ts'
import { FORMS } from '../core/model/chat/content.ts'
import { prose, verbatim } from '../core/model/chat/prose.ts'
import { ok, warn, type Finding } from './check.ts'

const ofChannel = ({ name: channel, forms, methods }: Channel): readonly Finding[] => {
  const name = verbatim(channel)
  const judged = forms.filter((form) => Object.hasOwn(FORMS, form)).length
  const said: Finding[] = [
    ok(
      judged === 1 ? prose`${name} · 1 message type judged` : prose`${name} · ${judged} message types judged`,
    ),
  ]
  const found = methods?.()
  if (found === undefined) return said
  const { refused, unnamed = [] } = found
  const blocked =
    refused === 1
      ? prose`${name} · 1 other method blocked`
      : prose`${name} · ${refused} other methods blocked`
  return [
    ...said,
    ok(blocked),
    ...(unnamed.length === 0
      ? []
      : [warn(prose`${name} · new in its library, and blocked: ${unnamed.slice(0, 5).join(', ')}`)]),
  ]
}

/**
 * Reports the message types that each connected channel can send, and the methods of its library that are
 * blocked. It only reads the channel's tables: it runs no hook, records nothing and sends nothing.
 */
export const coverageOf = (channels: Iterable<Channel>): readonly Finding[] =>
  [...channels].flatMap(ofChannel)
