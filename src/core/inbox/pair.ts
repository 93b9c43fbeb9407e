import type { Message } from '../model/chat/channel.ts'
import type { RoleGiven } from '../model/gate/person.ts'
import { newOwnerText } from '../model/chat/notice.ts'
import { roleWords } from '../model/chat/role-words.ts'
import { fixed, heading, joinProse, prose, verbatim, type Prose } from '../model/chat/prose.ts'
import { isSameChat, type Address } from '../model/chat/push.ts'
import { shownName } from '../model/chat/speaker.ts'
import { howToPair, type Hint } from './hints.ts'

/**
 * Why pairing failed, for an owner who sent a wrong code or sent it in the wrong chat. A stranger is told
 * nothing.
 */
const whyNotPaired: Readonly<Record<string, Prose>> = {
  wrong: fixed('Not paired: the code is not valid.'),
  expired: fixed('Not paired: the code is more than 30 minutes old; get a new one.'),
  no_code: fixed('Not paired: no code is active; an owner creates one with /pair.'),
  too_many_tries: fixed('Not paired: too many wrong codes were sent; get a new one.'),
  not_written: fixed('Not paired: the gate’s folder could not be written.'),
  not_private: fixed('Not paired: a code works only in a private chat.'),
  owner_already: fixed('Not paired: you are already an owner of this gate; the code is for somebody else.'),
}

const refusalText = (why: string): Prose =>
  whyNotPaired[why] ?? prose`Not paired: send it as a new plain message (${verbatim(why)}).`

/** While nobody owns the gate, no owner can create a code. */
const hintText = (why: string): Prose =>
  joinProse(
    [why === 'no_code' ? fixed('Not paired: no code is active.') : refusalText(why), howToPair()],
    '\n',
  )

/** A question to the owner whose code somebody sent. */
interface PairingQuestion {
  readonly where: Address
  readonly handle: string
  readonly id: string
  /** The role that the code gives. */
  readonly given: RoleGiven
}

export interface PairPorts {
  pair(
    code: string,
    message: Message,
  ): Promise<
    { readonly ok: true; readonly asked?: PairingQuestion } | { readonly ok: false; readonly why: string }
  >
  /** Called when somebody in this chat became an owner with the code of the console, and was told. */
  paired(owner: Address): void
  /** The owners' private chats. */
  ownerChats(): readonly Address[]
  notify(address: Address, text: Prose): Promise<void>
  refused(message: Message, subject: string, code: string): void
}

/**
 * Handles `/pair <code>`, which is the only command for somebody who is not an owner. A start link with a
 * code is the same while nobody owns the gate.
 */
export const createPairTalk =
  (ports: PairPorts, hint: Hint) =>
  async (message: Message, code: string, isHelped: boolean): Promise<void> => {
    const here = { channel: message.channel, chat_id: message.chat_id }
    const paired = await ports.pair(code, message)
    if (!paired.ok) {
      ports.refused(message, 'pair', paired.why)
      // A stranger learns nothing, not even that there is a gate, once somebody owns it.
      return isHelped
        ? ports.notify(here, refusalText(paired.why))
        : hint(message, 'pair', hintText(paired.why))
    }
    const name = shownName(message.sender_name)
    if (paired.asked !== undefined) {
      const { where, handle, id, given } = paired.asked
      await ports.notify(
        here,
        fixed('The code is right. Its owner is asked to confirm that it is you. You get the answer here.'),
      )
      return ports.notify(
        where,
        prose`“${name}” (${id}) typed your code, which makes this person: ${roleWords(given)}.\nIf you gave it to this person:\n→ /y ${heading(handle, '')}\nIf it is somebody else:\n→ /n ${verbatim(handle)}`,
      )
    }
    await ports.notify(here, newOwnerText)
    ports.paired(here)
    const others = ports.ownerChats().filter((chat) => !isSameChat(chat, here))
    const text = prose`New owner: “${name}” (${`${message.channel}:${message.sender_id}`}), paired with the code from the console.`
    await Promise.all(others.map((chat) => ports.notify(chat, text)))
  }
