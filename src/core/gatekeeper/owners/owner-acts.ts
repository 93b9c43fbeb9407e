import type { Message } from '../../model/chat/channel.ts'
import type { Person, RoleGiven } from '../../model/gate/person.ts'
import { type Acted, asProblem } from '../../model/gate/problem.ts'
import type { Address } from '../../model/chat/push.ts'
import type { Consent } from '../../model/gate/consent.ts'
import type { Consents } from './consents.ts'
import type { StandingPerson } from '../gate-state.ts'
import type { Gatekeeper } from '../gatekeeper.ts'
import type { Passkey } from '../../model/gate/passkey.ts'
import { passkeyName, type PasskeyAct } from './passkeys.ts'
import type { NodeAct } from '../nodes/nodes.ts'
import { senderOf } from './owners.ts'
import type { PairingResult, Paired } from './pairing.ts'

export interface OwnerActPorts {
  readonly gatekeeper: Gatekeeper
  readonly ownerOf: Consents['ownerOf']
  /** Records the act and its outcome in the history. The ledger is written separately. */
  record(subject: string, by: string, outcome: 'done' | 'refused', what: string | undefined): void
  log(level: 'warn', what: string, fields: Readonly<Record<string, string>>): void
}

const roleText = ({ role, agents, tools }: RoleGiven): string =>
  [
    role,
    ...(agents === undefined ? [] : [`agents ${agents.join(', ')}`]),
    ...(tools === undefined ? [] : [`tools ${tools.join(', ')}`]),
  ].join(' ')

/** Lists the people who have a role and changes them, for commands and the inbox. */
export const createOwnerActs = ({ gatekeeper, ownerOf, record, log }: OwnerActPorts) => {
  const give = async (
    person: StandingPerson,
    { role, agents, tools }: RoleGiven,
    by: string,
  ): Promise<Acted> => {
    const { id, chat_id, login, name } = person
    const kept = { id, chat_id, login, name }
    if (role !== 'owner') return gatekeeper.setRole({ ...kept, role, agents, tools }, by)
    try {
      await gatekeeper.addOwner(kept, by)
      return { ok: true }
    } catch (error) {
      return { ok: false, problem: asProblem(error) }
    }
  }
  return {
    owners: (): readonly (Person & Pick<StandingPerson, 'by' | 'at'> & { readonly isCurrent: boolean })[] =>
      gatekeeper
        .state()
        .people.map((person) => ({ ...person, isCurrent: gatekeeper.person(person.id) !== undefined })),
    /** Creates a new pairing code at each call. */
    invite: (consent: Consent, where: Address, given: RoleGiven = { role: 'owner' }): string => {
      const by = ownerOf(consent)
      record('/pair', by, 'done', `a code for one more ${roleText(given)}`)
      return gatekeeper.pairing.invite(by, where, given)
    },
    pair: async (code: string, message: Message): Promise<Paired> => {
      const wasClaimed = gatekeeper.claim.isClaimed()
      const paired = await gatekeeper.pairing.pair(code, message)
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
    answerPairing: async (key: string, consent: Consent, isYes: boolean): Promise<PairingResult> => {
      const by = ownerOf(consent)
      const answered = await gatekeeper.pairing.answer(key, by, isYes)
      if (answered.ok) gatekeeper.handles.forget(key)
      record(
        isYes ? '/y' : '/n',
        by,
        answered.ok ? 'done' : 'refused',
        answered.ok ? `${roleText(answered.given)} ${answered.id}` : answered.why,
      )
      return answered
    },
    removeOwner: async (id: string, consent: Consent): Promise<Acted> => {
      const by = ownerOf(consent)
      const removed = await gatekeeper.removeOwner(id, by)
      record('/owners remove', by, removed.ok ? 'done' : 'refused', removed.ok ? id : removed.problem.code)
      return removed
    },
    /** Gives a person who has a role another one. */
    setRole: async (id: string, given: RoleGiven, consent: Consent): Promise<Acted> => {
      const by = ownerOf(consent)
      const person = gatekeeper.state().people.find((one) => one.id === id)
      const done: Acted =
        person === undefined
          ? {
              ok: false,
              problem: { code: 'owner.unknown', message: 'Nobody has this id.', fix: '→ /owners' },
            }
          : await give(person, given, by)
      const what = `${id}: ${roleText(given)}`
      record('/owners role', by, done.ok ? 'done' : 'refused', done.ok ? what : done.problem.code)
      return done
    },
    addPasskey: async (passkey: Passkey): Promise<PasskeyAct> => {
      const added = await gatekeeper.passkeys.add(passkey)
      const what = added.ok ? `the passkey ${passkeyName(passkey.id)}` : added.problem.code
      record('/login', passkey.owner, added.ok ? 'done' : 'refused', what)
      return added
    },
    removePasskey: async (name: string, consent: Consent): Promise<Acted<{ readonly owner: string }>> => {
      const by = ownerOf(consent)
      const removed = await gatekeeper.passkeys.remove(name, by)
      const what = removed.ok ? `the passkey ${name} of ${removed.passkey.owner}` : removed.problem.code
      record('/passkeys remove', by, removed.ok ? 'done' : 'refused', what)
      return removed.ok ? { ok: true, owner: removed.passkey.owner } : removed
    },
    /** Makes a code with which one machine becomes the node of this name. */
    inviteNode: (name: string, consent: Consent): Acted<{ readonly code: string }> => {
      const by = ownerOf(consent)
      const invited = gatekeeper.nodes.invite(name, by)
      record('/nodes invite', by, invited.ok ? 'done' : 'refused', `the node ${name}`)
      return invited
    },
    removeNode: async (name: string, consent: Consent): Promise<NodeAct> => {
      const by = ownerOf(consent)
      const removed = await gatekeeper.nodes.remove(name, by)
      record('/nodes remove', by, removed.ok ? 'done' : 'refused', `the node ${name}`)
      return removed
    },
  }
}
