import type { Gate } from '../src/core/gatekeeper/open-gate.ts'
import type { Consent } from '../src/core/model/gate/consent.ts'
import type { Entry } from '../src/core/model/hooks/entry.ts'
import type { ApprovalChoice } from '../src/core/model/hooks/fault.ts'

/** A consent of nobody's message, for what does not ask whether the core gave it. */
export const consentOf = (by: string): Consent => ({ by }) as Consent
/** It believes every consent. */
export const believing = ({ by }: Consent): string => by

/** What an owner of a running gate does, each act with the consent of a message of its own. */
export const actingIn = (gate: Pick<Gate, 'hearing' | 'acts'>, owner = 'memory:owner') => {
  const [channel = '', sender_id = ''] = owner.split(':')
  let count = 0
  const consent = (): Consent => {
    const message = {
      channel,
      chat_id: sender_id,
      message_id: `act-${++count}`,
      sender_id,
      sender_name: 'Mia',
      isPrivate: true,
      origin: 'plain',
      sentAtMs: Date.now(),
      text: '/hooks',
    } as const
    gate.hearing.admits(message, 'privileged')
    return gate.hearing.consentOf(message)
  }
  const acts = gate.acts({
    record: () => undefined,
    writeSwitchFile: () => undefined,
    uses: { begin: () => Promise.resolve(), usesLeft: () => undefined, isSpent: () => false },
    now: Date.now,
    log: () => undefined,
  })
  return {
    approve: (entry: Entry, expected?: string, choice?: ApprovalChoice) =>
      acts.approve(entry, consent(), expected, choice),
    revoke: (fingerprint: string) => acts.revoke(fingerprint, consent()),
    setSwitch: (isOn: boolean, forMs?: number) => acts.setSwitch(isOn, consent(), forMs),
  }
}
