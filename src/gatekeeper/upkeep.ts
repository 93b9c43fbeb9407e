import type { NoticeText } from '../model/notice.ts'
import { isSameChat, type Address } from '../model/push.ts'
import { createAnchoring, type AnchoringPorts } from './anchoring.ts'
import { createRearm, type RearmPorts } from './rearm.ts'

const monotonicMs = (): number => performance.now()

/** What the gate has to see to by itself: the end of a pause, and the anchors. `look` is to be called about every second. */
export const createUpkeep = (
  ports: Omit<RearmPorts & AnchoringPorts, 'monotonicMs' | 'write'> & {
    tell(address: Address, said: NoticeText): Promise<void>
  },
) => {
  const rearm = createRearm({ ...ports, monotonicMs })
  const { look, missing } = createAnchoring({
    ...ports,
    monotonicMs,
    write: (address, notice) => void ports.tell(address, notice),
  })
  return {
    look: (): void => {
      rearm.look()
      look()
    },
    /** Words when no owner's chat can keep an anchor. */
    noAnchor: missing,
    /** Tells every owner, on every channel, but not the chat that reads the answer anyway. */
    tellOthers: (said: NoticeText | ((chat: Address) => NoticeText), but: Address): void => {
      for (const chat of ports.chats())
        if (!isSameChat(chat, but)) void ports.tell(chat, typeof said === 'function' ? said(chat) : said)
    },
  }
}
