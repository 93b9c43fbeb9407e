import { botLines, startLink, type Invitation } from '../commands/cards/banner.ts'

/** The Telegram bot, as the messenger named it. */
export interface NamedBot {
  readonly username: string
  /** Draws a link for a terminal. Undefined: the package that draws it is not installed. Never rejects. */
  draw(link: string): Promise<string | undefined>
}

export interface PhonePorts {
  print(lines: string): void
  /** The number of columns of the terminal. Undefined: the output is no terminal, so nothing is drawn. */
  readonly columns: number | undefined
  /** Keeps an invitation with its link in its file, where the output is no place to show it. */
  keep(invitation: Invitation, link: string): void
}

/**
 * Shows on the console how a phone reaches the bot. The bot's name is known only when Telegram has answered,
 * which may be before or long after the gate has started.
 */
export const createPhone = (ports: PhonePorts) => {
  let bot: NamedBot | undefined
  let current: Invitation | undefined
  let isShown = false
  let toldName: string | undefined

  const tell = async (): Promise<void> => {
    if (bot === undefined || !isShown) return
    const { username, draw } = bot
    const link = current?.pairing === undefined ? undefined : startLink(username, current.pairing)
    // Without a code there is nothing new behind the name.
    if (link === undefined && toldName === username) return
    toldName = username
    if (current?.file !== undefined && link !== undefined) ports.keep(current, link)
    ports.print(botLines(username, current))
    if (link === undefined || current?.file !== undefined || ports.columns === undefined) return
    const code = await draw(link)
    const width = Math.max(0, ...(code ?? '').split('\n').map((line) => line.length))
    // Where the lines would break, the code cannot be scanned.
    if (code !== undefined && width <= ports.columns) ports.print(code)
  }

  return {
    /** Telegram named the bot, or named it again after a new connection. */
    named: (found: NamedBot): void => {
      // A server chose the name, and the console shows it.
      if (!/^\w{1,64}$/.test(found.username) || found.username === bot?.username) return
      bot = found
      void tell()
    },
    /** An invitation was printed. Undefined: there is none, or none any longer. */
    show: (invitation: Invitation | undefined): void => {
      isShown = true
      current = invitation
      void tell()
    },
  }
}
