import { budgetAgentOf, budgetKeyOf } from '../../../model/hooks/budget.ts'
import type { BlockedStep } from '../../../model/events/blocked-step.ts'
import type { EventName } from '../../../model/events/event.ts'
import type { Notice } from '../../../model/chat/notice.ts'
import { fixed, joinProse, named, prose, type Prose, verbatim } from '../../../model/chat/prose.ts'
import type { Address } from '../../../model/chat/push.ts'
import type { CardButtons } from '../card-buttons.ts'
import { brief, oneLine, shorten } from '../../words.ts'

const maxNameUnits = 60
/** The length of the arguments that a notice shows, in UTF-16 units. */
const maxArgumentUnits = 160
const maxBriefUnits = 60

const nameOf = ({ name = '' }: BlockedStep): Prose => named(shorten(oneLine(name), maxNameUnits))

/** What was blocked, as one line. */
const heads: { readonly [event in EventName]?: (agent: Prose, name: Prose) => Prose } = {
  pre_tool_call: (agent, name) => prose`Blocked: ${agent}’s call of ${name}.`,
  on_permission_request: (agent, name) => prose`Refused: ${agent} may not use ${name}.`,
  pre_llm_call: (agent) => prose`Blocked: ${agent} did not ask its model.`,
  on_user_message: (agent) => prose`Blocked: a message did not reach ${agent}.`,
  on_session_start: (agent) => prose`Blocked: ${agent} did not start a session.`,
  on_completion_claim: (agent) => prose`Refused: ${agent} claimed that its task is done. It works on.`,
  on_subagent_start: (agent, name) => prose`Blocked: ${agent} did not start the subagent ${name}.`,
  pre_compact: (agent) => prose`Blocked: ${agent} did not shorten its conversation.`,
}

const headOf = (block: BlockedStep): Prose => {
  const { event, isOver, name } = block
  const agent = named(block.agent_id)
  if (isOver)
    return name === undefined
      ? prose`Stopped: ${agent} ends its turn here.`
      : prose`Stopped: ${agent} ends its turn after ${nameOf(block)}.`
  return heads[event]?.(agent, nameOf(block)) ?? prose`Blocked: a step of ${agent} (${verbatim(event)}).`
}

type BlockButtons = Pick<CardButtons, 'under' | 'placeOf'>

/** Makes the notices about blocked steps, each for one owner's own chat. */
export const createBlockNotices = (
  cardButtons: BlockButtons,
  isBudget: (fingerprint: string) => boolean,
) => ({
  /** One blocked step: the tool with its arguments, the hook and its reason. */
  one: (block: BlockedStep, chat: Address): Notice => {
    const { argument, by, why, event_id, fingerprint, agent_id } = block
    const place = cardButtons.placeOf(chat)
    const text = joinProse(
      [
        headOf(block),
        ...(argument === undefined ? [] : [prose`│ ${shorten(argument, maxArgumentUnits)}`]),
        prose`${named(by)}: ${why}`,
        ...(place.canTap ? [] : [prose`→ /hooks why ${verbatim(event_id)}`]),
      ],
      '\n',
    )
    const { buttons = [] } = cardButtons.under(place, [['why']], { about: event_id })
    const { buttons: more = [] } =
      fingerprint !== undefined && isBudget(fingerprint)
        ? cardButtons.under(place, [['extend']], { about: budgetKeyOf(budgetAgentOf(agent_id)), above: text })
        : {}
    return { text, ...(place.canTap ? { buttons: [...more, ...buttons] } : {}) }
  },

  /** Several blocked steps of a burst. The history has the reasons. */
  more: (last: readonly BlockedStep[], count: number, chat: Address): Notice => {
    const place = cardButtons.placeOf(chat)
    const agent = named(last.at(-1)?.agent_id ?? '')
    const newest = last.at(-1)
    const lines = last.map((block) => {
      const argument = block.argument === undefined ? [] : prose` ${brief(block.argument, maxBriefUnits)}`
      const step = block.name === undefined ? verbatim(block.event) : nameOf(block)
      return prose`│ ${step}${argument} · ${named(block.by)}`
    })
    return {
      text: joinProse(
        [
          count === 1
            ? prose`1 more step of ${agent} was blocked.`
            : prose`${count} more steps of ${agent} were blocked.`,
          ...(count > last.length ? [fixed('The last ones:')] : []),
          ...lines,
          fixed('→ /hooks log blocked'),
        ],
        '\n',
      ),
      ...cardButtons.under(place, [['why']], newest === undefined ? {} : { about: newest.event_id }),
    }
  },
})
