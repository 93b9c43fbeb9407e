import { isObject, parseJson, type Json, type JsonObject } from '../../core/model/base/json.ts'

/** The tokens that one call used. */
export interface ModelUsage {
  readonly input_tokens: number
  readonly output_tokens: number
}

/** The content of an answer, collected while it passes through. */
export interface Gathered {
  /** The text of the model, as in `post_llm_call`. */
  readonly text: string
  /** The length of everything received, with the arguments of tools, in characters. */
  readonly chars: number
  /** True when the endpoint started an answer, and did not only send an error. */
  readonly isAnswer: boolean
  /** The usage that the endpoint reported. Absent: it reported none. */
  readonly usage?: ModelUsage
}

const objects = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter((item: Json) => isObject(item)) : []
const count = (value: Json | undefined): number =>
  typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : 0

const usageIn = (piece: JsonObject): ModelUsage | undefined => {
  const usage = piece['usage']
  return isObject(usage)
    ? { input_tokens: count(usage['prompt_tokens']), output_tokens: count(usage['completion_tokens']) }
    : undefined
}

export const nothingYet: Gathered = { text: '', chars: 0, isAnswer: false }

/** Adds a piece of a stream, or a whole answer, to the content collected before it. */
export const gather = (before: Gathered, piece: JsonObject): Gathered => {
  const said = objects(piece['choices']).map(({ delta, message }) =>
    isObject(delta) ? delta : isObject(message) ? message : {},
  )
  const texts = said.flatMap(({ content }) => (typeof content === 'string' ? [content] : []))
  const usage = usageIn(piece) ?? before.usage
  return {
    text: before.text + texts.join(''),
    chars: before.chars + (said.length === 0 ? 0 : JSON.stringify(said).length),
    isAnswer: before.isAnswer || said.length > 0,
    usage,
  }
}

export const objectIn = (text: string): JsonObject | undefined => {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}

/**
 * Yields the events of a stream as JSON objects. Comments, `[DONE]` and everything that is not an object are
 * dropped, so that the agent receives nothing that was not parsed. Throws the error of `tooLong` when an
 * event never ends.
 */
export const eventsOf = async function* (
  body: AsyncIterable<Uint8Array>,
  maxEventUnits: number,
  tooLong: () => Error,
): AsyncGenerator<JsonObject> {
  const decoder = new TextDecoder()
  let [rest, data] = ['', '']
  const line = (text: string): JsonObject | undefined => {
    if (text.startsWith('data:')) data += `${data === '' ? '' : '\n'}${text.slice(5).trimStart()}`
    if (text !== '') return undefined
    const event = objectIn(data)
    data = ''
    return event
  }
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true })
    rest += text
    // A long line that comes in small pieces is split only once, when its end has come.
    const lines = text.includes('\n') ? rest.split(/\r?\n/) : [rest]
    rest = lines.pop() ?? ''
    for (const each of lines) {
      const event = line(each)
      if (event !== undefined) yield event
    }
    if (rest.length + data.length > maxEventUnits) throw tooLong()
  }
  // The last event may lack the empty line after it.
  const last = line(rest) ?? line('')
  if (last !== undefined) yield last
}
