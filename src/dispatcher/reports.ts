import type { ChannelPorts } from '../model/channel.ts'
import { fixed, prose } from '../model/prose.ts'
import type { EventRecord } from '../model/record.ts'
import type { Dispatcher } from './dispatcher.ts'

export interface ReportPorts extends Pick<ChannelPorts, 'log' | 'now'> {
  tellOwners: Dispatcher['tellOwners']
  addRecord(record: EventRecord): void
  newId(): string
}

/** What messengers report about themselves, told to the owners once. */
export const createReports = ({ tellOwners, addRecord, newId, now, log }: ReportPorts): Pick<ChannelPorts, 'tripped' | 'trouble'> => ({
  tripped: (channel, what) => {
    addRecord({ event_id: newId(), atMs: now(), kind: 'refusal', subject: 'tripwire', outcome: 'refused', reason: what, channel })
    tellOwners(prose`⚠ A send on ${fixed(channel)} did not come through the gate (${what}); it was refused.`, `tripped ${channel} ${what}`)
  },
  trouble: (channel, why, isBack) => {
    log(isBack ? 'info' : 'warn', 'channel', { channel, why })
    tellOwners(prose`${fixed(channel)}: ${why}`, `trouble ${channel} ${why}`)
  },
})
