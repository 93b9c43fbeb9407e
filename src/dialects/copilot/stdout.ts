import type { JsonObject } from '../../model/base/json.ts'
import { answerIn, maxReasonChars, text } from '../reading/output.ts'

const maxProgress = 10

/** What stands on stdout beside lines that tell of progress. */
export interface Printed {
  /** All of it but those lines. */
  readonly rest: string
  /** `rest`, where it is one JSON object. */
  readonly json?: JsonObject
  /** What the progress lines say. */
  readonly notes: readonly string[]
}

/** The line as an object, if it can be one that tells of progress; most lines of a log cannot. */
const objectIn = (line: string): JsonObject | undefined =>
  line.includes('progress') ? answerIn(line) : undefined

/** Copilot takes lines `{"type": "progress", …}` out wherever they stand, and reads what is left as one. */
export const printed = (stdout: string): Printed => {
  const lines = stdout.split('\n').map((line) => ({ line, object: objectIn(line) }))
  const isProgress = ({ object }: (typeof lines)[number]): boolean => object?.['type'] === 'progress'
  const progress = lines
    .filter(isProgress)
    .flatMap(({ object }) => text(object?.['message'], maxReasonChars) ?? [])
  const others = lines.filter((one) => !isProgress(one))
  const rest = others.map(({ line }) => line).join('\n')
  const json = answerIn(rest)
  const notes = [
    ...progress.slice(0, maxProgress),
    ...(progress.length > maxProgress
      ? [`It told of its progress ${progress.length - maxProgress} more times.`]
      : []),
  ]
  return { rest, ...(json === undefined ? {} : { json }), notes }
}
