import type { JsonObject } from '../../core/model/base/json.ts'
import { answerIn, maxReasonChars, text } from '../reading/output.ts'

const maxProgress = 10

/** The contents of stdout, with the progress lines taken out. */
export interface Printed {
  /** The text without the progress lines. */
  readonly rest: string
  /** The parsed `rest`, if it is one JSON object. */
  readonly json?: JsonObject
  /** The messages of the progress lines. */
  readonly notes: readonly string[]
}

/** Parses a line if it can be a progress line. Most lines of a log cannot be one. */
const objectIn = (line: string): JsonObject | undefined =>
  line.includes('progress') ? answerIn(line) : undefined

/**
 * Splits stdout as Copilot does: it takes out the lines `{"type": "progress", …}` wherever they stand, and
 * reads the rest as one answer.
 */
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
  return { rest, json, notes }
}
