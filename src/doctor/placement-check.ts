import { fixed } from '../model/chat/prose.ts'
import type { Check } from './check.ts'

const asksModel = /(^|[/_-])(llm|gpt|judge|openai|claude)/i

/** A hook that asks a model must not stand before each model call: it would cost one more call each time, and can loop. */
export const placementCheck: Check = ({ hook: { entry } }) => {
  const isModel =
    entry.type === 'llm' ||
    asksModel.test(entry.command) ||
    Object.keys(entry.env).some((name) => /^(LLM|OPENAI)_/.test(name))
  return isModel && entry.event === 'pre_llm_call'
    ? [
        {
          level: 'bad',
          text: fixed(
            'It looks like a hook that asks a model, on pre_llm_call: each model call would cause another. Put it on another event.',
          ),
        },
      ]
    : []
}
