import { refusal, type NoticeText } from '../core/model/chat/notice.ts'
import { prose, spoiler, verbatim } from '../core/model/chat/prose.ts'
import { cardActs, type CardButtons } from './cards/card-buttons.ts'
import type { Command, CommandContext } from './ports.ts'
import type { InTurn } from './turns.ts'

/** The card shows the whole line, so a longer one is refused. In UTF-16 units. */
const maxLineUnits = 500

/**
 * These only show or refuse something, or say what the person could also tell the agent. A forger gains
 * nothing.
 */
const harmless: ReadonlySet<string> = new Set(['n', 'answer', 'asks', 'hooks withhold'])
/** These show a list when nothing follows them. */
const lists: ReadonlySet<string> = new Set(['owners', 'grants', 'passkeys', 'nodes', 'hooks protect'])

/**
 * True when the messenger does not show that a person typed this command, and it could open the gate. Then it
 * waits for a tap.
 */
const waitsForTap = (
  { message }: CommandContext,
  { need, path }: Pick<Command, 'need' | 'path'>,
  words: string,
  canTap: boolean,
): boolean =>
  message.isUnattested === true &&
  message.press === undefined &&
  canTap &&
  (need === 'privileged' || need === 'approver' || need === 'off') &&
  !harmless.has(path) &&
  !(lists.has(path) && words === '')

/** Runs a typed command, or gives the card whose button runs it. `line` is the whole command as typed. */
export type TapFirst = (
  command: Command,
  line: string,
  context: CommandContext,
  run: () => Promise<NoticeText>,
) => Promise<NoticeText>

/** What a typed command goes through before it runs. */
export interface CommandWays {
  readonly inTurn: InTurn
  readonly tapFirst: TapFirst
}

export const createTapFirst =
  (cardButtons: CardButtons): TapFirst =>
  async (command, line, context, run) => {
    const place = cardButtons.place(context)
    const { path } = command
    const words = line.trim().replace(path.includes(' ') ? /^\S+\s+\S+\s*/ : /^\S+\s*/, '')
    if (!waitsForTap(context, command, words, place.canTap)) return await run()
    if (line.length > maxLineUnits)
      return refusal(
        prose`A command that needs a tap can have ${maxLineUnits} characters here, and yours has ${line.length}. Send it on hookgate’s web page.`,
      )
    return {
      // The line came from this very chat. So no hook judges it, and none can draw it as another one.
      text: prose`/${verbatim(path)}${words === '' ? [] : prose` ${spoiler(words)}`}\n${prose`This messenger does not show whether a person typed that, so it counts only with your tap.`}`,
      ...cardButtons.under(place, [[{ act: 'run', label: cardActs.run.label, words: line }]]),
    }
  }
