import { createHash } from 'node:crypto'
import type { Passkey, StandingPasskey } from '../../model/gate/passkey.ts'
import { type Acted, type Refusal, quote } from '../../model/gate/problem.ts'
import { orRefusal } from '../approving.ts'
import { refusal } from '../gate-state.ts'
import { unchanged, type Decision, type GateLedger } from '../gate.ts'
import { nameAlphabet } from './random-text.ts'

/** One owner has few devices. More passkeys are refused. */
const maxPerOwner = 20

/** The short name of a passkey, for people. It depends on the id alone, so it stays the same. */
export const passkeyName = (id: string): string =>
  [...createHash('sha256').update(id).digest().subarray(0, 6)]
    .map((byte) => nameAlphabet.charAt(byte % nameAlphabet.length))
    .join('')

export type PasskeyAct = Acted<{ readonly passkey: StandingPasskey }>

/** The passkeys in the ledger. A passkey ends with its owner. */
export interface Passkeys {
  all(): readonly StandingPasskey[]
  /** The passkey with this id, while its owner is one. */
  find(id: string): StandingPasskey | undefined
  add(passkey: Passkey): Promise<PasskeyAct>
  /** Removes the passkey that has this short name. */
  remove(name: string, by: string): Promise<PasskeyAct>
}

export const createPasskeys = (
  gate: Pick<GateLedger, 'folded' | 'change'>,
  isOwner: (id: string) => boolean,
): Passkeys => {
  const all = (): readonly StandingPasskey[] => [...gate.folded().passkeys.values()]
  const find = (id: string): StandingPasskey | undefined => {
    const passkey = gate.folded().passkeys.get(id)
    return passkey !== undefined && isOwner(passkey.owner) ? passkey : undefined
  }
  const whyNotAdded = ({ id, owner }: Passkey): Refusal | undefined => {
    if (!isOwner(owner)) return refusal('passkey.owner', 'You are no owner.', 'Pair first: /pair.')
    // Whoever makes a passkey chooses its id, and could give it the name of another one. A removal by name
    // would then take the other one.
    if (all().some((one) => passkeyName(one.id) === passkeyName(id)))
      return refusal(
        'passkey.known',
        'This passkey is registered already.',
        'Log in with it, or make another one.',
      )
    return all().filter((one) => one.owner === owner).length >= maxPerOwner
      ? refusal('passkey.many', `You have ${maxPerOwner} passkeys already.`, 'Remove one first: /passkeys.')
      : undefined
  }
  const write = (decide: () => Decision<PasskeyAct>): Promise<PasskeyAct> =>
    orRefusal(() => gate.change(decide))
  return {
    all,
    find,
    add: (passkey) =>
      write(() => {
        const why = whyNotAdded(passkey)
        if (why !== undefined) return unchanged(why)
        return {
          acts: [{ act: 'passkey_add', by: passkey.owner, data: { ...passkey } }],
          answer: () => {
            const added = find(passkey.id)
            return added === undefined
              ? refusal('passkey.gone', 'Expected the new passkey in the ledger, got none.', 'Try again.')
              : { ok: true, passkey: added }
          },
        }
      }),
    remove: (name, by) =>
      write(() => {
        const passkey = all().find(({ id }) => passkeyName(id) === name)
        if (passkey === undefined)
          return unchanged(
            refusal(
              'passkey.unknown',
              `No passkey is called ${quote(name)}.`,
              'Type /passkeys to see their names.',
            ),
          )
        return {
          acts: [{ act: 'passkey_remove', by, data: { id: passkey.id } }],
          answer: () => ({ ok: true, passkey }),
        }
      }),
  }
}
