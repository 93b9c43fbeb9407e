import { type Zone, partsOf, dateOf, utc } from '../../core/model/chat/zone.ts'

/** No name of a time zone is longer, in UTF-16 units. */
const maxNameUnits = 60
/** The name of a typed zone as the system spells it. Undefined: the system knows no such zone. */
export const zoneName = (typed: string): string | undefined => {
  const name = typed.trim()
  if (name === '' || name.length > maxNameUnits) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

let machineName: string | undefined
/** The time zone of this machine. Its name is found when it is first read, which takes 12 ms and 8 MB. */
export const machineZone: Zone = {
  get name() {
    return (machineName ??= zoneName(new Intl.DateTimeFormat('en').resolvedOptions().timeZone) ?? utc.name)
  },
  isOwn: false,
}

const dayMs = 24 * 60 * 60000
const secondMs = 1000
/**
 * The first moment after `atMs` with another date in the zone, in epoch milliseconds. It is searched, because
 * a day in which the clocks change has 23 or 25 hours, and in some zones it does not begin at midnight.
 */
export const nextMidnightMs = (atMs: number, { name }: Zone): number => {
  const dateAt = (ms: number): string => dateOf(partsOf(ms, name))
  const today = dateAt(atMs)
  let last = Math.floor(atMs / secondMs)
  let next = Math.floor((atMs + 1.5 * dayMs) / secondMs)
  while (next - last > 1) {
    const between = Math.floor((last + next) / 2)
    if (dateAt(between * secondMs) === today) last = between
    else next = between
  }
  return next * secondMs
}
