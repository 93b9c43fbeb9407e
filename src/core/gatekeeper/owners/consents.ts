import type { Message } from '../../model/chat/channel.ts'
import type { Consent } from '../../model/gate/consent.ts'
import { ProblemError } from '../../model/gate/problem.ts'
import { senderOf } from './owners.ts'
import type { Admission, CommandKind } from './provenance.ts'

const refused = (got: string): ProblemError =>
  new ProblemError({
    code: 'consent.none',
    message: `This needs the message of an owner that is being carried out, and there was ${got}.`,
    fix: 'Nothing was changed. Send the command again, as an owner.',
  })

interface Given {
  readonly by: string
  /** What the message was admitted for. */
  readonly kinds: Set<CommandKind>
  isOver: boolean
}

/**
 * Keeps one consent for each message that is being carried out. It counts for what the message was admitted
 * for, until the message is done with.
 */
export const createConsents = (
  admits: (message: Message, kind: CommandKind) => Admission,
  isOwner: (id: string) => boolean,
) => {
  const ofMessages = new WeakMap<Message, Consent>()
  const standing = new WeakMap<Consent, Given>()
  const consentOf = (message: Message): Consent => {
    const known = ofMessages.get(message)
    if (known !== undefined) return known
    const by = senderOf(message) ?? ''
    const consent = Object.freeze({ by }) as Consent
    ofMessages.set(message, consent)
    standing.set(consent, { by, kinds: new Set(), isOver: false })
    return consent
  }
  return {
    /** The consent of whoever sent the message. It counts for nothing before the message is admitted. */
    consentOf,
    /** Decides what a message may do. Its consent counts for that from then on. */
    admits: (message: Message, kind: CommandKind): Admission => {
      const admission = admits(message, kind)
      if (admission.ok) standing.get(consentOf(message))?.kinds.add(kind)
      return admission
    },
    /** The message is done with, and its consent counts no longer. */
    ended: (message: Message): void => {
      const given = standing.get(consentOf(message))
      if (given !== undefined) given.isOver = true
    },
    /**
     * The owner who consents. `isOff`: to switching hooks off, which needs no recent message. Throws a
     * ProblemError where the core gave no such consent, where it was given for less, and when it is over.
     */
    ownerOf: (consent: Consent, isOff = false): string => {
      const given = standing.get(consent)
      if (given === undefined) throw refused('one that the gate did not give')
      const { by, kinds, isOver } = given
      if (isOver) throw refused('one of an earlier message')
      // The form of these messages was checked: private, plain and recent.
      const isAct = kinds.has('privileged') || kinds.has('approver') || (isOff && kinds.has('off'))
      if (!isAct) throw refused('one for less')
      if (!isOwner(by)) throw refused('the one of somebody who is no owner')
      return by
    },
  }
}

export type Consents = ReturnType<typeof createConsents>
