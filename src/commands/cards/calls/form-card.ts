import { reasonProse } from '../../../shared/hooks/guard-words.ts'
import {
  answerText,
  meaningOf,
  nextField,
  noProgress,
  type Form,
  type FormField,
  type FormProgress,
} from '../../../shared/gate/form.ts'
import type { Notice } from '../../../core/model/chat/notice.ts'
import { heading, prose, verbatim, whole, type Prose, proseLines } from '../../../core/model/chat/prose.ts'
import type { CardForm, Question } from '../../../shared/gate/permission.ts'
import { markedLines } from '../binding.ts'
import type { CardButtons, CardPlace, Tap } from '../card-buttons.ts'
import { exactLines, exactName, exactText } from '../exact.ts'
import type { CommandPorts } from '../../ports.ts'
import { brief, shorten, untilWords } from '../../words.ts'
import { nameMark } from './arguments.ts'

/** The length of a question and of the words beside an option that a card shows, in UTF-16 units. */
const [maxTextUnits, maxAboutUnits] = [1500, 160]
/** The number of buttons in one row. */
const rowLength = 5

/** What a tap on a form gives to its command: the number of the field on the card, and the act. */
const tapWords = (at: number, act: string): string => `=${at} ${act}`

/** Says when an answer counts whose caller does not wait for it. */
export const awayLines = ({ parked, isCallerAway, agent_id }: Question): readonly Prose[] => [
  ...(parked === undefined
    ? []
    : [
        prose`${parked.title} has stopped waiting. Your answer counts when it is resumed:\n${parked.command}`,
      ]),
  ...(isCallerAway === true
    ? [prose`hookgate was started again. Your answer counts when ${agent_id} asks again.`]
    : []),
]

const quoted = (text: string, max: number): readonly Prose[] =>
  markedLines(exactLines(shorten(text, max)), nameMark)

const optionLine = ({ options }: FormField, index: number, chosen: readonly number[]): Prose => {
  const option = options[index] ?? { label: '', value: '' }
  const { label, about } = option
  const meaning = meaningOf(option)
  const onLine = (words: string): Prose => whole(exactText(words.replaceAll('\n', ' ')))
  const text = meaning === undefined ? onLine(label) : prose`${onLine(label)} → ${onLine(meaning)}`
  const mark = verbatim(`${chosen.includes(index) ? '☑ ' : ''}${index + 1}. `)
  return about === undefined
    ? prose`${mark}${text}`
    : prose`${mark}${text} – ${onLine(shorten(about, maxAboutUnits))}`
}

const inRows = (taps: readonly Tap[]): readonly (readonly Tap[])[] =>
  Array.from({ length: Math.ceil(taps.length / rowLength) }, (_, row) =>
    taps.slice(row * rowLength, (row + 1) * rowLength),
  )

/** The next field of a form, with a button for each option. */
const fieldOf = (
  field: FormField,
  { chosen, filled }: FormProgress,
): { readonly lines: readonly Prose[]; readonly taps: readonly (readonly Tap[])[] } => {
  const at = filled.length
  const { name, options, isMultiple, isOptional, takesWords, type } = field
  const fill = (act: string) => ({ act: 'fill' as const, words: tapWords(at, act) })
  return {
    lines: [
      ...quoted(field.text, maxTextUnits),
      ...options.map((_, index) => optionLine(field, index, chosen)),
      ...(isMultiple ? [prose`You can choose several.`] : []),
      ...(type === 'text' ? [] : [prose`The answer is a number.`]),
      ...(name === field.text ? [] : [prose`The agent gets the answer as ${whole(exactName(name))}.`]),
    ],
    taps: [
      // A label of the agent could imitate a button of hookgate, and no hook judges it.
      ...inRows(
        options.map((_, index) => ({
          ...fill(`option ${index}`),
          label: `${chosen.includes(index) ? '☑ ' : ''}${index + 1}`,
        })),
      ),
      [
        ...(isMultiple ? [{ ...fill('done'), label: 'Done' }] : []),
        ...(takesWords ? [{ act: 'fill_words' as const, label: 'In my own words' }] : []),
        ...(isOptional ? [{ ...fill('skip'), label: 'Skip' }] : []),
      ],
    ],
  }
}

