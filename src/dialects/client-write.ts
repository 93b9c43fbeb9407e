import type { ClientName, Ruled } from '../shared/gate/client.ts'
import { isObject, type JsonObject } from '../core/model/base/json.ts'
import { denial, isGoOn } from './gates.ts'
import { changedSince, type IsChanged } from './reading/fields.ts'
import { toNative, type ToolNaming } from './tools.ts'

/** The common parts of the writers of clients. */

/** The parts of an answer in Claude Code's form. */
export interface Reply {
  readonly top?: JsonObject
  /** The fields of `hookSpecificOutput`. */
  readonly inner?: JsonObject
  /** Texts for the person. */
  readonly notes?: readonly string[]
}

/** Returns an answer with fields. */
export const unlessEmpty = (answer: JsonObject): JsonObject | undefined =>
  Object.keys(answer).length === 0 ? undefined : answer

export const replyOf = (name: string, { top, inner = {}, notes = [] }: Reply): JsonObject | undefined => {
  const message = notes.join('\n')
  return unlessEmpty({
    ...top,
    ...(message === '' ? {} : { systemMessage: message }),
    ...(unlessEmpty(inner) === undefined ? {} : { hookSpecificOutput: { hookEventName: name, ...inner } }),
  })
}

export const joined = (...texts: readonly string[]): string =>
  texts.filter((text) => text !== '').join('\n\n')

/**
 * Returns a new tool result for clients that take it in the field of a reason. Such a client ignores an empty
 * reason.
 */
export const resultOf = (...texts: readonly string[]): string =>
  texts.join('').trim() === '' ? '(empty)' : joined(...texts)

/**
 * Returns the reason of a refusal. A question is written as a refusal, because no client can be trusted to
 * ask it.
 */
export const whyOf = ({ verdict, reason }: Pick<Ruled, 'verdict' | 'reason'>): string => {
  const why =
    reason === undefined || reason.trim() === ''
      ? verdict === 'allow'
        ? 'a hook ended the turn'
        : 'blocked by hook'
      : reason
  return verdict === 'ask' ? `a person has to approve this first: ${why}` : why
}

/**
 * Returns whether the step is refused. If a client cannot end a turn before a tool, it is at least told not
 * to run the tool.
 */
export const isRefused = ({ verdict, stopsTurn, payload: { event } }: Ruled): boolean =>
  verdict !== 'allow' || (stopsTurn === true && event === 'pre_tool_call')

/**
 * Returns a refusal in the client's words. At the end of a turn it makes the agent go on and tells it the
 * contexts, too; if the turn ends, the agent may stop.
 */
export const refusalOf = (
  client: ClientName,
  name: string,
  { contexts, stopsTurn }: Ruled,
  why: string,
): JsonObject | undefined =>
  isGoOn(client, name)
    ? stopsTurn === true
      ? undefined
      : denial(client, name, joined(why, ...contexts))
    : denial(client, name, why)

/**
 * Returns all arguments of the settled call under the client's own names. The client would drop arguments
 * that are left out.
 */
export const inputOf = (
  speaker: ToolNaming,
  { payload: { tool_name: name, tool_input: input } }: Ruled,
): JsonObject | undefined => {
  const native =
    typeof name === 'string' && isObject(input) ? toNative(speaker, { name, input }).input : undefined
  return isObject(native) ? native : undefined
}

export const noRewrite = (title: string, input: JsonObject): string =>
  `A hook changed this call, and ${title} cannot take that over. Make it again with these arguments: ${JSON.stringify(input)}`

/** What hooks left of a step. Where it is not known what the client reported, the settled values count. */
export interface Settled {
  readonly isChanged: IsChanged
  /** The arguments of the call in the client's words. Undefined: no hook changed them. */
  readonly input: JsonObject | undefined
  /** The new result of the tool. Undefined: no hook changed it. */
  readonly result: string | undefined
  /** What hooks want the model to know. */
  readonly context: string
  /**
   * The refusal of a message that hooks rewrote, for a client that cannot rewrite one. It names the text that
   * would pass. The original message must not pass, because hooks did not allow it.
   */
  readonly noPrompt: string | undefined
}

export const settledOf = (
  { speaker, title }: { readonly speaker: ToolNaming; readonly title: string },
  ruled: Ruled,
  asked: JsonObject | undefined,
): Settled => {
  const { event, message, tool_result: result } = ruled.payload
  const isChanged = changedSince(asked, ruled.payload)
  const isRewritten = event === 'on_user_message' && isChanged('message') === true
  return {
    isChanged,
    input: isChanged('tool_input') === false ? undefined : inputOf(speaker, ruled),
    result: typeof result === 'string' && isChanged('tool_result') !== false ? result : undefined,
    context: joined(...ruled.contexts),
    noPrompt:
      isRewritten && typeof message === 'string'
        ? `A hook rewrote this message, and ${title} cannot replace one. As it would be let through: ${message}`
        : undefined,
  }
}
