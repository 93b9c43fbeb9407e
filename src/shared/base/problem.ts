import { type Json, isObject } from '../../core/model/base/json.ts'
import { messageOf, type Problem } from '../../core/model/gate/problem.ts'

/** The first sentence of an error of `parseArgs`, without its advice about words that begin with a dash. */
export const optionWords = (error: unknown): string =>
  `${messageOf(error).split('. ')[0]?.replace(/\.$/, '')}.`

/** Where a problem is: its file, line and column, as far as they are known. */
export const placeOf = ({ file, line, column }: Problem): string =>
  file === undefined
    ? ''
    : `${file}${line === undefined ? '' : `:${line}`}${column === undefined ? '' : `:${column}`}: `

export const formatProblem = (problem: Problem): string =>
  `${placeOf(problem)}${problem.message} ${problem.fix}`

/** The problem in the body of a refusal of the gate, with empty texts for what it lacks. Undefined: none. */
export const refusalIn = (body: Json | undefined): Pick<Problem, 'code' | 'message' | 'fix'> | undefined => {
  const error = isObject(body) ? body['error'] : undefined
  if (!isObject(error)) return undefined
  const text = (field: string): string => (typeof error[field] === 'string' ? error[field] : '')
  return { code: text('code'), message: text('message'), fix: text('fix') }
}