const answerLine = (value: Form[number]['options'][number]['value']): Prose =>
  value === null ? prose`  → (left out)` : prose`  → ${brief(answerText(value), 200)}`

/** All questions of a form with the answers to them, each on few lines. */
export const formAnswers = (form: Form, filled?: FormProgress['filled']): readonly Prose[] =>
  form.flatMap(({ text }, index) => [
    ...markedLines([exactText(brief(text, 160))], nameMark),
    ...(filled === undefined ? [] : [answerLine(filled[index] ?? null)]),
  ])

/** The look over all answers before the agent gets them. */
const reviewOf = (
  form: Form,
  { filled }: FormProgress,
): { readonly lines: readonly Prose[]; readonly taps: readonly (readonly Tap[])[] } => {
  const fill = (act: string) => ({ act: 'fill' as const, words: tapWords(filled.length, act) })
  return form.length === 0
    ? { lines: [], taps: [[{ ...fill('send'), label: 'Yes' }]] }
    : {
        lines: formAnswers(form, filled),
        taps: [
          [
            { ...fill('send'), label: 'Send' },
            { ...fill('again'), label: 'Start again' },
          ],
        ],
      }
}

const headOf = (handle: string, { agent_id }: Question, form: Form, at: number): Prose => {
  const top = heading(handle, '')
  if (form.length > 1 && at >= form.length) return prose`${top} Your answers to ${agent_id}:`
  return form.length > 1
    ? prose`${top} ${agent_id} asks you (${at + 1} of ${form.length}):`
    : prose`${top} ${agent_id} asks you:`
}

const typedLines = (handle: string, field: FormField | undefined, form: Form): Prose => {
  const name = verbatim(handle)
  if (field === undefined)
    return form.length === 0
      ? prose`→ /answer ${name} send`
      : prose`→ /answer ${name} send\n→ /answer ${name} again`
  const { options, isMultiple, isOptional, takesWords } = field
  return proseLines(
    options.length > 0 && (isMultiple ? prose`→ /answer ${name} 1,2` : prose`→ /answer ${name} 1`),
    takesWords && prose`→ /answer ${name} <your words>`,
    isOptional && prose`→ /answer ${name} skip`,
    prose`do not answer:\n→ /n ${name}`,
  )
}

/** What the cards of questions are made of, and the words about their endings. */
export type AskPorts = Pick<CommandPorts, 'gate' | 'handle' | 'now' | 'person'>

/** The card of questions that an agent asks: one at a time, then all answers before they are sent. */
export const formCard = (
  question: Question,
  form: Form,
  place: CardPlace,
  cardButtons: Pick<CardButtons, 'under'>,
  ports: AskPorts,
  { more }: CardForm = {},
): Notice => {
  const { key, tool_input, cwd, by, why, untilMs, progress = noProgress } = question
  const handle = ports.handle(place.owner, place.address.chat_id, key)
  const field = nextField(form, progress)
  const { prompt } = tool_input
  const { lines, taps } = field === undefined ? reviewOf(form, progress) : fieldOf(field, progress)
  const others: readonly Tap[] = [
    { act: 'deny', label: 'Do not answer' },
    ...(question.canAskItself === true ? [{ act: 'leave' as const, label: 'At the terminal' }] : []),
  ]
  return {
    text: proseLines(
      headOf(handle, question, form, progress.filled.length),
      ...(typeof prompt === 'string' && prompt !== '' ? quoted(prompt, maxTextUnits) : []),
      ...lines,
      // A question of an agent in this chat needs no folder.
      question.address === undefined && prose`in ${exactName(cwd)}`,
      why !== '' &&
        (by === undefined ? prose`why: ${reasonProse(why)}` : prose`why: ${by}: ${reasonProse(why)}`),
      ...awayLines(question),
      prose`waits ${untilWords(untilMs, ports.now())}`,
      !place.canTap && typedLines(handle, field, form),
      more !== undefined && more,
    ),
    ...cardButtons.under(place, [...taps, others], { about: key }),
  }
}
