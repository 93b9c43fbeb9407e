import type { Channel } from '../model/chat/channel.ts'
import { FORMS } from '../model/chat/content.ts'
import { fixed, prose } from '../model/chat/prose.ts'
import type { Finding } from './check.ts'

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

const ofChannel = ({ name, forms, methods }: Channel): readonly Finding[] => {
  const judged = forms.filter((form) => Object.hasOwn(FORMS, form)).length
  const said: Finding[] = [
    { level: 'ok', text: fixed(`${name} · ${counted(judged, 'message type')} judged`) },
  ]
  const found = methods?.()
  if (found === undefined) return said
  const { refused, unnamed } = found
  const blocked = fixed(`${name} · ${counted(refused, 'other method')} blocked`)
  return [
    ...said,
    { level: 'ok', text: blocked },
    ...(unnamed.length === 0
      ? []
      : [
          {
            level: 'warn' as const,
            text: prose`${fixed(name)} · new in its library, and blocked: ${unnamed.slice(0, 5).join(', ')}`,
          },
        ]),
  ]
}

/**
 * Reports the message types that each connected channel can send, and the methods of its library that are
 * blocked. It only reads the channel's tables: it runs no hook, records nothing and sends nothing.
 */
export const coverageOf = (channels: Iterable<Channel>): readonly Finding[] =>
  [...channels].flatMap(ofChannel)
