import type { ChannelPorts } from '../core/model/chat/channel.ts'
import { prose, verbatim } from '../core/model/chat/prose.ts'
import type { Notices } from './notices.ts'

export interface ReportPorts extends Pick<ChannelPorts, 'log'>, Pick<Notices, 'tellOwners' | 'alarm'> {}

/** Reports the problems of messengers to the owners, each once. */
export const createReports = ({
  tellOwners,
  alarm,
  log,
}: ReportPorts): Pick<ChannelPorts, 'tripped' | 'trouble'> => ({
  tripped: (channel, what) => {
    const text = prose`⚠ Blocked: a send on ${verbatim(channel)} that bypassed the gate (${what}).`
    alarm('tripwire', text, `tripped ${channel} ${what}`)
  },
  trouble: (channel, why, isBack) => {
    // The address of a login's code is for the owners alone: whoever scans it becomes the bot.
    log(isBack ? 'info' : 'warn', 'channel', { channel, why: why.replaceAll(/\S+:\/\/\S+/g, '…') })
    tellOwners(prose`${verbatim(channel)}: ${why}`, `trouble ${channel} ${why}`)
  },
})
