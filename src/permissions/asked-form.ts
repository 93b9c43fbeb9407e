import { isObject, type JsonObject } from '../model/base/json.ts'
import { answerText, readForm, type Form, type FormAnswers } from '../model/gate/form.ts'
import type { Step } from '../model/events/step.ts'
import type { Verdict } from '../model/hooks/verdict.ts'
import { toolOf } from './call.ts'

/** The tools by which agents ask a person. The first is the name for those of all clients. */
const questionTools: readonly string[] = ['ask_user', 'ask_person']

/** A call of a question tool. A yes or a no is no answer to it. */
export const isQuestionTool = (verdict: Verdict): boolean => questionTools.includes(toolOf(verdict))

/** The questions of a step. */
export interface AskedForm {
  readonly form: Form
  /** The event with the questions, as hooks settled it. */
  readonly asked: Verdict
  /** The fields of the event with the answers. */
  filled(answers: FormAnswers): JsonObject
  /** The answers are arguments of a call, so the call is judged once more with them. */
  readonly isCall: boolean
}

/** Only a person's answers may stand in a call, never those that an agent wrote. */
const withoutAnswers = (input: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(input).filter(([name]) => name !== 'answers'))

/** A model reads the answers, so they are texts. */
const inTexts = (answers: FormAnswers): JsonObject =>
  Object.fromEntries(Object.entries(answers).map(([name, value]) => [name, answerText(value)]))

const ofTool = ({ fields }: Step, verdict: Verdict): AskedForm | undefined => {
  const { tool_input } = verdict.payload
  if (!isQuestionTool(verdict) || !isObject(tool_input)) return undefined
  const input = withoutAnswers(tool_input)
  const form = readForm(input)
  return form === undefined
    ? undefined
    : {
        form,
        asked: { ...verdict, payload: { ...verdict.payload, tool_input: input } },
        filled: (answers) => ({ ...fields, tool_input: { ...input, answers: inTexts(answers) } }),
        isCall: true,
      }
}

const ofInput = ({ fields }: Step, verdict: Verdict): AskedForm | undefined => {
  const { prompt = '', questions } = verdict.payload
  if (!Array.isArray(questions)) return undefined
  const form = questions.length === 0 ? [] : readForm({ questions })
  const payload = { ...verdict.payload, tool_name: 'ask_user', tool_input: { prompt, questions } }
  return form === undefined
    ? undefined
    : {
        form,
        asked: { ...verdict, payload },
        filled: (answers) => ({ ...fields, answers: { ...answers } }),
        isCall: false,
      }
}

/**
 * The questions that a step puts to a person: those of a question tool, or those with which the agent waits.
 * Undefined: the step asks nothing that a person could answer on a card.
 */
export const formAskedBy = (step: Step, verdict: Verdict): AskedForm | undefined => {
  if (verdict.verdict === 'block') return undefined
  if (step.event === 'pre_tool_call') return ofTool(step, verdict)
  return step.event === 'on_user_input' ? ofInput(step, verdict) : undefined
}
