import { refusal, type Notice, type NoticeText } from '../../../core/model/chat/notice.ts'
import {
  questionMark,
  type CardForm,
  wordsMark,
  type Ending,
  type PersonAnswer,
  type Question,
} from '../../../shared/gate/permission.ts'
import { roleGives, type Person } from '../../../core/model/gate/person.ts'
import { heading, prose, verbatim, whole, type Prose, proseLines } from '../../../core/model/chat/prose.ts'
import { reasonProse } from '../../../shared/hooks/guard-words.ts'
import type { Address } from '../../../core/model/chat/push.ts'
import { argumentLines, argumentsBrief, wholeArguments } from '../../cards/calls/arguments.ts'
import type { CardButtons, CardPlace } from '../../cards/card-buttons.ts'
import { canEdit } from '../../cards/calls/editable.ts'
import { awayLines, formAnswers, formCard, type AskPorts } from '../../cards/calls/form-card.ts'
import { exactName } from '../../cards/exact.ts'
import { nameOfId } from '../../cards/people.ts'
import { asHandle } from '../../find.ts'
import { askForReply, speakerIn } from './ask-reply.ts'
import { answerAlways } from './grants.ts'
import { hiddenRefusal } from '../../cards/hidden.ts'
import { firstWord } from '../../../core/commands/parse.ts'
import { questionsFor } from '../../roles.ts'
import type { Command, CommandContext, CommandPorts } from '../../ports.ts'
import { atWords, shorten } from '../../words.ts'

const maxCards = 5
/** The length of a person's reason for an agent, in UTF-16 units. */
const maxWords = 1000

const typedLines = (handle: string, isWhole: boolean): Prose => {
  const name = verbatim(handle)
  return proseLines(
    !isWhole && prose`show all of it:\n→ /hooks asks ${name}`,
    prose`→ /y ${name}`,
    prose`→ /y ${name} session`,
    prose`→ /n ${name}`,
    prose`or deny with a reason for the agent:\n→ /n ${name} because…`,
  )
}

/**
 * The agent chooses the tool's name. A name of several words stands in quotes, so that it cannot imitate the
 * card.
 */
const toolWords = ({ tool_name }: Question): Prose => whole(exactName(shorten(tool_name, 60)))

/** Why the gate itself asks. Other reasons hold the name of an agent. */
const ownWhy = (why: string): string | Prose =>
  why === 'gate.yaml lists it under "ask"' ? prose`gate.yaml lists it under "ask"` : why

/** The card of a tool call that waits for a decision: agent, call, folder, reason and end. */
const callCard = (
  question: Question,
  place: CardPlace,
  cardButtons: Pick<CardButtons, 'under'>,
  ports: AskPorts,
  { isWhole: all, more }: CardForm = {},
): Notice => {
  const { key, agent_id, tool_input, cwd, by, why, untilMs } = question
  const handle = ports.handle(place.owner, place.address.chat_id, key)
  const { lines, isWhole } =
    all === true ? { lines: wholeArguments(tool_input), isWhole: true } : argumentLines(tool_input)
  const isOwner = ports.person(place.owner)?.role === 'owner'
  // Only an owner gives a grant, and only for a call that the card shows whole.
  const hasGrants = isOwner && question.canBeGranted === true && argumentLines(tool_input).isWhole
  // A change can make any call of this one, so an approver cannot make one.
  const hasEdit = isOwner && canEdit(question)
  return {
    text: proseLines(
      prose`${heading(handle, '')} May ${agent_id} use ${toolWords(question)}?`,
      ...lines,
      // A folder's name can imitate text of the card, too.
      prose`in ${exactName(cwd)}`,
      by === undefined ? prose`why: ${ownWhy(why)}` : prose`why: ${by}: ${reasonProse(why)}`,
      ...awayLines(question),
      prose`denied automatically ${atWords(untilMs, ports.now())}`,
      !place.canTap && typedLines(handle, isWhole),
      !place.canTap && hasEdit && prose`or change it:\n→ /edit ${verbatim(handle)} <new text>`,
      !place.canTap &&
        hasGrants &&
        prose`or without a question from now on:\n→ /y ${verbatim(handle)} always`,
      more !== undefined && more,
    ),
    ...cardButtons.under(
      place,
      [
        ...(isWhole ? [] : [['show_call' as const]]),
        ['allow', 'deny'],
        ['allow_session'],
        ...(hasGrants ? [['always' as const]] : []),
        ['deny_words', ...(hasEdit ? ['edit' as const] : [])],
      ],
      { about: key },
    ),
  }
}

/** The card of a question that waits: about a tool call, or one of the agent's own. */
const askCard = (
  question: Question,
  place: CardPlace,
  cardButtons: Pick<CardButtons, 'under'>,
  ports: AskPorts,
  form?: CardForm,
): Notice =>
  question.form === undefined
    ? callCard(question, place, cardButtons, ports, form)
    : formCard(question, question.form, place, cardButtons, ports, form)

