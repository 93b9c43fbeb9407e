import type { JsonObject } from '../model/json.ts'
import { maxReasonChars, parseObject, text } from './output.ts'

const maxProgress = 10
const maxObjects = 50

/** What stands on stdout beside lines that tell of progress. */
export interface Printed {
  /** All of it but those lines. */
  readonly rest: string
  /** `rest`, where it is one JSON object. */
  readonly json?: JsonObject
  /** Else: the lines of it that are one each. */
  readonly objects: readonly JsonObject[]
  /** What the progress lines say. */
  readonly notes: readonly string[]
}

/** The line as an object; most lines of a log are none, which shows at their first character. */
const objectIn = (line: string): JsonObject | undefined => (/^[\s\uFEFF]*\{/.test(line) ? parseObject(line) : undefined)

/** Copilot takes lines `{"type": "progress", …}` out wherever they stand, and reads what is left as one. */
export const printed = (stdout: string): Printed => {
  const lines = stdout.split('\n').map((line) => ({ line, object: objectIn(line) }))
  const isProgress = ({ object }: (typeof lines)[number]): boolean => object?.['type'] === 'progress'
  const progress = lines.filter(isProgress).flatMap(({ object }) => text(object?.['message'], maxReasonChars) ?? [])
  const others = lines.filter((one) => !isProgress(one))
  const rest = others.map(({ line }) => line).join('\n')
  const json = parseObject(rest)
  const notes = [...progress.slice(0, maxProgress), ...(progress.length > maxProgress ? [`It told of its progress ${progress.length - maxProgress} more times.`] : [])]
  if (json !== undefined) return { rest, json, objects: [], notes }
  // Its answer is the last thing that a hook prints.
  return { rest, objects: others.flatMap(({ object }) => (object === undefined ? [] : [object])).slice(-maxObjects), notes }
}
