import { isYes, takesPlace, type CardAct, type IgnoredTap } from '../../core/model/chat/card.ts'
import { rowKey, type ListedHook } from '../../shared/gate/catalogue.ts'
import { noticeOf, saidAfter, type NoticeText } from '../../core/model/chat/notice.ts'
import type { Need } from '../../core/model/gate/person.ts'
import { prose, verbatim, type Prose } from '../../core/model/chat/prose.ts'
import { questionMark } from '../../shared/gate/permission.ts'
import { cardActs, type CardButtons } from './card-buttons.ts'
import { hiddenWays } from './hidden.ts'
import { switchLine } from '../families/list.ts'
import { waitingNow } from '../families/pending.ts'
import type { Command, CommandContext, CommandPorts } from '../ports.ts'
import { digestOf, isWaiting, placeKey } from './row.ts'
import type { InTurn } from '../turns.ts'

export interface Pressed {
  readonly said: NoticeText
  /** The reason why the tap did not count, for the record. */
  readonly refused?: string
}

/** Whether the person who tapped has the right that the command needs. `words`: the reason for them. */
type Admitted = { readonly ok: true } | { readonly ok: false; readonly code: string; readonly words?: Prose }

/** True when a row is as the card showed it, and the act still applies to it. */
const isAsShown = (
  row: ListedHook,
  act: CardAct,
  fingerprint: string,
  shows: string | undefined,
): boolean => {
  if (act === 'revoke') return row.live === fingerprint
  if (act === 'promote')
    return row.isShadow === true && row.live === fingerprint && shows !== undefined && digestOf(row) === shows
  if (act === 'show' || act === 'diff' || act === 'try')
    return rowKey(row) === fingerprint || row.live === fingerprint
  return isWaiting(row) && shows !== undefined && digestOf(row) === shows
}

const whyNot = (
  { why, by }: IgnoredTap | { readonly why: 'stale'; readonly by?: string },
  owner: string,
): Prose => {
  switch (why) {
    case 'used':
      if (by === undefined) return prose`another owner answered it first.`
      return by === owner ? prose`you answered this card already.` : prose`${by} answered it first.`
    case 'new':
      return prose`this card has only just appeared. Read it, then tap again.`
    case 'hidden':
      return hiddenWays(by ?? 'a hook')
    case 'expired':
      return prose`this card is more than a day old.`
    case 'elsewhere':
      return prose`this button was made for another owner or another chat.`
    case 'stale':
      return prose`the hook has changed since this card was shown.`
    case 'unknown':
      return prose`hookgate does not know this button. It restarted since, or it never made the button.`
  }
}

/** A command and what follows its name. */
export interface FoundCommand {
  readonly command: Command
  readonly rest: string
}

/**
 * Handles a tapped button. The inbox has checked before that the message may answer a card. `find` reads a
 * typed line.
 */
export const createPress = (
  commands: readonly Command[],
  find: (line: string) => FoundCommand | undefined,
  cardButtons: CardButtons,
  ports: CommandPorts,
  inTurn: InTurn,
) => {
  const refuse = (
    taken: IgnoredTap | (Omit<IgnoredTap, 'why'> & { readonly why: 'stale' }),
    context: CommandContext,
  ): Pressed => {
    const { owner, message } = context
    // The card stays, because the person has to read it, and its no still counts.
    if (taken.why === 'new' || taken.why === 'hidden')
      return { refused: taken.why, said: prose`Nothing was changed: ${whyNot(taken, owner)}` }
    // The card of a call goes on saying which call it was, and how it was answered.
    if (taken.fingerprint?.startsWith(questionMark) === true)
      return { refused: taken.why, said: prose`Nothing was changed: ${whyNot(taken, owner)}\n→ /asks` }
    const rows = ports.rows()
    const place = cardButtons.place(context)
    const { fingerprint, place: was } = taken
    const row =
      rows.find(
        ({ proposed, live }) =>
          fingerprint !== undefined && (proposed === fingerprint || live === fingerprint),
      ) ?? rows.find((other) => isWaiting(other) && placeKey(other) === was)
    const standing = (known: ListedHook): NoticeText => {
      if (isWaiting(known)) return cardButtons.card(known, rows, place, false)
      if (known.live === undefined) return prose`It cannot be approved as it is now.\n→ /hooks`
      return prose`It is approved. ${switchLine(ports)}.\n→ /hooks`
    }
    const now = row === undefined ? waitingNow(rows, place, cardButtons) : standing(row)
    const said = saidAfter(prose`Nothing was changed: ${whyNot(taken, owner)}\n\n`, now)
    // A receipt of the owner's own answer stays, and so does a notice of another owner.
    const isKept = taken.why === 'elsewhere' || (taken.why === 'used' && 'by' in taken && taken.by === owner)
    return {
      refused: taken.why,
      said:
        isKept || message.press === undefined
          ? said
          : { ...noticeOf(said), replaces: message.press.on_message_id },
    }
  }

  return async (
    press: string,
    context: CommandContext,
    admits: (need: Need) => Admitted,
  ): Promise<Pressed> => {
    const { owner, address, message } = context
    const chat = address.chat_id
    const taken = ports.take({ press, owner, chat })
    if ('why' in taken) return refuse(taken, context)
    const { act, fingerprint, place, shows, above, words } = taken
    const { path, before = '', more = words === undefined ? '' : ` ${words}`, isOfNoHook } = cardActs[act]
    const line = act === 'run' || act === 'turn' ? find(words ?? '') : undefined
    const command = line?.command ?? commands.find((candidate) => candidate.path === path)
    if (command === undefined) return refuse({ why: 'unknown' }, context)
    // The role may have changed since the button was made.
    const admitted = admits(command.need)
    if (!admitted.ok)
      return {
        refused: admitted.code,
        said: prose`Nothing was changed: ${admitted.words ?? verbatim(admitted.code)}`,
      }
    // A yes counts only under a card that shows all that it binds.
    const seen = isYes(act) ? shows : undefined
    const answer = await inTurn(
      command,
      line === undefined || line.rest === '' ? fingerprint : line.rest,
      (earlier): NoticeText | Promise<NoticeText> | undefined => {
        const inOrder = { ...context, seen, ...(earlier === undefined ? {} : { earlier }) }
        if (line !== undefined) return command.run(line.rest, inOrder)
        if (fingerprint === undefined) return command.run(`${before}${more}`.trim(), context)
        // An event is named by its id, which gives no power.
        if (act === 'why') return command.run(fingerprint, context)
        if (isOfNoHook !== true && !ports.rows().some((row) => isAsShown(row, act, fingerprint, shows)))
          return undefined
        return command.run(`${before}${ports.handle(owner, chat, fingerprint)}${more}`, inOrder)
      },
    )
    if (answer === undefined)
      return refuse(
        {
          why: 'stale',
          fingerprint,
          place,
        },
        context,
      )
    const said = above === undefined ? answer : saidAfter([...above, ...prose`\n`], answer)
    // What was refused changed nothing, so the card still says what it is about, or what was answered.
    const takesItsPlace = takesPlace(act) && noticeOf(answer).isRefusal !== true
    if (!takesItsPlace || message.press === undefined) return { said }
    return { said: { ...noticeOf(said), replaces: message.press.on_message_id } }
  }
}
