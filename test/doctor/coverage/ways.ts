import { holds, newWord } from './canary.ts'
import type { Stage } from './stage.ts'

type Way = (canary: string, say: (text: string) => Promise<unknown>) => Promise<unknown>

/** What somebody may do who holds a message, whatever the messenger. */
const messageWays = (stage: Stage, chat: string): Readonly<Record<string, Way>> => ({
  'a outgoing of its own': async (canary) => {
    const sent = await stage.say(chat, 'Hello.')
    if (sent !== undefined) await stage.rehearsal.hand(Object.freeze({ ...sent, text: canary }))
  },
  'the copy of one that left': async (canary) => {
    const sent = await stage.say(chat, canary)
    await stage.rehearsal.taken()
    if (sent !== undefined) await stage.rehearsal.hand(Object.freeze({ ...sent }))
  },
  'one that left, again': async (canary) => {
    const sent = await stage.say(chat, canary)
    await stage.rehearsal.taken()
    if (sent !== undefined) await stage.rehearsal.hand(sent)
  },
})

export interface WayEnd {
  readonly way: string
  /** Absent: it held. */
  readonly why?: string
}

/**
 * Tries each way around the door. One holds when nothing of the canary came to the transport, and the bot
 * says that it refused something.
 */
export const tryWays = async (stage: Stage): Promise<readonly WayEnd[]> => {
  const { rehearsal } = stage
  const [chat = ''] = rehearsal.chats
  const ends: WayEnd[] = []
  for (const [way, run] of Object.entries({ ...messageWays(stage, chat), ...rehearsal.ways })) {
    const canary = newWord()
    const before = stage.refused()
    await rehearsal.taken()
    // A refused call rejects, as it should.
    await run(canary, (text) => stage.say(chat, text)).catch(() => undefined)
    const isOut = holds(await rehearsal.taken(), canary)
    ends.push({
      way,
      ...(isOut
        ? { why: 'it left' }
        : stage.refused() === before
          ? { why: 'nothing says that it was refused' }
          : {}),
    })
  }
  return ends
}
