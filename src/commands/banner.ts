import type { Row } from '../model/catalogue.ts'
import { separationLine, type Separation } from '../model/separation.ts'
import { isWaiting } from './row.ts'
import { plural } from './words.ts'

export interface Invitation {
  readonly login: string
  readonly pairing: string
}

export interface Start extends Invitation {
  readonly version: string
  readonly workspace: string
  readonly telegram: boolean
  readonly isOn: boolean
  readonly lockdown: string | undefined
  readonly rows: readonly Row[]
  readonly separation: Separation
}

/** The two ways in, for whoever sits at the console. Both are used up by their first use. */
export const invitation = ({ login, pairing }: Invitation): string =>
  `Open ${login}\n  (good once, for 5 minutes; Enter prints a new one)\nPair a chat: /pair ${pairing}`

/** What the console says when the gate runs. */
export const banner = (start: Start): string => {
  const live = start.rows.filter((row) => row.live !== undefined).length
  const waiting = start.rows.filter(isWaiting).length
  const invalid = start.rows.filter(({ status }) => status === 'invalid').length
  const counts = [`${live} approved`, `${waiting} waiting for you`, ...(invalid > 0 ? [`${plural(invalid, 'entry').replace('entrys', 'entries')} invalid`] : [])].join(', ')
  return [
    `hookgate ${start.version}`,
    invitation(start),
    ...(start.telegram ? [] : ['  (Telegram: start with TELEGRAM_BOT_TOKEN=… and type it to your bot)']),
    `Proposals: ${start.workspace}/config/shell_hooks.yaml`,
    start.lockdown === undefined ? `Hooks are ${start.isOn ? 'ON' : 'OFF'}: ${counts}. Type /hooks in the chat.` : `LOCKDOWN: ${start.lockdown}. Type /hooks recover in the chat.`,
    `${start.separation.kind === 'none' ? '⚠ ' : ''}${separationLine(start.separation)}`,
  ].join('\n')
}
