import { isObject, parseJson } from '../../../core/model/base/json.ts'
import type { GrantShape, NewGrant, StandingGrant } from '../../../core/model/gate/grant.ts'
import type { Question } from '../../../shared/gate/permission.ts'
import { refusal, type Notice, type NoticeText } from '../../../core/model/chat/notice.ts'
import {
  heading,
  named,
  prose,
  verbatim,
  whole,
  type Prose,
  proseLines,
} from '../../../core/model/chat/prose.ts'
import { argumentLines, nameMark } from '../../cards/calls/arguments.ts'
import type { CardButtons, CardPlace, Tap } from '../../cards/card-buttons.ts'
import { exactly, exactName } from '../../cards/exact.ts'
import { nameOfId } from '../../cards/people.ts'
import { exactShape, fieldOf, mayRunOthers, patternShape } from '../../cards/calls/shapes.ts'
import { asHandle } from '../../find.ts'
import { firstWord } from '../../../core/commands/parse.ts'
import type { Command, CommandContext, CommandPorts } from '../../ports.ts'
import { showCard, speakerIn } from './ask-reply.ts'
import { shorten } from '../../words.ts'
import { ends, endWords, readEnd, type GrantEnd } from './grant-ends.ts'
import { ourWords } from '../../../shared/said/our-words.ts'

const pageSize = 5

const toolLine = ({ agent, tool, cwd }: Pick<NewGrant, 'agent' | 'tool' | 'cwd'>): Prose =>
  prose`${whole(exactName(shorten(tool, 60)))} of ${named(agent)} in ${whole(exactName(cwd))}`

const argumentsOf = (canonical: string): readonly Prose[] => {
  const input = parseJson(canonical)
  const { lines } = argumentLines(isObject(input) ? input : {})
  return lines
}

/** The calls that a shape covers. Nothing of it is shortened, because an owner's yes binds it. */
const shapeLines = (shape: GrantShape): readonly Prose[] => {
  if (shape.kind === 'exact') return argumentsOf(shape.input)
  const { field, pattern, others, loose } = shape
  return [
    prose`${verbatim(nameMark)}${whole(exactName(field))} matches as a whole: ${exactly(pattern)}`,
    ...(others === '{}' ? [] : argumentsOf(others)),
    ...(loose.length === 0 ? [] : [prose`with any ${verbatim(loose.join(', '))}`]),
  ]
}

interface Offer {
  readonly word: 'exact' | 'pattern'
  readonly shape: GrantShape
}

/** What the card with the shapes is made of. */
export type AlwaysPorts = Pick<CommandPorts, 'handle' | 'isKnownCommand'>

/** The shapes that the card of a question offers, the narrowest first. */
const offersOf = (question: Question, ports: AlwaysPorts): readonly Offer[] => {
  const pattern = patternShape(question, ports)
  return [
    { word: 'exact', shape: exactShape(question) },
    ...(pattern === undefined ? [] : [{ word: 'pattern' as const, shape: pattern }]),
  ]
}

const offerLines = ({ word, shape }: Offer, handle: string, canTap: boolean): readonly Prose[] => [
  word === 'exact' ? prose`This call: exactly these arguments` : prose`Pattern: calls like this one`,
  ...(word === 'exact' ? [] : shapeLines(shape)),
  ...(canTap ? [] : [prose`→ /y ${verbatim(handle)} always ${verbatim(word)} 1h`]),
]

const buttonsOf = ({ word }: Offer): readonly (readonly Tap[])[] => {
  const taps = ends[word].map(({ typed, label }): Tap => ({
    act: 'grant',
    label,
    words: `always ${word} ${typed}`,
  }))
  return [taps.slice(0, 2), taps.slice(2)]
}

