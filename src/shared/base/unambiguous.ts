import { type JsonObject, readJson, isObject } from '../../core/model/base/json.ts'

/** Parses a JSON object of bounded size. Undefined for anything else, and for what `readJson` refuses. */
export const parseUnambiguous = (text: string): JsonObject | undefined => {
  try {
    const value = readJson(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
