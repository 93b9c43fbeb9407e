import { refusal, type Notice, type NoticeText } from '../../../core/model/chat/notice.ts'
import { prose, verbatim, type Prose, proseLines } from '../../../core/model/chat/prose.ts'
import { editMark, type PersonChange, type Question } from '../../../shared/gate/permission.ts'
import { argumentLines } from '../../cards/calls/arguments.ts'
import { canEdit, editField } from '../../cards/calls/editable.ts'
import { exactName } from '../../cards/exact.ts'
import { hiddenRefusal } from '../../cards/hidden.ts'
import { firstWord } from '../../../core/commands/parse.ts'
import type { Command, CommandContext, CommandPorts } from '../../ports.ts'
import { askForReply } from './ask-reply.ts'
import { answerAsk, findAsk } from './asks.ts'

/** The longest new text of an argument, in UTF-16 units. */
const maxTextUnits = 10_000

const typedWay = (handle: string): Prose => prose`→ /edit ${verbatim(handle)} <new text>`

/** Asks for the new text. */
const askForText = (
  { key, tool_input }: Question,
  field: string,
  handle: string,
  ports: CommandPorts,
  context: CommandContext,
): Notice => {
  const typed = typedWay(handle)
  const { lines } = argumentLines({ [field]: tool_input[field] ?? '' })
  const text = proseLines(
    prose`Reply to this message with the new ${exactName(field)}. The call runs with it, unless a hook blocks it. Now it is:`,
    ...lines,
    prose`Or type:\n${typed}`,
  )
  return askForReply(`${editMark}${key}`, text, prose`Type this with the new text:\n${typed}`, ports, context)
}

/** The new text as the call gets it, or the reason why it cannot. */
const changeOf = (field: string, typed: string): PersonChange | Prose => {
  const text = typed.toWellFormed()
  if (text.length > maxTextUnits)
    return prose`Nothing was changed: the new text has ${text.length} characters, and at most ${maxTextUnits} are possible.`
  return { field, text }
}

/** `/edit <handle> <new text>`: yes to a tool call, with another text in the place of its main argument. */
export const editCommand = (ports: CommandPorts): Command => ({
  path: 'edit',
  usage: '/edit <handle> <new text>',
  summary: 'let a tool run with another command or text',
  need: 'privileged',
  run: (rest, context): NoticeText => {
    const [typed, text] = firstWord(rest)
    const found = findAsk(typed, ports, context)
    if (found === undefined)
      return refusal(
        prose`Name the card: type /edit, the five characters at its top, and the new text.\n→ /asks`,
      )
    if (found.hiddenBy !== undefined) return hiddenRefusal(found.hiddenBy)
    const { question, key, handle } = found
    const field = question === undefined ? undefined : editField(question.tool_input)
    if (question !== undefined && (field === undefined || !canEdit(question)))
      return refusal(
        prose`Nothing was changed: this call cannot be changed. Allow it, or deny it with a reason.`,
      )
    if (question !== undefined && field !== undefined && text === '')
      return askForText(question, field, handle, ports, context)
    const change = changeOf(field ?? '', text)
    return 'field' in change ? answerAsk(key, { kind: 'edit', ...change }, ports, context) : refusal(change)
  },
})
