import { isObject, type JsonObject } from '../core/model/base/json.ts'
import { answerText, isQuestionTool, readForm, type Form, type FormAnswers } from '../shared/gate/form.ts'
import type { Fired, Step } from '../core/model/events/step.ts'
import type { Verdict } from '../core/model/hooks/verdict.ts'
import { toolOf } from './call.ts'

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

/** True for the call of a tool by which an agent asks a person. */
const isQuestion = ({ event }: Step, verdict: Verdict): boolean =>
  event === 'pre_tool_call' && isQuestionTool(toolOf(verdict))

/** The result of a step without the answers that an agent wrote itself. Only a person's may stand in it. */
export const withoutOwnAnswers = (step: Step, fired: Fired): Fired => {
  if (fired.kind === 'loop') return fired
  const { verdict } = fired
  const { tool_input: input } = verdict.payload
  const from = isQuestion(step, verdict) && isObject(input) ? input : undefined
  if (from !== undefined && Object.hasOwn(from, 'answers')) {
    const { answers: _, ...tool_input } = from
    return { kind: 'verdict', verdict: { ...verdict, payload: { ...verdict.payload, tool_input } } }
  }
  if (step.event !== 'on_user_input' || !Object.hasOwn(verdict.payload, 'answers')) return fired
  const { answers: _, ...payload } = verdict.payload
  return { kind: 'verdict', verdict: { ...verdict, payload } }
}

/** A model reads the answers, so they are texts. */
const inTexts = (answers: FormAnswers): JsonObject =>
  Object.fromEntries(Object.entries(answers).map(([name, value]) => [name, answerText(value)]))

const ofTool = ({ fields }: Step, verdict: Verdict): AskedForm | undefined => {
  const { tool_input: input } = verdict.payload
  const form = isObject(input) ? readForm(input) : undefined
  return form === undefined || !isObject(input)
    ? undefined
    : {
        form,
        asked: verdict,
        filled: (answers) => ({ ...fields, tool_input: { ...input, answers: inTexts(answers) } }),
        isCall: true,
      }
}

const ofInput = ({ fields }: Step, verdict: Verdict): AskedForm | undefined => {
  const { prompt = '', questions } = verdict.payload
  if (!Array.isArray(questions)) return undefined
  const form = questions.length === 0 ? [] : readForm({ questions })
  // One question is often said twice: as the prompt, too.
  const isSaid = form?.length === 1 && form[0]?.text === prompt
  const tool_input: JsonObject = isSaid ? { questions } : { prompt, questions }
  const payload = { ...verdict.payload, tool_name: 'ask_user', tool_input }
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
  if (isQuestion(step, verdict)) return ofTool(step, verdict)
  return step.event === 'on_user_input' ? ofInput(step, verdict) : undefined
}
