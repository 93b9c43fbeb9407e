import type { Tap, CardButtons, CardPlace } from '../card-buttons.ts'
import { effectsIn, reasonProse } from '../../../shared/hooks/guard-words.ts'
import type { CardForm, Question } from '../../../shared/gate/permission.ts'
import type { Notice } from '../../../core/model/chat/notice.ts'
import {
  heading,
  named,
  prose,
  verbatim,
  whole,
  type Prose,
  proseLines,
} from '../../../core/model/chat/prose.ts'
import { exactName } from '../exact.ts'
import type { CommandPorts } from '../../ports.ts'
import { clock, shorten } from '../../words.ts'
import { argumentLines, wholeArguments } from './arguments.ts'
import { canEdit } from './editable.ts'
import { awayLines } from './form-card.ts'

/** What the card of a tool call is made of. `workspace`: where agents work. A card names another folder. */
export type CallPorts = Pick<CommandPorts, 'handle' | 'now' | 'person'> & { readonly workspace: string }

/**
 * The agent chooses the tool's name. A name of several words stands in quotes, so that it cannot imitate the
 * card.
 */
const toolWords = ({ tool_name }: Question): Prose => whole(exactName(shorten(tool_name, 60)))

/** Who makes the call, and with what. */
export const callerWords = (question: Question): Prose =>
  prose`${named(question.agent_id)} · ${toolWords(question)}`

/** Arguments that are no longer, as JSON, are read at a glance. No part of them is said once more. */
const glanceUnits = 100

/** What will happen, as the asker says it. Only what we ship may speak without its name. */
const sentence = ({ by, why, tool_input }: Question): Prose => {
  const isLong = JSON.stringify(tool_input).length > glanceUnits
  if (by !== undefined)
    return effectsIn(why) === undefined ? prose`${by}: ${reasonProse(why)}` : reasonProse(why, isLong)
  if (why === '') return prose`The agent asks for permission.`
  return why === 'gate.yaml lists it under "ask"'
    ? prose`gate.yaml says to ask you about this tool.`
    : prose`The agent asks for permission: ${why}`
}

/** Questions of one kind can be answered together: the same agent, tool, asker and effect. */
export const isAlike = (one: Question, other: Question): boolean =>
  one.agent_id === other.agent_id &&
  one.tool_name === other.tool_name &&
  one.by === other.by &&
  (effectsIn(one.why) ?? one.why) === (effectsIn(other.why) ?? other.why) &&
  [one, other].every(({ form }) => form === undefined)

/** Who may say what to a call. */
interface Offered {
  readonly isOwner: boolean
  readonly hasGrants: boolean
  readonly hasEdit: boolean
}

/** The answers behind *More…*. `alike`: the handles of other calls of its kind. */
const otherAnswers = (
  { isOwner, hasGrants, hasEdit }: Offered,
  alike: readonly string[],
): readonly (readonly Tap[])[] => {
  const these = { handle: String(alike.length + 1), words: alike.join(' ') }
  return [
    ['allow_session'],
    hasGrants ? ['always'] : [],
    ['deny_words', ...(hasEdit ? ['edit' as const] : [])],
    isOwner ? [{ act: 'deny', label: 'Deny and stop', words: 'stop' }] : [],
    alike.length === 0
      ? []
      : [
          { act: 'allow', label: 'Allow these', ...these },
          { act: 'deny', label: 'Deny these', ...these },
        ],
    [{ act: 'more', label: 'Back', words: 'back' }],
  ]
}

/** The same as lines to type. */
const otherLines = (
  handle: string,
  { isOwner, hasGrants, hasEdit }: Offered,
  alike: readonly string[],
): Prose => {
  const name = verbatim(handle)
  const these = verbatim([handle, ...alike].join(' '))
  return proseLines(
    prose`→ /y ${name} session`,
    hasGrants && prose`→ /y ${name} always`,
    hasEdit && prose`→ /edit ${name} <new text>`,
    prose`→ /n ${name} <reason for the agent>`,
    isOwner && prose`→ /n ${name} stop`,
    alike.length > 0 && prose`→ /y ${these}\n→ /n ${these}`,
  )
}

const typedLines = (handle: string, isWhole: boolean): Prose => {
  const name = verbatim(handle)
  return proseLines(
    !isWhole && prose`all of it → /asks ${name}`,
    prose`→ /y ${name}`,
    prose`→ /n ${name}`,
    prose`more → /asks ${name} more`,
  )
}

/** The card of a tool call that waits: what will happen, the call, whose it is, and until when. */
export const callCard = (
  question: Question,
  place: CardPlace,
  cardButtons: Pick<CardButtons, 'under'>,
  ports: CallPorts,
  { isWhole: all, opens, alike = [], more }: CardForm = {},
): Notice => {
  const { key, tool_input, cwd, untilMs } = question
  const handle = ports.handle(place.owner, place.address.chat_id, key)
  const { lines, isWhole } =
    all === true ? { lines: wholeArguments(tool_input), isWhole: true } : argumentLines(tool_input)
  const isOwner = ports.person(place.owner)?.role === 'owner'
  const offered: Offered = {
    isOwner,
    // Only an owner gives a grant, and only for a call that the card shows whole.
    hasGrants: isOwner && question.canBeGranted === true && argumentLines(tool_input).isWhole,
    // A change can make any call of this one, so an approver cannot make one.
    hasEdit: isOwner && canEdit(question),
  }
  const typed = opens === 'more' ? otherLines(handle, offered, alike) : typedLines(handle, isWhole)
  return {
    text: proseLines(
      prose`${heading(handle, '')} ${sentence(question)}`,
      ...lines,
      // A folder's name can imitate text of the card, too.
      cwd !== ports.workspace && prose`in ${exactName(cwd)}`,
      ...awayLines(question),
      prose`${callerWords(question)} · denied at ${clock(untilMs, ports.now())}`,
      !place.canTap && typed,
      more,
    ),
    ...cardButtons.under(
      place,
      [
        isWhole ? [] : ['show_call'],
        ['allow', 'deny'],
        ...(opens === 'more'
          ? otherAnswers(offered, alike)
          : [[{ act: 'more', label: 'More…', words: 'more' } as const]]),
      ],
      { about: key },
    ),
  }
}
