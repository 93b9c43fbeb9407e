import { noticeOf, type Notice, type NoticeText } from '../../model/chat/notice.ts'
import { inLanguage, type Translate } from '../../model/chat/prose.ts'
import type { Zone } from '../../model/chat/zone.ts'
import type { Address } from '../../model/chat/push.ts'
import type { EventRecord, OutboxItem } from '../../model/events/record.ts'
import type { ItemOutcome } from '../judged.ts'
import { noticeBody } from '../outbox/outbox-body.ts'
import type { Door } from '../door/door.ts'

export interface NotifyPorts {
  readonly door: Pick<Door, 'sequence' | 'enqueue'>
  /** The translation of our words into the language of the people in a chat. */
  translateFor(address: Address): Translate
  /** The time zone of the people in a chat. */
  zoneFor(address: Address): Zone
  addRecord(record: EventRecord): void
  newId(): string
  /** The time for what is shown or stored, in epoch milliseconds. */
  now(): number
}

/** Sends hookgate's own notices, each to one chat. */
export const createNotify = (ports: NotifyPorts) => {
  const { door } = ports
  /** The callbacks for delivered notices, by the item's id. */
  const awaited = new Map<string, (messageId: string | undefined) => void>()

  const translated = (address: Address, content: NoticeText): Notice => {
    const translate = ports.translateFor(address)
    const { text, buttons, ...form } = noticeOf(content)
    return {
      ...form,
      text: inLanguage(text, translate, ports.zoneFor(address)),
      buttons: buttons?.map((row) =>
        row.map(({ label, handle, press }) => ({
          label: [translate(label) ?? label, ...(handle === undefined ? [] : [handle])].join(' '),
          press,
        })),
      ),
    }
  }

  /**
   * Sends a notice to one chat. Resolves when it is on its way. `delivered` is called when it was delivered,
   * with the messenger's id of the message where there is one.
   */
  const notify = async (
    address: Address,
    content: NoticeText,
    delivered?: (messageId: string | undefined) => void,
  ): Promise<void> => {
    const notice = translated(address, content)
    const id = `notice:${ports.newId()}`
    if (delivered !== undefined) awaited.set(id, delivered)
    const { isStored } = await door.enqueue(
      {
        id,
        seq: door.sequence(),
        ...address,
        kind: 'notice',
        state: 'queued',
        revision: 0,
        createdAtMs: ports.now(),
        body: noticeBody(notice),
      },
      undefined,
      notice,
    )
    await isStored
  }

  return {
    notify,
    /** The outbox has settled a notice. */
    settled: ({ id, channel, chat_id }: OutboxItem, { outcome, why, message }: ItemOutcome): void => {
      const delivered = awaited.get(id)
      awaited.delete(id)
      if (outcome === 'delivered') {
        delivered?.(message?.message_id)
        return
      }
      ports.addRecord({
        event_id: ports.newId(),
        atMs: ports.now(),
        kind: 'notice',
        subject: 'notice',
        outcome,
        channel,
        chat_id,
        reason: why,
      })
    },
  }
}
