import { timingSafeEqual } from 'node:crypto'
import type { Message } from '../../model/chat/channel.ts'
import type { Address } from '../../model/chat/push.ts'
import { shownName } from '../../model/chat/speaker.ts'
import { sha256 } from '../../model/approval/canonical.ts'
import type { RoleGiven } from '../../model/gate/person.ts'
import type { Owner } from '../ledger/fold.ts'
import { senderOf } from './owners.ts'
import { formRefusal, type RefusalCode } from './provenance.ts'
import { randomText } from './random-text.ts'

/** Upper case without look-alikes: 0 O, 1 I L, 2 Z, 5 S, 8 B, U V. */
const alphabet = '34679ACDEFGHJKMNPQRTWXY'
const codeLength = 8
const livesMs = 30 * 60 * 1000
/** With 23 to the 8th codes, even a million accounts guess one in fewer than 1 of 10 000 attacks. */
const maxTriesPerSender = 5
/** The maximum number of senders whose wrong tries are counted. The oldest is removed first. */
const maxSenders = 10_000

/** The value of `by` for an owner who paired with the code of the console. */
export const consoleCode = 'console'

export type PairRefusal =
  | RefusalCode
  | 'no_code'
  | 'expired'
  | 'too_many_tries'
  | 'wrong'
  | 'owner_already'
  | 'not_written'

/** A person typed an owner's code. They become an owner when that owner confirms it. */
export interface PairingRequest {
  readonly key: string
  /**
   * `by` is the owner who made the code, `where` the chat in which they got it, and `handle` the handle for
   * their answer.
   */
  readonly by: string
  readonly where: Address
  readonly handle: string
  readonly id: string
  /** The role that the code gives. */
  readonly given: RoleGiven
}

export type Paired =
  | { readonly ok: true; readonly asked?: PairingRequest }
  | { readonly ok: false; readonly why: PairRefusal }

/** The result of an owner's answer: the person who asked, and the chat in which to notify them. */
export type PairingResult =
  | { readonly ok: true; readonly id: string; readonly chat: Address; readonly given: RoleGiven }
  | { readonly ok: false; readonly why: 'gone' | 'not_written' }

/**
 * Makes a person an owner: with a code from the console, or with an owner's code and that owner's
 * confirmation. An owner's code can give a lower role.
 */
export interface Pairing {
  /** Creates a new code for the console. The code before it expires. */
  mint(): string
  /** Ends the console's code, because the gate has an owner. */
  close(): void
  /**
   * Creates a code with which an owner invites one more person, shown at `where`. The owner's code before it
   * expires. `given`: the role of that person. Absent: owner.
   */
  invite(by: string, where: Address, given?: RoleGiven): string
  /**
   * Checks a typed code. A right code is valid for one person. The console's code makes them an owner; an
   * owner's code asks that owner for confirmation.
   */
  pair(code: string, message: Message): Promise<Paired>
  /** Takes an owner's answer to a pairing request. It counts once. */
  answer(key: string, by: string, isYes: boolean): Promise<PairingResult>
}

interface Code {
  readonly code: string
  readonly untilMs: number
  /** Absent for the console's code, which makes an owner. */
  readonly invited?: { readonly where: Address; readonly given: RoleGiven }
}

const isSame = (a: string, b: string): boolean =>
  timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)))

/** A code as a person may type it: in small or full-width letters, with blanks, dashes or a full stop. */
const foldCode = (typed: string): string =>
  typed
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, '')

/** The longest text in which a code is looked for, in UTF-16 units. */
const maxTypedUnits = 40

/** True when the whole text or its first word is the code. */
const isTyped = (typed: string, code: string): boolean => {
  const text = typed.slice(0, maxTypedUnits).trim()
  return [text, text.split(/\s/, 1)[0] ?? ''].some((part) => isSame(foldCode(part), code))
}

