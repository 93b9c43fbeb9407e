import type { Message } from '../core/model/chat/channel.ts'
import type { RoleGiven } from '../core/model/gate/person.ts'
import { newOwnerText, roleWords } from '../shared/chat/role-words.ts'
import { fixed, heading, joinProse, prose, verbatim, type Prose } from '../core/model/chat/prose.ts'
import { isSameChat, type Address } from '../core/model/chat/push.ts'
import { shownName } from '../core/model/chat/speaker.ts'
import { createHints, howToPair, type HintPorts } from './hints.ts'

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

/** The greeting of a person who may become the first owner. */
const newcomerText = (): Prose =>
  joinProse([fixed('This bot belongs to a hookgate that nobody owns yet.'), howToPair()], '\n')

/** A question to the owner whose code somebody sent. */
interface PairingQuestion {
  readonly where: Address
  readonly handle: string
  readonly id: string
  /** The role that the code gives. */
  readonly given: RoleGiven
}

export interface PairPorts extends HintPorts {
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
}

/** Talks with people who want to pair, and with the owners about them. */
export const createPairTalk = (ports: PairPorts) => {
  const hint = createHints(ports)
  return {
    /** The answer to a stranger who asks what to do. Undefined: there is none. */
    greet: (message: Message): Prose | undefined => hint(message, 'start', newcomerText()),

    /**
     * Handles `/pair <code>`, which is the only command for somebody who is not an owner. A start link with a
     * code is the same while nobody owns the gate. Resolves with why the code did not count, and what its
     * sender is told of that.
     */
    pair: async (
      message: Message,
      code: string,
      isHelped: boolean,
    ): Promise<{ readonly why: string; readonly said?: Prose } | undefined> => {
      const here = { channel: message.channel, chat_id: message.chat_id }
      const paired = await ports.pair(code, message)
      if (!paired.ok) {
        const { why } = paired
        // A stranger learns nothing, not even that there is a gate, once somebody owns it.
        const said = isHelped ? refusalText(why) : hint(message, 'pair', hintText(why))
        return { why, ...(said === undefined ? {} : { said }) }
      }
      const name = shownName(message.sender_name)
      if (paired.asked !== undefined) {
        const { where, handle, id, given } = paired.asked
        await ports.notify(
          here,
          fixed('The code is right. Its owner is asked to confirm that it is you. You get the answer here.'),
        )
        await ports.notify(
          where,
          prose`“${name}” (${id}) typed your code, which makes this person: ${roleWords(given)}.\nIf you gave it to this person:\n→ /y ${heading(handle, '')}\nIf it is somebody else:\n→ /n ${verbatim(handle)}`,
        )
        return undefined
      }
      await ports.notify(here, newOwnerText)
      ports.paired(here)
      const others = ports.ownerChats().filter((chat) => !isSameChat(chat, here))
      const text = prose`New owner: “${name}” (${`${message.channel}:${message.sender_id}`}), paired with the code from the console.`
      await Promise.all(others.map((chat) => ports.notify(chat, text)))
      return undefined
    },
  }
}
