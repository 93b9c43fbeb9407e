import { noticeOf, refusal, type Notice, type NoticeText } from '../../../core/model/chat/notice.ts'
import {
  questionMark,
  type CardForm,
  wordsMark,
  type Ending,
  type PersonAnswer,
  type Question,
} from '../../../shared/gate/permission.ts'
import type { Person } from '../../../core/model/gate/person.ts'
import { prose, verbatim, type Prose, proseLines } from '../../../core/model/chat/prose.ts'
import type { Address } from '../../../core/model/chat/push.ts'
import { argumentLines, argumentsBrief } from '../../cards/calls/arguments.ts'
import type { CardButtons } from '../../cards/card-buttons.ts'
import { callCard, isAlike, type CallPorts } from '../../cards/calls/call-card.ts'
import { formCard, type AskPorts } from '../../cards/calls/form-card.ts'
import { endWords, overCard } from '../../cards/calls/over-card.ts'
import { asHandle } from '../../find.ts'
import { askForReply, showCard, speakerIn } from './ask-reply.ts'
import { alwaysCard, answerAlways, type AlwaysPorts } from './grants.ts'
import { hiddenRefusal } from '../../cards/hidden.ts'
import { firstWord } from '../../../core/commands/parse.ts'
import { questionsFor } from '../../roles.ts'
import type { Command, CommandContext, CommandPorts } from '../../ports.ts'
import { shorten } from '../../words.ts'

const maxCards = 5
/** The length of a person's reason for an agent, in UTF-16 units. */
const maxWords = 1000
/** A no of this one word stops the agent, too. */
const stopWords: ReadonlySet<string> = new Set(['stop', '停止'])

/** Makes the cards of questions and of their endings, each for one owner's own chat. */
export const createAskCards = (
  cardButtons: Pick<CardButtons, 'under' | 'placeOf'>,
  ports: AskPorts & AlwaysPorts & CallPorts,
) => ({
  card: (question: Question, address: Address, form: CardForm = {}): NoticeText => {
    const place = cardButtons.placeOf(address)
    if (question.form !== undefined) return formCard(question, question.form, place, cardButtons, ports, form)
    return form.opens === 'always'
      ? alwaysCard(question, place, cardButtons, ports)
      : callCard(question, place, cardButtons, ports, form)
  },
  over: (question: Question, ending: Ending, address: Address): NoticeText =>
    overCard(question, ending, cardButtons.placeOf(address).owner, ports),
})

interface FoundAsk {
  readonly handle: string
  readonly key: string
  readonly question?: Question
  readonly hiddenBy?: string
}

/** The question that a handle names for this person. When the question is over, only its key. */
export const findAsk = (
  typed: string,
  ports: CommandPorts,
  { owner, address }: CommandContext,
): FoundAsk | undefined => {
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

/** A yes to several calls counts only for those that this person was shown whole in this chat. */
const wasSeen = (
  { key, tool_input }: Question,
  { asks, hiddenBy }: Pick<CommandPorts, 'asks' | 'hiddenBy'>,
  { owner, address }: CommandContext,
): boolean =>
  asks.isShownIn(key, address) &&
  argumentLines(tool_input).isWhole &&
  hiddenBy(owner, address.chat_id, key) === undefined

/** The handles of the other calls of its kind that can be answered together with it. */
const alikeOf = (question: Question, ports: CommandPorts, context: CommandContext): readonly string[] => {
  const { owner, address } = context
  const isTogether = (other: Question): boolean => isAlike(question, other) && wasSeen(other, ports, context)
  return isTogether(question)
    ? questionsFor(owner, ports)
        .filter((other) => other.key !== question.key && isTogether(other))
        .map(({ key }) => ports.handle(owner, address.chat_id, key))
    : []
}

/** `/asks`: the cards of the calls that wait, or one of them in another form. */
export const asksCommand = (ports: CommandPorts): Command => ({
  path: 'asks',
  usage: '/asks [handle]',
  summary: 'tool calls that wait for your decision, or one in full',
  need: 'approver',
  run: (rest, context) => {
    const { asks } = ports
    if (rest !== '') {
      const [typed, word] = firstWord(rest)
      const question = findAsk(typed, ports, context)?.question
      if (question === undefined)
        return refusal(prose`No waiting tool call has the handle ${shorten(typed, 40)}.\n→ /asks`)
      if (word === 'more')
        return showCard(
          question.key,
          { opens: 'more', alike: alikeOf(question, ports, context) },
          ports,
          context,
        )
      if (word === 'back') return showCard(question.key, {}, ports, context)
      asks.showAgain(question.key, context.address, { isWhole: true })
      return []
    }
    const waiting = questionsFor(context.owner, ports)
    for (const { key } of waiting.slice(0, maxCards)) asks.showAgain(key, context.address)
    const left = waiting.length - maxCards
    if (left > 0) return prose`… and ${left} more. Answer some, then look again.\n→ /asks`
    if (waiting.length === 0) return prose`No tool call waits for your decision.\n→ /hooks log`
    return waiting.length === 1
      ? prose`1 tool call waits for your decision.`
      : prose`${waiting.length} tool calls wait for your decision.`
  },
})

export const late = (ending: Ending | undefined, owner: string, people: readonly Person[]): Prose =>
  ending === undefined
    ? prose`Nothing was changed: the question is over.\n→ /asks`
    : prose`Nothing was changed: it was already answered. ${endWords(ending, owner, people)}.\n→ /asks`

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
  const more = words.toLowerCase()
  if (isYes) {
    return more === ''
      ? { kind: 'once' }
      : more === 'session'
        ? { kind: 'session' }
        : prose`Nothing was changed. Type one of these:\n→ /y ${verbatim(handle)}\n→ /y ${verbatim(handle)} session`
  }
  if (stopWords.has(more)) return { kind: 'deny', words: '', isStop: true }
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
  const isStop = word.kind === 'deny' && word.isStop === true
  // Only an owner stops an agent by a command, too.
  if (isStop && ports.person(owner)?.role !== 'owner')
    return refusal(prose`Nothing was changed. Only an owner stops an agent. You can deny the call.\n→ /asks`)
  const done = ports.asks.answer(key, word, speakerIn(context))
  if (done?.isYours !== true || done.question === undefined)
    return refusal(late(done?.ending, owner, ports.gate().people))
  const { address, caller } = done.question
  // The agent of a chat ends its turn as by /stop, also where it asked within a subagent.
  if (isStop && address !== undefined && ports.agentOf(address) === caller) ports.tellAgent('cancel', address)
  return overCard(done.question, done.ending, owner, ports)
}

