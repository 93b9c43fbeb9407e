import type { Ending, Question } from '../../../shared/gate/permission.ts'
import type { Notice } from '../../../core/model/chat/notice.ts'
import { prose, verbatim, type Prose, proseLines } from '../../../core/model/chat/prose.ts'
import { roleGives, type Person } from '../../../core/model/gate/person.ts'
import { nameOfId } from '../people.ts'
import { argumentLines } from './arguments.ts'
import { callerWords } from './call-card.ts'
import { formAnswers, type AskPorts } from './form-card.ts'

/** The ending of a question, for the owner who reads it. */
export const endWords = (ending: Ending, reader: string, people: readonly Person[]): Prose => {
  switch (ending.kind) {
    case 'once':
      return ending.by === reader
        ? prose`Allowed once by you`
        : prose`Allowed once by ${nameOfId(ending.by, people)}`
    case 'session':
      return ending.by === reader
        ? prose`Allowed by you for this session, with exactly these arguments`
        : prose`Allowed for its session by ${nameOfId(ending.by, people)}`
    case 'edit':
      return ending.by === reader
        ? prose`Allowed with your change`
        : prose`Allowed with a change by ${nameOfId(ending.by, people)}`
    case 'form':
      return ending.by === reader ? prose`Answered by you` : prose`Answered by ${nameOfId(ending.by, people)}`
    case 'elsewhere':
      return ending.by === reader
        ? prose`Left to the terminal by you`
        : prose`Left to the terminal by ${nameOfId(ending.by, people)}`
    case 'deny':
      if (ending.isStop === true)
        return ending.by === reader
          ? prose`Denied by you, and the agent is stopped`
          : prose`Denied by ${nameOfId(ending.by, people)}, and the agent is stopped`
      if (ending.by !== reader) return prose`Denied by ${nameOfId(ending.by, people)}`
      return ending.words === '' ? prose`Denied by you` : prose`Denied, with your reason`
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
const laterWords = ({ agent_id, parked, isCallerAway, address }: Question, ending: Ending): Prose | false => {
  if (!('by' in ending)) return false
  if (parked !== undefined) return prose`The answer counts when it is resumed:\n${parked.command}`
  if (isCallerAway !== true) return false
  // An agent of a chat ended with the gate. It goes on when somebody writes to it.
  return address === undefined
    ? prose`The answer counts when ${agent_id} asks again.`
    : prose`The answer counts when ${agent_id} asks again. Write to it that it should go on.`
}

/** The way to the record of the question, for those who may read it. */
const whyWay = (reader: string, event_id: string, { person }: AskPorts): Prose | false => {
  const role = person(reader)?.role
  return (role === undefined || roleGives(role, 'viewer')) && prose`→ /hooks why ${verbatim(event_id)}`
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

/** What takes the place of the cards of a question that has ended: how it ended, and what it was about. */
export const overCard = (question: Question, ending: Ending, reader: string, ports: AskPorts): Notice => {
  const { agent_id, form, event_id } = question
  const { people } = ports.gate()
  const filled =
    form !== undefined && ending.kind === 'form'
      ? form.map(({ name }) => ending.answers[name] ?? null)
      : undefined
  const tool_input = ending.kind === 'edit' ? { [ending.field]: ending.text } : question.tool_input
  const about =
    form === undefined
      ? [
          prose`${endWords(ending, reader, people)}.`,
          ...argumentLines(tool_input).lines,
          callerWords(question),
        ]
      : [prose`${unansweredWords(ending, reader, people)}. ${agent_id} asked:`, ...formAnswers(form, filled)]
  return {
    text: proseLines(...about, laterWords(question, ending), whyWay(reader, event_id, ports)),
    isPinned: false,
  }
}
