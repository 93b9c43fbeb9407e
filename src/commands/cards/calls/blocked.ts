import { reasonProse } from '../../../shared/hooks/guard-words.ts'
import { budgetAgentOf, budgetKeyOf } from '../../../shared/hooks/budget.ts'
import type { BlockedStep } from '../../../shared/events/blocked-step.ts'
import type { EventName } from '../../../core/model/events/event.ts'
import type { Notice } from '../../../core/model/chat/notice.ts'
import { named, prose, type Prose, verbatim, proseLines } from '../../../core/model/chat/prose.ts'
import type { Address } from '../../../core/model/chat/push.ts'
import type { CardButtons, CardPlace } from '../card-buttons.ts'
import { briefWords, oneLine, shorten } from '../../words.ts'
import { labelWords } from '../../../shared/said/our-words.ts'

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
export const createBlockNotices = (cardButtons: BlockButtons, isBudget: (fingerprint: string) => boolean) => {
  /** A spent budget can be extended where it is told. */
  const extend = (
    place: CardPlace,
    { fingerprint, agent_id }: Pick<BlockedStep, 'fingerprint' | 'agent_id'>,
    text: Prose,
  ): NonNullable<Notice['buttons']> =>
    fingerprint !== undefined && isBudget(fingerprint)
      ? (cardButtons.under(place, [['extend']], { about: budgetKeyOf(budgetAgentOf(agent_id)), above: text })
          .buttons ?? [])
      : []

  /** One blocked step: the tool with its arguments, the hook and its reason. */
  const one = (block: BlockedStep, chat: Address): Notice => {
    const { argument, by, why, event_id } = block
    const place = cardButtons.placeOf(chat)
    const text = proseLines(
      headOf(block),
      argument !== undefined && prose`│ ${shorten(argument, maxArgumentUnits)}`,
      prose`${labelWords(by)}: ${reasonProse(why)}`,
      !place.canTap && prose`→ /hooks why ${verbatim(event_id)}`,
    )
    const { buttons = [] } = cardButtons.under(place, [['why']], { about: event_id })
    return { text, ...(place.canTap ? { buttons: [...extend(place, block, text), ...buttons] } : {}) }
  }

  /** What was blocked in a burst beside the first step. The history has the reasons. */
  const more = (last: readonly BlockedStep[], count: number, chat: Address): Notice => {
    const newest = last.at(-1)
    if (newest !== undefined && count === 1) return one(newest, chat)
    const place = cardButtons.placeOf(chat)
    const agent = named(newest?.agent_id ?? '')
    const lines = last.map((block) => {
      const argument =
        block.argument === undefined ? [] : prose` ${briefWords(block.argument, maxBriefUnits)}`
      const step = block.name === undefined ? verbatim(block.event) : nameOf(block)
      return prose`│ ${step}${argument} · ${labelWords(block.by)}`
    })
    const text = proseLines(
      prose`${count} more steps of ${agent} were blocked.`,
      count > last.length && prose`The last ones:`,
      ...lines,
      prose`→ /hooks log blocked`,
    )
    const { buttons = [] } = cardButtons.under(place, [['why']], { about: newest?.event_id })
    const budget = last.findLast(({ fingerprint }) => fingerprint !== undefined && isBudget(fingerprint))
    const ways = [...(budget === undefined ? [] : extend(place, budget, text)), ...buttons]
    return { text, ...(ways.length === 0 ? {} : { buttons: ways }) }
  }

  return { one, more }
}