/** Gives one answer to several calls, each of which this person was shown whole. */
const answerAll = (
  [first, ...more]: readonly [FoundAsk, ...FoundAsk[]],
  word: PersonAnswer,
  ports: CommandPorts,
  context: CommandContext,
): NoticeText => {
  const mayCount = ({ question }: FoundAsk): boolean =>
    question === undefined || word.kind === 'deny' || wasSeen(question, ports, context)
  const said = mayCount(first)
    ? answerAsk(first.key, word, ports, context)
    : refusal(
        prose`Nothing was changed. A yes to several calls counts only where their cards show all of them.\n→ /asks`,
      )
  if (noticeOf(said).isRefusal === true) return said
  const done = more.filter(mayCount).flatMap(({ key }) => {
    const answered = ports.asks.answer(key, word, speakerIn(context))
    return answered?.isYours === true && answered.question !== undefined ? [answered.question] : []
  })
  return {
    ...noticeOf(said),
    text: proseLines(
      noticeOf(said).text,
      done.length > 0 && prose`The same for:`,
      ...done.map(({ tool_input }) => argumentsBrief(tool_input)),
      done.length < more.length &&
        prose`Not for ${more.length - done.length} more, which had ended or were not shown whole.\n→ /asks`,
    ),
  }
}

const answer = (
  found: FoundAsk,
  words: string,
  isYes: boolean,
  ports: CommandPorts,
  context: CommandContext,
): NoticeText => {
  const { key, handle } = found
  const others = words === '' ? [] : words.split(/\s+/).map((typed) => findAsk(typed, ports, context))
  const more = others.filter((other) => other !== undefined)
  const isSeveral = more.length > 0 && more.length === others.length
  if (isSeveral)
    return answerAll([found, ...more], isYes ? { kind: 'once' } : { kind: 'deny', words: '' }, ports, context)
  // The button cannot take a reason, so its answer asks for one.
  const asksForWords = !isYes && (words === '…' || words === '...')
  if (asksForWords && ports.asks.waiting().some((one) => one.key === key))
    return askForWords(key, handle, ports, context)
  const word = wordOf(isYes, handle, words)
  return 'kind' in word ? answerAsk(key, word, ports, context) : refusal(word)
}

/** Extends `/y` or `/n` by answers to tool calls. All other handles go to `command`. */
export const answersAsk = (ports: CommandPorts, command: Command, isYes: boolean): Command => ({
  ...command,
  run: (rest, context) => {
    const [typed, words] = firstWord(rest)
    const found = findAsk(typed, ports, context)
    if (found === undefined) return command.run(rest, context)
    const { question, handle, hiddenBy } = found
    if (isYes && question?.form !== undefined)
      return refusal(
        prose`Nothing was changed: this card asks a question. Tap an option, or type:\n→ /answer ${verbatim(handle)} <your answer>`,
      )
    if (isYes && hiddenBy !== undefined) return hiddenRefusal(hiddenBy)
    const [first, always] = firstWord(words)
    if (isYes && first.toLowerCase() === 'always')
      return question === undefined
        ? answer(found, '', isYes, ports, context)
        : answerAlways({ question, handle, words: always }, ports, context)
    return answer(found, words, isYes, ports, context)
  },
})