/** `addPerson` resolves with whether it succeeded. Otherwise the code stays valid. It never rejects. */
export const createPairing = (ports: {
  readonly now: () => number
  readonly elapsedMs: () => number
  readonly addPerson: (person: Owner, given: RoleGiven, by: string) => Promise<boolean>
  readonly isOwner: (id: string) => boolean
  readonly loginOf: (channel: string) => string | undefined
  readonly handle: (target: {
    readonly owner: string
    readonly chat: string
    readonly fingerprint: string
  }) => string
}): Pairing => {
  /** By the owner who made it. The console's code has its own key, which is no owner's id. */
  const codes = new Map<string, Code>()
  /** By the owner who is asked. Each owner has at most one request, as they have at most one code. */
  const asking = new Map<
    string,
    {
      readonly key: string
      readonly person: Owner
      readonly given: RoleGiven
      readonly chat: Address
      readonly untilMs: number
    }
  >()
  const tries = new Map<string, number>()
  const refuse = (why: PairRefusal): Paired => ({ ok: false, why })

  const make = (by: string, invited: Pick<Code, 'invited'> = {}): string => {
    const code = randomText(codeLength, alphabet)
    codes.set(by, { code, untilMs: ports.elapsedMs() + livesMs, ...invited })
    // A person who mistyped five times gets new tries with a new code.
    tries.clear()
    return code
  }
  const countWrong = (sender: string, before: number): void => {
    tries.delete(sender)
    tries.set(sender, before + 1)
    const oldest = tries.keys().next().value
    if (tries.size > maxSenders && oldest !== undefined) tries.delete(oldest)
  }

  return {
    mint: () => make(consoleCode),
    close: () => void codes.delete(consoleCode),
    invite: (by, where, given = { role: 'owner' }) => make(by, { invited: { where, given } }),
    pair: async (typed, message) => {
      const form = formRefusal(message, ports.now())
      if (form !== undefined) return refuse(form.code)
      const sender = senderOf(message)
      if (sender === undefined) return refuse('not_owner')
      // The codes of removed owners are invalid.
      for (const by of codes.keys()) if (by !== consoleCode && !ports.isOwner(by)) codes.delete(by)
      if (codes.size === 0) return refuse('no_code')
      /*
       * Further tries are refused for this sender only, so a stranger cannot use up the code of another
       * person.
       */
      const before = tries.get(sender) ?? 0
      if (before >= maxTriesPerSender) return refuse('too_many_tries')
      const [by, right] = [...codes].filter(([, { code }]) => isTyped(typed, code))[0] ?? []
      if (by === undefined || right === undefined) {
        countWrong(sender, before)
        return refuse('wrong')
      }
      if (ports.elapsedMs() >= right.untilMs) return refuse('expired')
      const { channel, chat_id } = message
      const login = ports.loginOf(channel)
      const name = shownName(message.sender_name) || undefined
      const person = { id: sender, chat_id, login, name }
      if (right.invited === undefined) {
        // It is no code while its person is written, so a second person cannot use it meanwhile.
        codes.delete(by)
        if (await ports.addPerson(person, { role: 'owner' }, consoleCode)) return { ok: true }
        if (!codes.has(by)) codes.set(by, right)
        return refuse('not_written')
      }
      if (ports.isOwner(sender)) return refuse('owner_already')
      codes.delete(by)
      const key = `pair:${sender}`
      const { where, given } = right.invited
      asking.set(by, { key, person, given, chat: { channel, chat_id }, untilMs: ports.elapsedMs() + livesMs })
      const handle = ports.handle({ owner: by, chat: where.chat_id, fingerprint: key })
      return { ok: true, asked: { key, by, where, handle, id: sender, given } }
    },
    answer: async (key, by, isYes) => {
      const asked = asking.get(by)
      if (asked === undefined || asked.key !== key || ports.elapsedMs() >= asked.untilMs)
        return { ok: false, why: 'gone' }
      const { person, given, chat } = asked
      // The answer counts once, so the request is over while it is written.
      asking.delete(by)
      if (isYes && !(await ports.addPerson(person, given, by))) {
        if (!asking.has(by)) asking.set(by, asked)
        return { ok: false, why: 'not_written' }
      }
      return { ok: true, id: person.id, chat, given }
    },
  }
}