/** The card of a question with the shapes of a grant, each with its ends. */
export const alwaysCard = (
  question: Question,
  place: CardPlace,
  cardButtons: Pick<CardButtons, 'under'>,
  ports: AlwaysPorts,
): Notice => {
  const { key, agent_id, tool_name, tool_input, cwd } = question
  const handle = ports.handle(place.owner, place.address.chat_id, key)
  const offers = offersOf(question, ports)
  return {
    text: proseLines(
      prose`${heading(handle, '')} Allow without a question from now on?`,
      toolLine({ agent: agent_id, tool: tool_name, cwd }),
      ...argumentLines(tool_input).lines,
      mayRunOthers(tool_input, ports) &&
        prose`⚠ It may run other programs or files, and these can change after your yes. No pattern is offered.`,
      ...offers.flatMap((offer) => offerLines(offer, handle, place.canTap)),
      !place.canTap && prose`Instead of 1h: today, 30d, or a number of uses such as 10.`,
    ),
    ...cardButtons.under(
      place,
      [...offers.flatMap(buttonsOf), [{ act: 'more', label: 'Back', words: 'more' }]],
      { about: key },
    ),
  }
}

/** Reads the words after `always`: a shape, its end, and a pattern of the owner's own. */
const readWords = (
  words: string,
  question: Question,
  ports: CommandPorts,
  { address }: CommandContext,
): { readonly shape: GrantShape; readonly end: GrantEnd } | { readonly wrong: Prose } => {
  const [first, rest] = firstWord(words)
  const isPattern = first.toLowerCase() === 'pattern'
  const after = isPattern || first.toLowerCase() === 'exact' ? rest : words
  const [typed, own] = firstWord(after)
  const zone = ports.readers.zoneOf(address)
  const end = readEnd(typed, ports.now(), zone)
  const ownPattern = end === undefined ? after : own
  if (ownPattern !== '' && !isPattern)
    return {
      wrong: prose`${shorten(words, 60)} is neither a shape nor an end. Type one of these:\n→ always exact 1h\n→ always pattern 30d\n→ always pattern 10 <pattern>`,
    }
  const shape = isPattern
    ? patternShape(question, ports, ownPattern === '' ? undefined : ownPattern)
    : exactShape(question)
  return shape === undefined
    ? { wrong: prose`No pattern can be derived for this call. Use exact, or type a pattern of your own.` }
    : { shape, end: end ?? readEnd('1h', ports.now(), zone) ?? { uses: 1 } }
}

const give = async (
  question: Question,
  { shape, end }: { readonly shape: GrantShape; readonly end: GrantEnd },
  ports: CommandPorts,
  context: CommandContext,
): Promise<NoticeText> => {
  const { owner, address } = context
  const { key, agent_id: agent, tool_name: tool, tool_input, cwd } = question
  const what = { agent, tool, cwd, shape, ...end }
  const done = await ports.grant(what, context.consent, fieldOf(tool_input)?.text ?? '')
  if (!done.ok)
    return refusal(
      prose`Nothing was changed, and the call still waits. ${ourWords(done.problem.message)}\n${ourWords(done.problem.fix)}`,
    )
  const answered = ports.asks.answer(key, { kind: 'once' }, speakerIn(context))
  const lines = proseLines(toolLine(what), ...shapeLines(shape))
  const until = endWords(end, ports.now())
  const by = nameOfId(owner, ports.gate().people)
  ports.tellOthers(prose`${by} gave a grant ${until}:\n${lines}\n→ /grants`, address)
  const text =
    answered?.isYours === true
      ? prose`Allowed, and from now on without a question ${until}:\n${lines}\n→ /grants`
      : prose`From now on allowed without a question ${until}:\n${lines}\n→ /grants`
  return { text, isPinned: false }
}

/**
 * Handles `/y <handle> always …`: it shows the shapes, or gives the grant and allows the call that waits.
 * Only an owner gives a grant. An approver answers each call.
 */
export const answerAlways = async (
  {
    question,
    handle,
    words,
  }: { readonly question: Question; readonly handle: string; readonly words: string },
  ports: CommandPorts,
  context: CommandContext,
): Promise<NoticeText> => {
  if (ports.person(context.owner)?.role !== 'owner')
    return refusal(
      prose`Nothing was changed. Only an owner gives a grant. You can answer this call:\n→ /y ${verbatim(handle)}\n→ /n ${verbatim(handle)}`,
    )
  if (question.canBeGranted !== true)
    return refusal(
      prose`Nothing was changed. No grant can answer this question, because the hook that asks is not sealed.`,
    )
  if (!argumentLines(question.tool_input).isWhole)
    return refusal(
      prose`Nothing was changed. This call is too long for a grant, because the card cannot show all of it.`,
    )
  if (words === '') return showCard(question.key, { opens: 'always' }, ports, context)
  const read = readWords(words, question, ports, context)
  return 'wrong' in read
    ? refusal(prose`Nothing was changed. ${read.wrong}`)
    : give(question, read, ports, context)
}

