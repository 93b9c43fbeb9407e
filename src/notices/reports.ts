import type { ChannelPorts } from '../core/model/chat/channel.ts'
import { prose, proseText, verbatim } from '../core/model/chat/prose.ts'
import type { Notices } from './notices.ts'
import { ourWords } from '../shared/said/our-words.ts'

export interface ReportPorts extends Pick<ChannelPorts, 'log'>, Pick<Notices, 'tellOwners' | 'alarm'> {
  /** The names of messengers for people, by channel. Absent: the channel's own. */
  readonly titles: Readonly<Record<string, string>>
}

/** Reports the problems of messengers to the owners, each once. */
export const createReports = ({
  tellOwners,
  alarm,
  log,
  titles,
}: ReportPorts): Pick<ChannelPorts, 'tripped' | 'trouble'> => ({
  tripped: (channel, what) => {
    const text = prose`⚠ Blocked: a send on ${verbatim(channel)} that bypassed the gate (${ourWords(what)}).`
    alarm('tripwire', text, `tripped ${channel} ${what}`)
  },
  trouble: (channel, why, isBack) => {
    const title = titles[channel] ?? channel
    const said = proseText(why)
    // The address of a login's code is for the owners alone: whoever scans it becomes the bot.
    log(isBack ? 'info' : 'warn', `${title}: ${said.replaceAll(/\S+:\/\/\S+/g, '…')}`)
    tellOwners(prose`${verbatim(title)}: ${why}`, `trouble ${channel} ${said}`)
  },
})
