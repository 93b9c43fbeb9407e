import type { CardAct } from '../../core/model/chat/card.ts'
import { rowKey, type ListedHook } from '../../shared/gate/catalogue.ts'
import type { Notice } from '../../core/model/chat/notice.ts'
import { prose, type Prose } from '../../core/model/chat/prose.ts'
import type { Address, Button, NoticeForm } from '../../core/model/chat/push.ts'
import { card, type At, type CardPorts } from './card.ts'
import type { CommandContext, CommandPorts } from '../ports.ts'
import { canClose, canTry, digestOf, isWaiting, placeKey } from './row.ts'
import { createShown } from './shown.ts'

interface ActOfCard {
  readonly label: string
  /** The command that a tap runs. A tap has no other effect than its command. */
  readonly path: string
  /** The words before and after the handle. */
  readonly before?: string
  readonly more?: string
  /** Its command itself checks whether the subject still waits. */
  readonly isOfNoHook?: true
}

/** What the buttons of cards say and do. */
export const cardActs: Readonly<Record<CardAct, ActOfCard>> = {
  approve: { label: 'Approve', path: 'y' },
  close: { label: 'Approve and fail closed', path: 'hooks approve', more: ' closed' },
  shadow: { label: 'Shadow', path: 'hooks shadow' },
  promote: { label: 'Promote', path: 'hooks promote' },
  wait: { label: 'Not now', path: 'n' },
  revoke: { label: 'Revoke', path: 'hooks revoke' },
  on: { label: 'Turn hooks on', path: 'hooks on' },
  show: { label: 'Details', path: 'hooks show' },
  diff: { label: 'Diff', path: 'hooks diff' },
  try: { label: 'Try', path: 'hooks try' },
  end_try: { label: 'Stop', path: 'hooks try', before: 'stop' },
  pending: { label: 'Show pending', path: 'hooks pending' },
  gallery: { label: 'Gallery', path: 'hooks gallery' },
  stop: { label: 'Stop', path: 'stop' },
  release: { label: 'Release', path: 'hooks release', isOfNoHook: true },
  withhold: { label: 'Withhold', path: 'hooks withhold', isOfNoHook: true },
  show_held: { label: 'Show the text', path: 'hooks held', isOfNoHook: true },
  allow: { label: 'Allow once', path: 'y', isOfNoHook: true },
  allow_session: { label: 'Allow for this session', path: 'y', more: ' session', isOfNoHook: true },
  deny: { label: 'Deny', path: 'n', isOfNoHook: true },
  deny_words: { label: 'Deny with a reason', path: 'n', more: ' …', isOfNoHook: true },
  edit: { label: 'Edit', path: 'edit', isOfNoHook: true },
  show_call: { label: 'Show all', path: 'asks', isOfNoHook: true },
  more: { label: 'More…', path: 'asks', isOfNoHook: true },
  fill: { label: 'Answer', path: 'answer', isOfNoHook: true },
  fill_words: { label: 'In my own words', path: 'answer', more: ' …', isOfNoHook: true },
  leave: { label: 'At the terminal', path: 'answer', more: ' =elsewhere', isOfNoHook: true },
  always: { label: 'Allow always…', path: 'y', more: ' always', isOfNoHook: true },
  grant: { label: 'Allow always', path: 'y', isOfNoHook: true },
  ungrant: { label: 'End the grant', path: 'grants', before: 'revoke ', isOfNoHook: true },
  confirm: { label: 'Yes, change it', path: 'y', isOfNoHook: true },
  keep: { label: 'No, keep it', path: 'n', isOfNoHook: true },
  why: { label: 'Why', path: 'hooks why', isOfNoHook: true },
  extend: { label: 'Extend', path: 'budget extend', isOfNoHook: true },
  // The typed line of these two names its command.
  run: { label: 'Yes, do it', path: '' },
  turn: { label: 'Next', path: '' },
}

const waitingText = (count: number, isNamed: boolean): Prose => {
  if (count === 1) return isNamed ? prose`1 hook waits for you:\n` : prose`1 hook waits for you.`
  return isNamed ? prose`${count} hooks wait for you:\n` : prose`${count} hooks wait for you.`
}

/**
 * The act of one button. `about`: the key of its subject, when it differs from that of the notice. `words`:
 * what the command gets after the handle.
 */
export type Tap =
  | CardAct
  | {
      readonly act: CardAct
      readonly label: string
      readonly handle?: string
      readonly words?: string
      readonly about?: string
    }

/** The chat and the owner of a notice. `canTap`: the chat has buttons. `takesFiles`: it takes files. */
export interface CardPlace extends At {
  readonly canTap: boolean
  readonly takesFiles?: boolean
}

type CardButtonPorts = CardPorts &
  Pick<CommandPorts, 'gate' | 'hasButtons' | 'mint' | 'rememberShown' | 'shownBefore' | 'takesFiles'>

/**
 * What a card shows of a hook: all that an approval would bind, what a person decides by, or the difference.
 * `isAll`: an owner who read it knows enough for a yes.
 */
export interface Shows {
  readonly what: 'whole' | 'brief' | 'difference'
  readonly isAll: boolean
}

