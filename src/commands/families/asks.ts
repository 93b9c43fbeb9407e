import { refusal, type Notice, type NoticeText } from '../../model/chat/notice.ts'
import {
  questionMark,
  wordsMark,
  type Ending,
  type Question,
  type PersonAnswer,
} from '../../model/gate/permission.ts'
import { fixed, heading, joinProse, prose, verbatim, whole, type Prose } from '../../model/chat/prose.ts'
import type { Address } from '../../model/chat/push.ts'
import { argumentLines, argumentsBrief, wholeArguments } from '../cards/arguments.ts'
import type { CardButtons, CardPlace } from '../cards/card-buttons.ts'
import { canEdit } from '../cards/editable.ts'
import { exactName } from '../cards/exact.ts'
import { asHandle } from '../find.ts'
import { hiddenRefusal } from '../cards/hidden.ts'
import { firstWord } from '../parse.ts'
import type { Command, CommandContext, HandlePorts, QuestionPorts, TimePorts } from '../ports.ts'
import { atWords, plural, shorten } from '../words.ts'

const maxCards = 5
/** The length of a person's reason for an agent, in UTF-16 units. */
const maxWords = 1000

const typedLines = (handle: string, isWhole: boolean): Prose =>
  fixed(
    `${isWhole ? '' : `show all of it:\n→ /hooks asks ${handle}\n`}→ /y ${handle}\n→ /y ${handle} session\n→ /n ${handle}\nor deny with a reason for the agent:\n→ /n ${handle} because…`,
  )

/**
 * The agent chooses the tool's name. A name of several words stands in quotes, so that it cannot imitate the
 * card.
 */
const toolWords = ({ tool_name }: Question): Prose => whole(exactName(shorten(tool_name, 60)))

/**
 * The card of a tool call that waits for a decision: agent, call, folder, reason and end. `all`: with as much
 * of the arguments as a few messages show. `more`: words under it.
 */
export const askCard = (
  question: Question,
  place: CardPlace,
  cardButtons: Pick<CardButtons, 'under'>,
  ports: Pick<HandlePorts, 'handle'> & TimePorts,
  all = false,
  more?: Prose,
): Notice => {
  const { key, agent_id, tool_input, cwd, by, why, untilMs, parked, isCallerAway } = question
  const handle = ports.handle(place.owner, place.address.chat_id, key)
  const { lines, isWhole } = all
    ? { lines: wholeArguments(tool_input), isWhole: true }
    : argumentLines(tool_input)
  return {
    text: joinProse(
      [
        prose`${heading(handle, '')} May ${agent_id} use ${toolWords(question)}?`,
        ...lines,
        // A folder's name can imitate text of the card, too.
        prose`in ${exactName(cwd)}`,
        by === undefined ? prose`why: ${why}` : prose`why: ${by}: ${why}`,
        ...(parked === undefined
          ? []
          : [
              prose`${parked.title} has stopped waiting. Your answer counts when it is resumed:\n${parked.command}`,
            ]),
        ...(isCallerAway === true
          ? [prose`hookgate was started again. Your answer counts when ${agent_id} asks again.`]
          : []),
        prose`denied automatically ${atWords(untilMs, ports.now())}`,
        ...(place.canTap ? [] : [typedLines(handle, isWhole)]),
        ...(place.canTap || !canEdit(question)
          ? []
          : [prose`or change it:\n→ /edit ${verbatim(handle)} <new text>`]),
        ...(more === undefined ? [] : [more]),
      ],
      '\n',
    ),
    ...cardButtons.under(
      place,
      [
        ...(isWhole ? [] : [['show_call' as const]]),
        ['allow', 'deny'],
        ['allow_session'],
        ['deny_words', ...(canEdit(question) ? ['edit' as const] : [])],
      ],
      { about: key },
    ),
  }
}

