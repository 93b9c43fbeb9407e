import { isObject, type Json, type JsonObject } from '../../model/base/json.ts'

const mask = '[key]'

/** Takes the key out of every text of a value, names of fields included. */
export const createMask = (key: string) => {
  const text = (value: string): string => (key === '' ? value : value.replaceAll(key, mask))
  const json = (value: Json): Json => {
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) return value.map(json)
    return isObject(value) ? object(value) : value
  }
  const object = (value: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(value).map(([field, inner]) => [text(field), json(inner)]))
  return { text, object }
}

/** How many of its last characters could be the beginning of the key. */
const tailOf = (text: string, key: string): number => {
  for (let length = Math.min(text.length, key.length - 1); length > 0; length--) {
    if (key.startsWith(text.slice(-length))) return length
  }
  return 0
}

/** One text of a piece: `content` of a delta, or the arguments of a call. */
interface Slot {
  readonly holder: Record<string, Json>
  readonly field: string
}
const textIn = ({ holder, field }: Slot): string => {
  const text = holder[field]
  return typeof text === 'string' ? text : ''
}

/**
 * The fields whose text goes on from one piece to the next. Source: OpenAI, OpenRouter, DeepSeek and vLLM.
 */
const goesOn = /^(?:content|text|refusal|arguments|summary|data|reasoning\w*)$/

/** The texts of a piece that go on, each with the name of what it is a part of. */
const slotsOf = (piece: JsonObject): readonly (Slot & { readonly track: string })[] => {
  const choices: readonly Json[] = Array.isArray(piece['choices']) ? piece['choices'] : []
  const inside = (value: Json | undefined, track: string): readonly (Slot & { readonly track: string })[] => {
    if (Array.isArray(value)) {
      const nameOf = (item: Json, at: number): number =>
        isObject(item) && typeof item['index'] === 'number' ? item['index'] : at
      return value.flatMap((item: Json, at) => inside(item, `${track}.${nameOf(item, at)}`))
    }
    if (!isObject(value)) return []
    return Object.entries(value).flatMap(([field, inner]) => {
      if (typeof inner !== 'string') return inside(inner, `${track}.${field}`)
      return goesOn.test(field) ? [{ holder: value, field, track: `${track}.${field}` }] : []
    })
  }
  return inside(choices, '')
}

/** Beyond so many pieces that wait, the oldest go: none of them may keep memory for ever. */
const maxWaiting = 200

/**
 * Takes the key out of a stream of pieces, also where it is cut over several of them: a piece whose text ends
 * as the key begins waits for what comes next. Gives back the pieces that can go on. `undefined` is the end
 * of the stream.
 */
export const createStreamMask = (key: string) => {
  const { object } = createMask(key)
  let waiting: JsonObject[] = []
  /** Of each text the last slots, as far as they could be the beginning of the key. */
  const open = new Map<string, readonly Slot[]>()

  /** Takes a key that the slots hold together out of them: its first one bears the mask. */
  const takeOut = (slots: readonly Slot[]): void => {
    const at = slots.map(textIn).join('').indexOf(key)
    if (at === -1) return
    let from = 0
    let isMasked = false
    for (const slot of slots) {
      const text = textIn(slot)
      const [begin, end] = [Math.max(at - from, 0), Math.min(at + key.length - from, text.length)]
      from += text.length
      if (begin >= end || begin >= text.length) continue
      slot.holder[slot.field] = `${text.slice(0, begin)}${isMasked ? '' : mask}${text.slice(end)}`
      isMasked = true
    }
  }

  /** What goes on from here stays open; what cannot be a part of the key any more does not. */
  const look = (track: string, slot: Slot): void => {
    const slots = [...(open.get(track) ?? []), slot]
    takeOut(slots)
    let needed = tailOf(slots.map(textIn).join(''), key)
    const kept: Slot[] = []
    for (const one of slots.toReversed()) {
      if (needed <= 0) break
      kept.unshift(one)
      needed -= textIn(one).length
    }
    if (kept.length === 0) open.delete(track)
    else open.set(track, kept)
  }

  return (piece: JsonObject | undefined): readonly JsonObject[] => {
    if (piece !== undefined) {
      const own = object(piece)
      waiting.push(own)
      if (key !== '')
        for (const { track, ...slot } of slotsOf(own)) if (textIn(slot) !== '') look(track, slot)
    }
    if (piece !== undefined && open.size > 0 && waiting.length <= maxWaiting) return []
    const ready = waiting
    waiting = []
    open.clear()
    return ready
  }
}
