import { timingSafeEqual } from 'node:crypto'
import type { Message } from '../model/channel.ts'
import { sha256 } from './canonical.ts'
import { senderOf } from './owners.ts'
import { formRefusal, type RefusalCode } from './provenance.ts'
import { randomText } from './random-text.ts'

/** Upper case without look-alikes: 0 O, 1 I L, 2 Z, 5 S, 8 B, U V. */
const alphabet = '34679ACDEFGHJKMNPQRTWXY'
const codeLength = 8
const livesMs = 30 * 60 * 1000
const maxTriesPerSender = 5
const maxTries = 30

export type PairRefusal = RefusalCode | 'no_code' | 'expired' | 'too_many_tries' | 'wrong' | 'not_written'
export type Paired = { readonly ok: true } | { readonly ok: false; readonly why: PairRefusal }

/** A person proves with a code from the console that the chat is theirs. There is at most one live code. */
export interface Pairing {
  /** A new code; the one before it is dead. */
  mint(): string
  /** Makes the sender an owner when `code` is right. A code is good for one pairing. */
  pair(code: string, message: Message): Paired
}

const isSame = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)))

/** `addOwner` says whether it could; a right code is not used up when it could not. */
export const createPairing = (ports: {
  readonly now: () => number
  readonly addOwner: (id: string, chatId: string) => boolean
}): Pairing => {
  let live: { readonly code: string; readonly untilMs: number; readonly tries: Map<string, number>; wrong: number } | undefined
  const refuse = (why: PairRefusal): Paired => ({ ok: false, why })
  return {
    mint: () => {
      const code = randomText(alphabet, codeLength)
      live = { code, untilMs: ports.now() + livesMs, tries: new Map(), wrong: 0 }
      return code
    },
    pair: (typed, message) => {
      const form = formRefusal(message, ports.now())
      if (form !== undefined) return refuse(form.code)
      const sender = senderOf(message)
      if (sender === undefined) return refuse('not_owner')
      if (live === undefined) return refuse('no_code')
      if (ports.now() >= live.untilMs) return refuse('expired')
      const tries = live.tries.get(sender) ?? 0
      // One sender's further tries are not counted: a single stranger cannot use up the code for its owner.
      if (tries >= maxTriesPerSender || live.wrong >= maxTries) return refuse('too_many_tries')
      const folded = typed.slice(0, 40).toUpperCase().replaceAll(/[\s-]/g, '')
      if (!isSame(folded, live.code)) {
        live.tries.set(sender, tries + 1)
        live.wrong++
        return refuse('wrong')
      }
      if (!ports.addOwner(sender, message.chat_id)) return refuse('not_written')
      live = undefined
      return { ok: true }
    },
  }
}