const endLine = (grant: StandingGrant, ports: CommandPorts): Prose => {
  const by = nameOfId(grant.by, ports.gate().people)
  const until = endWords(grant, ports.now())
  return grant.usesLeft === undefined
    ? prose`  ${until}, by ${by}`
    : prose`  ${until}, ${grant.usesLeft} left, by ${by}`
}

const listNotice = (
  page: number,
  ports: CommandPorts,
  cardButtons: CardButtons,
  context: CommandContext,
): NoticeText => {
  const grants = ports.grants()
  const pages = Math.max(1, Math.ceil(grants.length / pageSize))
  const number = Math.min(Math.max(1, page), pages)
  const shown = grants.slice((number - 1) * pageSize, number * pageSize)
  if (grants.length === 0)
    return prose`There are no grants. The card of a tool call offers one: Allow always…`
  const place = cardButtons.place(context)
  const text = proseLines(
    grants.length === 1 ? prose`1 grant` : prose`${grants.length} grants`,
    ...shown.map((grant) =>
      proseLines(
        prose`${verbatim(grant.id)} ${toolLine(grant)}`,
        ...shapeLines(grant.shape),
        grant.coversNothing === true &&
          prose`⚠ It answers nothing, because its program can run others. Such calls ask. End it, and allow exactly the call.`,
        endLine(grant, ports),
      ),
    ),
    number < pages && prose`Page ${number} of ${pages} → /grants ${number + 1}`,
    !place.canTap && prose`End one → /grants revoke <handle>`,
  )
  const turn: readonly Tap[] =
    number < pages ? [{ act: 'turn', label: 'Next', words: `/grants ${number + 1}` }] : []
  const ways = shown.map(({ id }): readonly Tap[] => [
    { act: 'ungrant', label: 'End', handle: id, words: id },
  ])
  return { text, ...cardButtons.under(place, [...ways, turn]) }
}

/** Ends a grant, or all of them. It needs no second word, because afterwards a person is asked again. */
const revoke = async (
  typed: string,
  ports: CommandPorts,
  { owner, address, consent }: CommandContext,
): Promise<NoticeText> => {
  const grants = ports.grants()
  // An older hookgate gave longer ids.
  const word = asHandle(typed) ?? typed.toLowerCase()
  const meant = word === 'all' ? grants : grants.filter(({ id }) => id === word)
  if (meant.length === 0)
    return refusal(prose`Nothing was changed. No grant has the handle ${shorten(typed, 40)}.\n→ /grants`)
  for (const { id } of meant) {
    const ended = await ports.ungrant(id, consent)
    if (!ended.isEnded) return refusal(prose`The grant was not ended. ${ourWords(ended.why)}\n→ /grants`)
  }
  const by = nameOfId(owner, ports.gate().people)
  const [first] = meant
  if (meant.length > 1 || first === undefined) {
    ports.tellOthers(prose`${by} ended all ${meant.length} grants.`, address)
    return prose`All ${meant.length} grants have ended. Such calls ask again.`
  }
  const lines = proseLines(toolLine(first), ...shapeLines(first.shape))
  ports.tellOthers(prose`${by} ended a grant:\n${lines}`, address)
  return prose`The grant has ended. Such calls ask again:\n${lines}`
}

export const grantsCommand = (ports: CommandPorts, cardButtons: CardButtons): Command => ({
  path: 'grants',
  usage: '/grants [revoke <handle>|all]',
  summary: 'tool calls that run without a question, and their end',
  need: 'privileged',
  run: (rest, context) => {
    const [word, typed] = firstWord(rest)
    if (/^\d{0,4}$/.test(word)) return listNotice(Number(word), ports, cardButtons, context)
    if (word.toLowerCase() === 'revoke' && typed !== '') return revoke(typed, ports, context)
    return refusal(prose`Type one of these:\n→ /grants\n→ /grants revoke <handle>\n→ /grants revoke all`)
  },
})
