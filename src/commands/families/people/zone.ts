import { nearest } from '../../../shared/base/nearest.ts'
import { refusal, type NoticeText } from '../../../core/model/chat/notice.ts'
import { prose, verbatim } from '../../../core/model/chat/prose.ts'
import { zoneName } from '../../../shared/chat/zone.ts'
import type { Command, CommandPorts } from '../../ports.ts'
import { clock, oneLine, shorten } from '../../words.ts'

/** The zone that a person named by its city alone, or mistyped. */
const nearestZone = (typed: string): string | undefined => {
  const names = Intl.supportedValuesOf('timeZone')
  const city = typed.trim().replaceAll(/\s+/g, '_').toLowerCase()
  const ofCity = names.find((name) => name.toLowerCase().endsWith(`/${city}`))
  return ofCity ?? nearest(typed, names)
}

const waysOn = prose`Another one → /tz <zone>, as in /tz Asia/Shanghai\nThat of this machine → /tz machine`

export const zoneCommand = ({ readers, now }: CommandPorts): Command => ({
  path: 'tz',
  usage: '/tz <zone>',
  summary: 'the time zone of the times in this chat, as in /tz Asia/Shanghai',
  need: 'person',
  run: (rest, { address }): NoticeText => {
    const typed = rest.trim()
    if (typed === '') {
      const { name, isOwn } = readers.zoneOf(address)
      return isOwn
        ? prose`Times in this chat are in ${verbatim(name)}. It is ${clock(now(), now(), 'second')} there.\n${waysOn}`
        : prose`Times in this chat are in ${verbatim(name)}, the time zone of this machine. It is ${clock(now(), now(), 'second')} there.\n${waysOn}`
    }
    if (typed.toLowerCase() === 'machine') {
      readers.chooseZone(address, undefined)
      const { name } = readers.zoneOf(address)
      return prose`Times in this chat are in ${verbatim(name)}, the time zone of this machine, from now on.`
    }
    const name = zoneName(typed)
    if (name === undefined) {
      const [meant, got] = [nearestZone(typed), shorten(oneLine(typed))]
      return refusal(
        meant === undefined
          ? prose`hookgate knows no time zone ${got}.\n${waysOn}`
          : prose`hookgate knows no time zone ${got}. Did you mean ${verbatim(meant)}?\n→ /tz ${verbatim(meant)}`,
      )
    }
    readers.chooseZone(address, name)
    return prose`Times in this chat are in ${verbatim(name)} from now on. It is ${clock(now(), now(), 'second')} there.`
  },
})
