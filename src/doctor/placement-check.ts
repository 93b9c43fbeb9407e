import { prose } from '../core/model/chat/prose.ts'
import { bad, type Check } from './check.ts'

const asksModel = /(^|[/_-])(llm|gpt|judge|openai|claude)/i

/**
 * Warns about a hook on pre_llm_call that asks a model. It would cost one more call for each model call, and
 * it could loop.
 */
export const placementCheck: Check = ({ hook: { entry } }) => {
  const isModel =
    entry.type === 'llm' ||
    asksModel.test(entry.command) ||
    Object.keys(entry.env).some((name) => /^(LLM|OPENAI)_/.test(name))
  return isModel && entry.event === 'pre_llm_call'
    ? [
        bad(
          prose`This hook seems to ask a model on pre_llm_call, so each model call would cause another one. Move it to another event.`,
        ),
      ]
    : []
}
