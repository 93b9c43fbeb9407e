import { nextField, noProgress, type FormMistake, type FormWord } from '../../../shared/gate/form.ts'
import { refusal, type Notice, type NoticeText } from '../../../core/model/chat/notice.ts'
import { prose, verbatim, type Prose } from '../../../core/model/chat/prose.ts'
import { fillMark, type Question } from '../../../shared/gate/permission.ts'
import { firstWord } from '../../../core/commands/parse.ts'
import type { Command, CommandContext, CommandPorts } from '../../ports.ts'
import { askForReply, speakerIn } from './ask-reply.ts'
import { overCard } from '../../cards/calls/over-card.ts'
import { answerAsk, findAsk, late } from './asks.ts'

/** Words that are an act of their own. A person who means them as an answer can write more words. */
const acts: Readonly<Record<string, Exclude<FormWord, { kind: 'option' | 'words' }>>> = {
  skip: { kind: 'skip' },
  done: { kind: 'done' },
  send: { kind: 'send' },
  again: { kind: 'again' },
}

const actNamed = (word: string): (typeof acts)[string] | undefined =>
  Object.hasOwn(acts, word) ? acts[word] : undefined

/** The act of a tap. hookgate made its words: `=2 option 1` names the field on the card and the act. */
const readTap = (words: string): { readonly at: number; readonly act: FormWord } | undefined => {
  const [, at = '', word = '', option = ''] = /^=(\d+) (\w+)(?: (\d+))?$/.exec(words) ?? []
  const act: FormWord | undefined =
    word === 'option' ? { kind: 'option', option: Number(option) } : actNamed(word)
  return act === undefined ? undefined : { at: Number(at), act }
}

/** The act of words that a person typed. */
const readTyped = (
  words: string,
  { form = [], progress = noProgress }: Pick<Question, 'form' | 'progress'>,
): FormWord => {
  const act = actNamed(words.toLowerCase())
  const field = nextField(form, progress)
  if (field === undefined) return act?.kind === 'again' ? act : { kind: 'send' }
  const isUseful =
    act?.kind === 'again' ||
    (act?.kind === 'skip' && field.isOptional) ||
    (act?.kind === 'done' && field.isMultiple)
  return isUseful ? act : { kind: 'words', words }
}

const whyNot: Readonly<Record<FormMistake, Prose>> = {
  option: prose`the answer has to be one of the options. Type its number.`,
  number: prose`the answer has to be a number.`,
  integer: prose`the answer has to be a whole number.`,
  empty: prose`the answer is empty.`,
  long: prose`the answer has more than 4000 characters.`,
  required: prose`this question needs an answer.`,
  over: prose`this question is answered already. Look at the card.`,
}

/** Asks for an answer in words. */
const askForWords = (key: string, handle: string, ports: CommandPorts, context: CommandContext): Notice => {
  const typed = prose`→ /answer ${verbatim(handle)} <your words>`
  const text = prose`Reply to this message with your answer. The agent gets it.\nOr type:\n${typed}`
  return askForReply(`${fillMark}${key}`, text, prose`Type this with your answer:\n${typed}`, ports, context)
}

/** `/answer <handle> <number or words>`: the answer to a question that an agent asks. */
export const answerCommand = (ports: CommandPorts): Command => ({
  path: 'answer',
  usage: '/answer <handle> <number or words>',
  summary: 'answer a question that an agent asks you',
  need: 'approver',
  run: (rest, context): NoticeText => {
    const { owner, message } = context
    const [typed, words] = firstWord(rest)
    const found = findAsk(typed, ports, context)
    if (found === undefined)
      return refusal(
        prose`Name the question: type /answer, the five characters at its top, and your answer.\n→ /asks`,
      )
    const { key, handle, question } = found
    if (question !== undefined && question.form === undefined)
      return refusal(
        prose`Nothing was changed: this card asks for a yes or a no.\n→ /y ${verbatim(handle)}\n→ /n ${verbatim(handle)}`,
      )
    const tap = message.press === undefined ? undefined : words
    if (question !== undefined && (words === '' || tap === '…'))
      return askForWords(key, handle, ports, context)
    if (tap === '=elsewhere') return answerAsk(key, { kind: 'elsewhere' }, ports, context)
    const read = tap === undefined ? { act: readTyped(words, question ?? {}) } : readTap(tap)
    const at = read !== undefined && 'at' in read ? read.at : undefined
    const done = read === undefined ? undefined : ports.asks.fill(key, read.act, speakerIn(context), at)
    if (done?.kind === 'wrong') return refusal(prose`Nothing was changed: ${whyNot[done.mistake]}`)
    // The card itself shows the next question.
    if (done?.kind === 'next') return []
    if (done?.kind !== 'sent') return refusal(late(done?.ending, owner, ports.gate().people))
    const said = overCard(done.question, done.ending, owner, ports)
    return message.press === undefined ? said : { ...said, replaces: message.press.on_message_id }
  },
})
