import type { JsonObject } from '../../model/base/json.ts'

const maxChars = 500

/** Describes the expected args of `ask_owner`. Undefined when they fit. */
export const askFlaw = (args: readonly string[]): string | undefined =>
  args.length === 1 && args[0] !== undefined && args[0].trim() !== '' && args[0].length <= maxChars
    ? undefined
    : `one text of at most ${maxChars} characters, which the owner reads`

/** Asks the owner about whatever its matcher lets through. The argument is the reason. */
export const askBuiltin = ([reason = '']: readonly string[]): JsonObject => ({ decision: 'ask', reason })
