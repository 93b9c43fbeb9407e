import { isObject, parseJson, type Json, type JsonObject } from '../../model/base/json.ts'

/** What one call took, in tokens. */
export interface ModelUsage {
  readonly input_tokens: number
  readonly output_tokens: number
}

/** What an answer said, gathered while it goes by. */
export interface Gathered {
  /** The model's words, as `post_llm_call` has them. */
  readonly text: string
  /** All that came, its tools' arguments included, in characters. */
  readonly chars: number
  /** It began to answer, and did not only complain. */
  readonly isAnswer: boolean
  /** As the endpoint counts; absent: it did not say. */
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

/** Adds a piece of a stream, or a whole answer, to what was said before it. */
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
    ...(usage === undefined ? {} : { usage }),
  }
}

export const objectIn = (text: string): JsonObject | undefined => {
  const value = parseJson(text)
  return isObject(value) ? value : undefined
}

/**
 * The events of a stream as JSON objects. Comments, `[DONE]` and whatever is no object are left out: nothing
 * reaches the agent that was not read. Throws what `tooLong` makes where an event never ends.
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
    // A long line in small pieces is looked through once, when its end has come.
    const lines = text.includes('\n') ? rest.split(/\r?\n/) : [rest]
    rest = lines.pop() ?? ''
    for (const each of lines) {
      const event = line(each)
      if (event !== undefined) yield event
    }
    if (rest.length + data.length > maxEventUnits) throw tooLong()
  }
  // The last event may lack the empty line behind it.
  const last = line(rest) ?? line('')
  if (last !== undefined) yield last
}
