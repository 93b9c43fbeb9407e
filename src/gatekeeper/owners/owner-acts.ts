import type { Message } from '../../model/chat/channel.ts'
import type { Problem } from '../../model/gate/problem.ts'
import type { Address } from '../../model/chat/push.ts'
import type { StandingOwner } from '../ledger/fold.ts'
import type { Gatekeeper } from '../gatekeeper.ts'
import { senderOf } from './owners.ts'
import type { PairingResult, Paired } from './pairing.ts'

export interface OwnerActPorts {
  readonly gatekeeper: Pick<Gatekeeper, 'state' | 'isOwner' | 'removeOwner' | 'pairing' | 'claim' | 'handles'>
  /** Records the act and its outcome in the history. The ledger is written separately. */
  record(subject: string, by: string, outcome: 'done' | 'refused', what: string | undefined): void
  log(level: 'warn', what: string, fields: Readonly<Record<string, string>>): void
}

/** Lists the owners and changes them, for commands and the inbox. */
export const createOwnerActs = ({ gatekeeper, record, log }: OwnerActPorts) => ({
  owners: (): readonly (StandingOwner & { readonly isCurrent: boolean })[] =>
    gatekeeper.state().owners.map((owner) => ({ ...owner, isCurrent: gatekeeper.isOwner(owner.id) })),
  /** Creates a new pairing code at each call. */
  invite: (by: string, where: Address): string => {
    record('/pair', by, 'done', 'a code for one more owner')
    return gatekeeper.pairing.invite(by, where)
  },
  pair: (code: string, message: Message): Paired => {
    const wasClaimed = gatekeeper.claim.isClaimed()
    const paired = gatekeeper.pairing.pair(code, message)
    const sender = senderOf(message) ?? message.channel
    if (paired.ok)
      record(
        '/pair',
        sender,
        'done',
        paired.asked === undefined
          ? 'with the console’s code'
          : `with the code of ${paired.asked.by}, who must confirm it`,
      )
    /*
     * A person at the console who mistyped gets no answer in the chat, like a stranger. The log shows the
     * reason.
     */
    else if (!wasClaimed && paired.why !== 'too_many_tries')
      log('warn', 'a pairing failed', { why: paired.why, who: sender })
    return paired
  },
  answerPairing: (key: string, by: string, isYes: boolean): PairingResult => {
    const answered = gatekeeper.pairing.answer(key, by, isYes)
    if (answered.ok) gatekeeper.handles.forget(key)
    record(
      isYes ? '/y' : '/n',
      by,
      answered.ok ? 'done' : 'refused',
      answered.ok ? `owner ${answered.id}` : answered.why,
    )
    return answered
  },
  removeOwner: (
    id: string,
    by: string,
  ): { readonly ok: true } | { readonly ok: false; readonly problem: Problem } => {
    const removed = gatekeeper.removeOwner(id, by)
    record('/owners remove', by, removed.ok ? 'done' : 'refused', removed.ok ? id : removed.problem.code)
    return removed
  },
})
