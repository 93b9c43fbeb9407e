import type { ListedHook } from '../../shared/gate/catalogue.ts'
import { isWarning, separationLine, type Separation } from '../../shared/gate/separation.ts'
import { proseText } from '../../core/model/chat/prose.ts'
import { isWaiting } from './row.ts'
import { plural } from '../words.ts'

export interface Invitation {
  readonly login: string
  /** Absent once somebody owns the gate. */
  readonly pairing?: string
  /** The file that holds both, when the console is not a place to show them. */
  readonly file?: string
}

export interface Start {
  readonly version: string
  readonly workspace: string
  readonly telegram: boolean
  /** `Feishu` or `Lark`. Absent: it is not connected. */
  readonly feishu?: string
  readonly isOn: boolean
  readonly lockdown: string | undefined
  readonly rows: readonly ListedHook[]
  /** Absent: no login and no code is printed unasked. */
  readonly invitation?: Invitation
  readonly separation: Separation
}

/**
 * True when a start may print a login unasked: no agent runs yet, or no agent could read it, or there is no
 * other way to log in.
 */
export const isInviting = (at: {
  readonly isClaimed: boolean
  readonly isAgentApart: boolean
  readonly isTerminal: boolean
  readonly hasChatOwner: boolean
}): boolean => !at.isClaimed || at.isAgentApart || (!at.isTerminal && !at.hasChatOwner)

/** A link that opens the chat with the bot. START there sends the code, which pairs the phone. */
export const startLink = (username: string, pairing: string): string =>
  `https://t.me/${username}?start=${pairing}`

/** How a phone reaches the Telegram bot. The link with the code is the code, so it works once. */
export const botLines = (username: string, at: Invitation | undefined): string => {
  if (at?.pairing === undefined) return `Telegram: @${username}, https://t.me/${username}`
  if (at.file !== undefined) return `Telegram: @${username}. The link that pairs a phone is in ${at.file}`
  return `Telegram: @${username}. This link pairs your phone, once. Whoever opens it first owns this gate:\n  ${startLink(username, at.pairing)}`
}

/** The ways to log in, for the person at the console. Each one works once. `link` also pairs in Telegram. */
export const invitation = ({ login, pairing, file }: Invitation, link?: string): string =>
  [
    file === undefined ? `Open ${login}` : `Open the page with the address in ${file}`,
    '  (valid once, for 5 minutes; Enter prints a new one)',
    ...(pairing === undefined
      ? []
      : [
          `Or pair a chat: ${file === undefined ? `/pair ${pairing}` : 'the /pair line is there too'}`,
          ...(link === undefined ? [] : [`  in Telegram: ${link}`]),
          '  The first person who uses one of them owns this gate. The agent starts then.',
        ]),
  ].join('\n')

/**
 * The text when somebody became the first owner. `by`: that owner. `console`: the owner of the console's
 * page.
 */
export const claimedText = (by: string, console: string): string =>
  by === console
    ? 'You opened the page, so you own this gate now. The code above has expired, and the agent starts.\nTo add a phone, type /pair on the page.'
    : `${by} owns this gate now. The link and the code above have expired, and the agent starts.\nEnter prints a new link.`

/** The text that the console shows when the gate runs. */
export const banner = (start: Start): string => {
  const live = start.rows.filter((row) => row.live !== undefined).length
  const waiting = start.rows.filter(isWaiting).length
  const invalid = start.rows.filter(({ status }) => status === 'invalid').length
  const counts = [
    `${live} approved`,
    `${waiting} waiting for you`,
    ...(invalid > 0 ? [`${plural(invalid, 'entry').replace('entrys', 'entries')} invalid`] : []),
  ].join(', ')
  return [
    `hookgate ${start.version}`,
    start.invitation === undefined
      ? 'Enter prints a link to the web page; /login in your chat answers with one.'
      : invitation(start.invitation),
    ...(start.feishu === undefined || start.invitation?.pairing === undefined
      ? []
      : [`  (${start.feishu}: send your app the /pair line)`]),
    ...(start.telegram || start.feishu !== undefined
      ? []
      : [
          `  (Telegram: start with TELEGRAM_BOT_TOKEN=… and ${start.invitation?.pairing === undefined ? 'type /pair on the page' : 'type it to your bot'})`,
        ]),
    `Proposals: ${start.workspace}/config/shell_hooks.yaml`,
    start.lockdown === undefined
      ? `Hooks are ${start.isOn ? 'ON' : 'OFF'}: ${counts}. Type /hooks in the chat.`
      : `LOCKDOWN: ${start.lockdown}. Type /hooks recover in the chat.`,
    `${isWarning(start.separation) ? '⚠ ' : ''}${proseText(separationLine(start.separation))}`,
  ].join('\n')
}