/** The ending of a question, for the owner who reads it. */
const endWords = (ending: Ending, reader: string, people: readonly Person[]): Prose => {
  switch (ending.kind) {
    case 'once':
      return ending.by === reader
        ? prose`Allowed once`
        : prose`Allowed once by ${nameOfId(ending.by, people)}`
    case 'session':
      return ending.by === reader
        ? prose`Allowed for this session, with exactly these arguments`
        : prose`Allowed for its session by ${nameOfId(ending.by, people)}`
    case 'edit':
      return ending.by === reader
        ? prose`Allowed with your change`
        : prose`Allowed with a change by ${nameOfId(ending.by, people)}`
    case 'form':
      return ending.by === reader ? prose`Answered` : prose`Answered by ${nameOfId(ending.by, people)}`
    case 'elsewhere':
      return ending.by === reader
        ? prose`Left to the terminal`
        : prose`Left to the terminal by ${nameOfId(ending.by, people)}`
    case 'deny':
      if (ending.by !== reader) return prose`Denied by ${nameOfId(ending.by, people)}`
      return ending.words === '' ? prose`Denied` : prose`Denied, with your reason`
    case 'expired':
      return prose`Denied: nobody answered in time`
    case 'gone':
      return prose`Cancelled: the agent stopped waiting`
    case 'full':
      return prose`Denied: too many questions waited`
    case 'nobody':
      return prose`Denied: this gate has no owner`
  }
}

/** When the answer to a question counts whose caller is not there. */
const laterWords = ({ agent_id, parked, isCallerAway, address }: Question, ending: Ending): Prose => {
  if (!('by' in ending)) return []
  if (parked !== undefined) return prose`\nThe answer counts when it is resumed:\n${parked.command}`
  if (isCallerAway !== true) return []
  // An agent of a chat ended with the gate. It goes on when somebody writes to it.
  return address === undefined
    ? prose`\nThe answer counts when ${agent_id} asks again.`
    : prose`\nThe answer counts when ${agent_id} asks again. Write to it that it should go on.`
}

/** What the words about a question need to know of its reader and of others. */
/** The way to the record of the question, for those who may read it. */
const whyWay = (reader: string, event_id: string, { person }: AskPorts): Prose => {
  const role = person(reader)?.role
  return role === undefined || roleGives(role, 'viewer') ? prose`\n→ /hooks why ${verbatim(event_id)}` : []
}

/** How a question of an agent ended that nobody answered. A permission would have been denied. */
const unansweredWords = (ending: Ending, reader: string, people: readonly Person[]): Prose => {
  const { kind } = ending
  if (kind === 'expired') return prose`Not answered: the time was over`
  if (kind === 'full') return prose`Not answered: too many questions waited`
  if (kind === 'nobody') return prose`Not answered: this gate has no owner`
  if (kind !== 'deny') return endWords(ending, reader, people)
  return ending.by === reader
    ? prose`You did not answer`
    : prose`Refused to answer: ${nameOfId(ending.by, people)}`
}

/** The questions of an agent and what became of them. */
export const askEnded = (question: Question, ending: Ending, reader: string, ports: AskPorts): Prose => {
  const { agent_id, form = [], event_id } = question
  const { people } = ports.gate()
  const filled = ending.kind === 'form' ? form.map(({ name }) => ending.answers[name] ?? null) : undefined
  return proseLines(
    prose`${unansweredWords(ending, reader, people)}. ${agent_id} asked:`,
    ...formAnswers(form, filled),
  ).concat(laterWords(question, ending), whyWay(reader, event_id, ports))
}

/** The text that replaces the cards of a question that has ended. */
const overText = (question: Question, ending: Ending, reader: string, ports: AskPorts): Prose => {
  if (question.form !== undefined) return askEnded(question, ending, reader, ports)
  const { agent_id, event_id } = question
  const tool_input = ending.kind === 'edit' ? { [ending.field]: ending.text } : question.tool_input
  return prose`${endWords(ending, reader, ports.gate().people)}.\n${toolWords(question)} of ${agent_id}:\n${argumentsBrief(tool_input)}${laterWords(question, ending)}${whyWay(reader, event_id, ports)}`
}

/** Makes the cards of questions and of their endings, each for one owner's own chat. */
export const createAskCards = (cardButtons: Pick<CardButtons, 'under' | 'placeOf'>, ports: AskPorts) => ({
  card: (question: Question, address: Address, form?: CardForm): NoticeText =>
    askCard(question, cardButtons.placeOf(address), cardButtons, ports, form),
  over: (question: Question, ending: Ending, address: Address): NoticeText =>
    overText(question, ending, cardButtons.placeOf(address).owner, ports),
})

