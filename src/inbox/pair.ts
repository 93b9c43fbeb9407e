import type { Message } from '../model/chat/channel.ts'
import { newOwnerText } from '../model/chat/notice.ts'
import { fixed, heading, prose, type Prose } from '../model/chat/prose.ts'
import { isSameChat, type Address } from '../model/chat/push.ts'

/** What an owner with the wrong code, or the right one in the wrong place, is told. A stranger is told nothing. */
const whyNotPaired: Readonly<Record<string, string>> = {
  wrong: 'that is no code that counts now',
  expired: 'the code is more than 30 minutes old; get a new one',
  no_code: 'there is no code any more; an owner gets one with /pair',
  too_many_tries: 'there were too many wrong codes; get a new one',
  not_written: 'the gate’s folder could not be written',
  not_private: 'it counts in a private chat only',
  owner_already: 'you own this gate already; the code is for somebody else',
}

/** Somebody typed an owner's code, and that owner is asked. */
interface PairingQuestion {
  readonly where: Address
  readonly handle: string
  readonly id: string
}

export interface PairPorts {
  pair(
    code: string,
    message: Message,
  ): { readonly ok: true; readonly asked?: PairingQuestion } | { readonly ok: false; readonly why: string }
  /** Where owners are told things. */
  ownerChats(): readonly Address[]
  notify(address: Address, text: Prose): Promise<void>
  refused(message: Message, subject: string, code: string): void
}

const maxNameUnits = 40

/** A name that a stranger chose: it must not look like lines of ours. */
const nameOf = (name: string): string => {
  const line = name.replaceAll(/\s+/g, ' ').trim()
  return line.length > maxNameUnits ? `${line.slice(0, maxNameUnits).toWellFormed()}…` : line
}

/** `/pair <code>`: the one thing that somebody who is no owner can do. */
export const createPairTalk =
  (ports: PairPorts) =>
  async (message: Message, code: string, isHelped: boolean): Promise<void> => {
    const here = { channel: message.channel, chat_id: message.chat_id }
    const paired = ports.pair(code, message)
    if (!paired.ok) {
      ports.refused(message, 'pair', paired.why)
      // A stranger learns nothing, not even that there is a gate.
      if (isHelped)
        await ports.notify(
          here,
          fixed(
            `Not paired: ${whyNotPaired[paired.why] ?? `send it as a new plain message (${paired.why})`}.`,
          ),
        )
      return
    }
    const name = nameOf(message.sender_name)
    if (paired.asked !== undefined) {
      const { where, handle, id } = paired.asked
      await ports.notify(
        here,
        fixed('That is the code. Its owner is asked whether it is you; you hear of it here.'),
      )
      return ports.notify(
        where,
        prose`“${name}” (${id}) typed your code.\nIt is who you gave it to:\n→ /y ${heading(handle, '')}\nIt is somebody else:\n→ /n ${fixed(handle)}`,
      )
    }
    await ports.notify(here, fixed(newOwnerText))
    const others = ports.ownerChats().filter((chat) => !isSameChat(chat, here))
    const text = prose`New owner: “${name}” (${`${message.channel}:${message.sender_id}`}), with the console’s code.`
    await Promise.all(others.map((chat) => ports.notify(chat, text)))
  }
