import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'

const mask = '[key]'

/** Removes the key from every text of a value, and from the names of fields. */
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

/** Returns how many of the last characters could be the start of the key. */
const tailOf = (text: string, key: string): number => {
  for (let length = Math.min(text.length, key.length - 1); length > 0; length--) {
    if (key.startsWith(text.slice(-length))) return length
  }
  return 0
}

/** One text field of a piece: `content` of a delta, or the arguments of a call. */
interface Slot {
  readonly holder: Record<string, Json>
  readonly field: string
}
const textIn = ({ holder, field }: Slot): string => {
  const text = holder[field]
  return typeof text === 'string' ? text : ''
}

/** The fields whose text continues in the next piece. Source: OpenAI, OpenRouter, DeepSeek and vLLM. */
const continuesInNextPiece = /^(?:content|text|refusal|arguments|summary|data|reasoning\w*)$/

/** Returns the text fields of a piece that continue in the next piece. `track` is the path of the field. */
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
      return continuesInNextPiece.test(field) ? [{ holder: value, field, track: `${track}.${field}` }] : []
    })
  }
  return inside(choices, '')
}

/**
 * When more pieces than this wait, the oldest are sent, so that a text that never ends cannot use memory for
 * ever.
 */
const maxWaiting = 200

/**
 * Removes the key from a stream of pieces, also where several pieces hold parts of it. A piece whose text
 * ends with the start of the key waits for the next piece. The returned function gives the pieces that can be
 * sent. `undefined` marks the end of the stream.
 */
export const createStreamMask = (key: string) => {
  const { object } = createMask(key)
  let waiting: JsonObject[] = []
  /** Maps each track to its last slots that could hold the start of the key. */
  const open = new Map<string, readonly Slot[]>()

  /** Removes a key that is spread over the slots. The first slot with a part of it gets the mask. */
  const maskKey = (slots: readonly Slot[]): void => {
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

  /** Keeps the slots that can still be a part of the key open, and drops the others. */
  const look = (track: string, slot: Slot): void => {
    const slots = [...(open.get(track) ?? []), slot]
    maskKey(slots)
    let needed = tailOf(slots.map(textIn).join(''), key)
    const openSlots: Slot[] = []
    for (const one of slots.toReversed()) {
      if (needed <= 0) break
      openSlots.unshift(one)
      needed -= textIn(one).length
    }
    if (openSlots.length === 0) open.delete(track)
    else open.set(track, openSlots)
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