/** The question that a handle names for this person. When the question is over, only its key. */
export const findAsk = (
  typed: string,
  ports: CommandPorts,
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
  const resolved = handle === undefined ? undefined : ports.resolveHandle(owner, address.chat_id, handle)
  if (handle === undefined || resolved === undefined || 'why' in resolved) return undefined
  const { fingerprint: key, hiddenBy } = resolved
  if (!key.startsWith(questionMark)) return undefined
  const question = questionsFor(owner, ports).find((one) => one.key === key)
  // A role may have changed since this person was shown the handle.
  if (question === undefined && ports.asks.waiting().some((one) => one.key === key)) return undefined
  return {
    handle,
    key,
    question,
    hiddenBy,
  }
}

export const asksCommand = (ports: CommandPorts): Command => ({
  path: 'hooks asks',
  usage: '/hooks asks [handle]',
  summary: 'tool calls that wait for your decision, or one in full',
  need: 'approver',
  run: (rest, context) => {
    const { asks } = ports
    if (rest !== '') {
      const question = findAsk(rest, ports, context)?.question
      if (question !== undefined) {
        asks.showAgain(question.key, context.address, { isWhole: true })
        return []
      }
      return refusal(prose`No waiting tool call has the handle ${shorten(rest, 40)}.\n→ /hooks asks`)
    }
    const waiting = questionsFor(context.owner, ports)
    for (const { key } of waiting.slice(0, maxCards)) asks.showAgain(key, context.address)
    const left = waiting.length - maxCards
    if (left > 0) return prose`… and ${left} more. Answer some, then look again.\n→ /hooks asks`
    if (waiting.length === 0) return prose`No tool call waits for your decision.\n→ /hooks log`
    return waiting.length === 1
      ? prose`1 tool call waits for your decision.`
      : prose`${waiting.length} tool calls wait for your decision.`
  },
})

export const late = (ending: Ending | undefined, owner: string, people: readonly Person[]): Prose =>
  ending === undefined
    ? prose`Nothing was changed: the question is over.\n→ /hooks asks`
    : prose`Nothing was changed: it was already answered. ${endWords(ending, owner, people)}.\n→ /hooks asks`

/** Asks for the reason of a no. */
const askForWords = (key: string, handle: string, ports: CommandPorts, context: CommandContext): Notice => {
  const name = verbatim(handle)
  return askForReply(
    `${wordsMark}${key}`,
    prose`Reply to this message with your reason. The call is denied, and the agent gets it.\nOr type:\n→ /n ${name} because…`,
    prose`Type this with your own reason. The agent gets it:\n→ /n ${name} because…`,
    ports,
    context,
  )
}

const wordOf = (isYes: boolean, handle: string, words: string): PersonAnswer | Prose => {
  if (isYes) {
    const more = words.toLowerCase()
    return more === ''
      ? { kind: 'once' }
      : more === 'session'
        ? { kind: 'session' }
        : prose`Nothing was changed. Type one of these:\n→ /y ${verbatim(handle)}\n→ /y ${verbatim(handle)} session`
  }
  return { kind: 'deny', words: words.slice(0, maxWords).toWellFormed() }
}

/** Gives an owner's answer to a question. The result says what came of it. */
export const answerAsk = (
  key: string,
  word: PersonAnswer,
  ports: CommandPorts,
  context: CommandContext,
): NoticeText => {
  const { owner } = context
  const done = ports.asks.answer(key, word, speakerIn(context))
  if (done?.isYours !== true || done.question === undefined)
    return refusal(late(done?.ending, owner, ports.gate().people))
  return overText(done.question, done.ending, owner, ports)
}

const answer = (
  key: string,
  handle: string,
  words: string,
  isYes: boolean,
  ports: CommandPorts,
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
  ports: CommandPorts,
  cardButtons: CardButtons,
  command: Command,
  isYes: boolean,
): Command => ({
  ...command,
  run: (rest, context) => {
    const [typed, words] = firstWord(rest)
    const found = findAsk(typed, ports, context)
    if (isYes && found?.question?.form !== undefined)
      return refusal(
        prose`Nothing was changed: this card asks a question. Tap an option, or type:\n→ /answer ${verbatim(found.handle)} <your answer>`,
      )
    if (isYes && found?.hiddenBy !== undefined) return hiddenRefusal(found.hiddenBy)
    const [first, always] = firstWord(words)
    if (isYes && found !== undefined && first.toLowerCase() === 'always') {
      const { key, question, handle } = found
      return question === undefined
        ? answer(key, handle, '', isYes, ports, context)
        : answerAlways({ question, handle, words: always }, ports, cardButtons, context)
    }
    return found === undefined
      ? command.run(rest, context)
      : answer(found.key, found.handle, words, isYes, ports, context)
  },
})