/** The ending of a question, for the owner who reads it. */
const endWords = (ending: Ending, reader: string): Prose => {
  switch (ending.kind) {
    case 'once':
      return ending.by === reader ? fixed('Allowed once') : prose`Allowed once by ${ending.by}`
    case 'session':
      return ending.by === reader
        ? fixed('Allowed for this session, with exactly these arguments')
        : prose`Allowed for its session by ${ending.by}`
    case 'edit':
      return ending.by === reader
        ? fixed('Allowed with your change')
        : prose`Allowed with a change by ${ending.by}`
    case 'deny':
      return ending.by === reader
        ? fixed(ending.words === '' ? 'Denied' : 'Denied, with your reason')
        : prose`Denied by ${ending.by}`
    case 'expired':
      return fixed('Denied: nobody answered in time')
    case 'gone':
      return fixed('Cancelled: the agent stopped waiting')
    case 'full':
      return fixed('Denied: too many questions waited')
    case 'nobody':
      return fixed('Denied: this gate has no owner')
  }
}

/** When the answer to a question counts whose caller is not there. */
const laterWords = ({ agent_id, parked, isCallerAway }: Question, ending: Ending): Prose => {
  if (!('by' in ending)) return []
  if (parked !== undefined) return prose`\nThe answer counts when it is resumed:\n${parked.command}`
  return isCallerAway === true ? prose`\nThe answer counts when ${agent_id} asks again.` : []
}

const overText = (question: Question, ending: Ending, reader: string): Prose => {
  const { agent_id, event_id } = question
  const tool_input = ending.kind === 'edit' ? { [ending.field]: ending.text } : question.tool_input
  return prose`${endWords(ending, reader)}.\n${toolWords(question)} of ${agent_id}:\n${argumentsBrief(tool_input)}${laterWords(question, ending)}\n→ /hooks why ${fixed(event_id)}`
}

/** The text that replaces the cards of a question that has ended. */
export const askOver = (question: Question, ending: Ending, { owner }: Pick<CardPlace, 'owner'>): Prose =>
  overText(question, ending, owner)

/** Makes the cards of questions and of their endings, each for one owner's own chat. */
export const createAskCards = (
  cardButtons: Pick<CardButtons, 'under' | 'placeOf'>,
  ports: Pick<HandlePorts, 'handle'> & TimePorts,
) => ({
  card: (question: Question, address: Address, more?: Prose): NoticeText =>
    askCard(question, cardButtons.placeOf(address), cardButtons, ports, false, more),
  over: (question: Question, ending: Ending, address: Address): NoticeText =>
    askOver(question, ending, cardButtons.placeOf(address)),
})

/** The question that a handle names for this owner. When the question is over, only its key. */
export const findAsk = (
  typed: string,
  { resolveHandle, asks }: HandlePorts & QuestionPorts,
  { owner, address }: CommandContext,
):
  | {
      readonly handle: string
      readonly key: string
      readonly question?: Question
      readonly hiddenBy?: string
    }
  | undefined => {
  const handle = asHandle(typed)
  const resolved = handle === undefined ? undefined : resolveHandle(owner, address.chat_id, handle)
  if (handle === undefined || resolved === undefined || 'why' in resolved) return undefined
  const { fingerprint: key, hiddenBy } = resolved
  if (!key.startsWith(questionMark)) return undefined
  const question = asks.waiting().find((one) => one.key === key)
  return {
    handle,
    key,
    ...(question === undefined ? {} : { question }),
    ...(hiddenBy === undefined ? {} : { hiddenBy }),
  }
}