/** Makes cards with buttons, each for one owner in one chat. */
export const createCardButtons = (ports: CardButtonPorts) => {
  const shown = createShown(ports)
  /**
   * The buttons of a notice. `about`: the key of a subject that is not a row. `above`: the text that stays
   * when an answer replaces the notice.
   */
  const under = (
    { owner, address, canTap }: CardPlace,
    taps: readonly (readonly Tap[])[],
    {
      row,
      about,
      above,
    }: { readonly row?: ListedHook; readonly about?: string; readonly above?: Prose } = {},
  ): NoticeForm => {
    const button = (tap: Tap): Button => {
      const whose = { owner, chat: address.chat_id }
      if (typeof tap === 'object') {
        const { act, label, handle, words, about: key = about } = tap
        const press = ports.mint({
          ...whose,
          act,
          fingerprint: key,
          words,
        })
        return { label, press, handle }
      }
      const shows = row === undefined ? undefined : digestOf(row)
      const fingerprint =
        row === undefined ? about : tap === 'revoke' || tap === 'promote' ? row.live : rowKey(row)
      const press = ports.mint({
        ...whose,
        act: tap,
        fingerprint,
        place: row && placeKey(row),
        shows,
        above,
      })
      return { label: cardActs[tap].label, press }
    }
    const rows = taps.filter((row) => row.length > 0)
    return canTap && rows.length > 0 ? { buttons: rows.map((row) => row.map(button)) } : {}
  }

  const actsOf = (row: ListedHook, { what, isAll }: Shows): readonly (readonly CardAct[])[] => {
    const isWhole = what === 'whole'
    const look: readonly CardAct[] = [
      ...(isWhole ? [] : ['show' as const]),
      ...(row.status === 'changed' && what !== 'difference' ? ['diff' as const] : []),
      ...(canTry(row) ? ['try' as const] : []),
    ]
    const revoke: readonly CardAct[] = isWhole && row.live !== undefined ? ['revoke'] : []
    if (!isWaiting(row)) {
      const canPromote = isAll && row.status === 'approved' && row.isShadow === true
      return [canPromote ? ['promote'] : [], look, revoke]
    }
    const close: readonly CardAct[] = isWhole && canClose(row) ? ['close'] : []
    // A hook that fails closed gets that choice first, so that the choice is not lost by accident.
    const yes: readonly (readonly CardAct[])[] =
      row.failsClosed === true && canClose(row) ? [['close'], ['approve']] : [['approve'], close]
    const isNew = isWhole && (row.live === undefined || row.isShadow === true)
    return [...(isAll ? yes : []), look, [...(isNew ? ['shadow' as const] : []), 'wait'], revoke]
  }
  const answers = (row: ListedHook, place: CardPlace, shows: Shows): NoticeForm =>
    rowKey(row) === undefined ? {} : under(place, actsOf(row, shows), { row })

  const draw = (
    row: ListedHook,
    rows: readonly ListedHook[],
    place: CardPlace,
    isWhole: boolean,
    how: 'asked' | 'told',
  ): Notice => {
    const look = { isWhole, canTap: place.canTap, takesFiles: place.takesFiles === true }
    const { text, isAll, file } = card(row, ports, place, look)
    shown.note(place.owner, [row], rows, isAll ? how : 'line')
    const form = answers(row, place, { what: isWhole ? 'whole' : 'brief', isAll })
    return { text, file, ...form }
  }

  return {
    /** The memory of what each owner was shown by these cards. */
    shown,
    under,
    answers,
    /** The chat of a command. A group has no buttons, because a tap there would be refused. */
    place: ({ owner, address, message }: CommandContext): CardPlace => ({
      owner,
      address,
      canTap: message.isPrivate && ports.hasButtons(address.channel),
      takesFiles: ports.takesFiles(address.channel),
    }),
    /** An owner's own chat, which gets the notices. */
    placeOf: (address: Address): CardPlace => {
      const owner = ports
        .gate()
        .people.find(({ id, chat_id }) => chat_id === address.chat_id && id.startsWith(`${address.channel}:`))
      return {
        owner: owner?.id ?? '',
        address,
        canTap: owner !== undefined && ports.hasButtons(address.channel),
      }
    },
    /**
     * The card that an owner asked for. `rows`: the current list. `isWhole`: the whole card, at any length.
     */
    card: (row: ListedHook, rows: readonly ListedHook[], place: CardPlace, isWhole: boolean): Notice =>
      draw(row, rows, place, isWhole, 'asked'),
    /** The card that an owner gets unasked. */
    news: (row: ListedHook, rows: readonly ListedHook[], place: CardPlace): Notice =>
      draw(row, rows, place, false, 'told'),
    /** A notice that says how many hooks wait, with the way to their cards. */
    waiting: (count: number, place: CardPlace, named: Prose = []): Notice => ({
      text: [...waitingText(count, named.length > 0), ...named, ...prose`\n→ /hooks pending`],
      ...under(place, [['pending']]),
    }),
  }
}

export type CardButtons = ReturnType<typeof createCardButtons>