export const asksCommand = (
  ports: HandlePorts & QuestionPorts & TimePorts,
  cardButtons: CardButtons,
): Command => ({
  path: 'hooks asks',
  usage: '/hooks asks [handle]',
  summary: 'tool calls that wait for your decision, or one in full',
  need: 'privileged',
  run: (rest, context) => {
    const { asks } = ports
    if (rest !== '') {
      const question = findAsk(rest, ports, context)?.question
      if (question !== undefined)
        return askCard(question, cardButtons.place(context), cardButtons, ports, true)
      return refusal(prose`No waiting tool call has the handle ${shorten(rest, 40)}.\n→ /hooks asks`)
    }
    const waiting = asks.waiting()
    for (const { key } of waiting.slice(0, maxCards)) asks.showAgain(key, context.address)
    const left = waiting.length - maxCards
    if (left > 0) return fixed(`… and ${left} more. Answer some, then look again.\n→ /hooks asks`)
    return fixed(
      waiting.length === 0
        ? 'No tool call waits for your decision.\n→ /hooks log'
        : `${plural(waiting.length, 'tool call')} ${waiting.length === 1 ? 'waits' : 'wait'} for your decision.`,
    )
  },
})

const late = (ending: Ending | undefined, owner: string): Prose =>
  prose`Nothing was changed: ${ending === undefined ? fixed('the question is over') : fixed('it was already answered')}.${ending === undefined ? [] : prose` ${endWords(ending, owner)}.`}\n→ /hooks asks`

/** Asks for the reason of a no, which the person writes as a reply. */
const askForWords = (
  key: string,
  handle: string,
  ports: HandlePorts,
  { owner, address, message }: CommandContext,
): Notice => {
  const typed = prose`Type this with your own reason. The agent gets it:\n→ /n ${verbatim(handle)} because…`
  // Only a messenger with buttons gives ids of messages, by which a reply is known.
  if (message.press === undefined) return refusal(typed)
  const ask = ports.handle(owner, address.chat_id, `${wordsMark}${key}`)
  return {
    text: [
      ...prose`Reply to this message with your reason. The call is denied, and the agent gets it.\nOr type:\n→ /n ${verbatim(handle)} because…`,
      // The message stands for this handle, so that a reply to it is known. Nobody has to type it.
      { fixed: '', handle: ask },
    ],
    asksReply: true,
  }
}

const wordOf = (isYes: boolean, handle: string, words: string): PersonAnswer | Prose => {
  if (isYes) {
    const more = words.toLowerCase()
    return more === ''
      ? { kind: 'once' }
      : more === 'session'
        ? { kind: 'session' }
        : fixed(`Nothing was changed. Type one of these:\n→ /y ${handle}\n→ /y ${handle} session`)
  }
  return { kind: 'deny', words: words.slice(0, maxWords).toWellFormed() }
}

/** Gives an owner's answer to a question. The result says what came of it. */
export const answerAsk = (
  key: string,
  word: PersonAnswer,
  { asks }: QuestionPorts,
  { owner, address, message }: CommandContext,
): NoticeText => {
  const done = asks.answer(key, word, {
    owner,
    address,
    ...(message.press === undefined ? {} : { on_message_id: message.press.on_message_id }),
  })
  if (done?.isYours !== true || done.question === undefined) return refusal(late(done?.ending, owner))
  return overText(done.question, done.ending, owner)
}

const answer = (
  key: string,
  handle: string,
  words: string,
  isYes: boolean,
  ports: HandlePorts & QuestionPorts,
  context: CommandContext,
): NoticeText => {
  // The button cannot take a reason, so its answer asks for one.
  const asksForWords = !isYes && (words === '…' || words === '...')
  if (asksForWords && ports.asks.waiting().some((one) => one.key === key))
    return askForWords(key, handle, ports, context)
  const word = wordOf(isYes, handle, words)
  return 'kind' in word ? answerAsk(key, word, ports, context) : refusal(word)
}

/** Extends `/y` or `/n` by answers to tool calls. All other handles go to `command`. */
export const answersAsk = (
  ports: HandlePorts & QuestionPorts,
  command: Command,
  isYes: boolean,
): Command => ({
  ...command,
  run: (rest, context) => {
    const [typed, words] = firstWord(rest)
    const found = findAsk(typed, ports, context)
    if (isYes && found?.hiddenBy !== undefined) return hiddenRefusal(found.hiddenBy)
    return found === undefined
      ? command.run(rest, context)
      : answer(found.key, found.handle, words, isYes, ports, context)
  },
})
