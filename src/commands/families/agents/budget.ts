import { refusal, type NoticeText } from '../../../core/model/chat/notice.ts'
import { joinProse, named, prose, verbatim, type Prose, proseLines } from '../../../core/model/chat/prose.ts'
import type { BudgetScope, BudgetUnit } from '../../../core/model/hooks/budget.ts'
import {
  budgetKeyOf,
  type AgentBudget,
  type BudgetExtension,
  type BudgetLine,
} from '../../../shared/hooks/budget.ts'
import type { CardButtons } from '../../cards/card-buttons.ts'
import { asHandle } from '../../find.ts'
import type { Command, CommandContext, CommandPorts } from '../../ports.ts'
import { labelWords } from '../../../shared/said/our-words.ts'

const maxTimes = 100
const maxShownAgents = 10

const scopeNames: Readonly<Record<BudgetScope, Prose>> = {
  turn: prose`this turn`,
  session: prose`this session`,
  day: prose`today`,
}

const unitNames: Readonly<Record<BudgetUnit, Prose>> = {
  tokens: prose`tokens`,
  dollars: prose`dollars`,
  steps: prose`steps`,
  minutes: prose`minutes`,
}

const amount = (value: number): Prose => verbatim(String(Math.round(value * 100) / 100))

const lineText = ({ scope, unit, used, limit, isSpent }: BudgetLine): Prose => {
  const [span, name] = [scopeNames[scope], unitNames[unit]]
  if (used === undefined) return prose`│ ✗ ${span}: the cost is not known, because no price is set`
  return isSpent
    ? prose`│ ✗ ${span}: ${amount(used)} of ${amount(limit)} ${name}, nothing left`
    : prose`│ ${span}: ${amount(used)} of ${amount(limit)} ${name}, ${amount(limit - used)} left`
}

const budgetText = ({ agent, hook, day, lines, hasNoTokens }: AgentBudget): Prose => {
  const countsTokens = lines.some(({ unit }) => unit === 'tokens' || unit === 'dollars')
  return proseLines(
    prose`${named(agent)} · ${labelWords(hook)} · ${verbatim(day)}`,
    ...lines.map(lineText),
    hasNoTokens &&
      countsTokens &&
      prose`${named(agent)} has reported no tokens so far. Only steps and minutes limit it.`,
  )
}

const isSpent = ({ lines }: AgentBudget): boolean => lines.some((line) => line.isSpent)

const unreadable = (): Prose =>
  prose`What was used before is not known, because the stored counts cannot be read. The budget blocks until you count anew.\n→ /budget extend`

export const budgetCommand = (ports: CommandPorts, cardButtons: CardButtons): Command => ({
  path: 'budget',
  usage: '/budget',
  summary: 'what agents have used, and what is left',
  need: 'owner',
  run: (_, context): NoticeText => {
    if (ports.budget.isUnreadable()) return unreadable()
    const all = ports.budget.state()
    if (all.length === 0)
      return prose`No budget has counted anything yet. The builtin budget in config/shell_hooks.yaml sets one, and you have to approve it.\n→ /hooks`
    const spent = all.find(isSpent)
    const place = cardButtons.place(context)
    return {
      text: joinProse(
        [
          ...all.slice(0, maxShownAgents).map(budgetText),
          spent !== undefined && !place.canTap && prose`→ /budget extend`,
        ],
        '\n\n',
      ),
      ...(spent === undefined
        ? {}
        : cardButtons.under(place, [['extend']], { about: budgetKeyOf(spent.agent) })),
    }
  },
})

/** The words behind `/budget extend`: an agent or the handle of its card, and a number. */
const readWords = (
  rest: string,
  ports: CommandPorts,
  { owner, address }: CommandContext,
): { readonly agent?: string; readonly times: number } | Prose => {
  const known = new Set(ports.budget.state().map(({ agent }) => agent))
  let [agent, times]: [string | undefined, number] = [undefined, 1]
  for (const word of rest.split(/\s+/).filter((one) => one !== '')) {
    const handle = asHandle(word)
    if (known.has(word)) agent = word
    else if (/^\d{1,3}$/.test(word)) times = Number(word)
    else if (handle !== undefined) {
      const resolved = ports.resolveHandle(owner, address.chat_id, handle)
      const key = 'why' in resolved ? '' : resolved.fingerprint
      agent = [...known].find((one) => budgetKeyOf(one) === key)
      if (agent === undefined) return prose`No budget has the handle ${handle}.\n→ /budget`
    } else return prose`No agent ${word.slice(0, 60)} has a budget.\n→ /budget`
  }
  if (times < 1 || times > maxTimes)
    return prose`A budget is extended 1 to ${maxTimes} times.\n→ /budget extend 2`
  return agent === undefined ? { times } : { agent, times }
}

const doneText = ({ agent, scopes, times }: BudgetExtension): Prose => {
  const spans = joinProse(
    scopes.map((scope) => scopeNames[scope]),
    ', ',
  )
  return times === 1
    ? prose`Extended: ${named(agent)} gets the limits of ${spans} once more.\n→ /budget`
    : prose`Extended: ${named(agent)} gets the limits of ${spans} ${times} more times.\n→ /budget`
}

export const extendBudgetCommand = (ports: CommandPorts): Command => ({
  path: 'budget extend',
  usage: '/budget extend [agent|handle] [n]',
  summary: 'add the spent limits once more, or n times',
  need: 'privileged',
  run: (rest, context): NoticeText => {
    if (ports.budget.isUnreadable()) {
      ports.budget.startAnew(context.owner)
      return prose`The budget counts anew from now on.\n→ /budget`
    }
    const read = readWords(rest, ports, context)
    if ('times' in read) {
      const spent = ports.budget.state().filter(isSpent)
      const agents = [...new Set(spent.map(({ agent }) => agent))]
      const agent = read.agent ?? (agents.length === 1 ? agents[0] : undefined)
      if (agent === undefined && agents.length > 1)
        return refusal(
          prose`Several agents have spent their budgets: ${joinProse(agents.map(named), ', ')}. Name one.\n→ /budget extend ${named(agents[0] ?? '')}`,
        )
      const done = agent === undefined ? undefined : ports.budget.extend(agent, read.times, context.owner)
      return done === undefined
        ? refusal(prose`Nothing was changed: no limit is spent that an extension could raise.\n→ /budget`)
        : doneText(done)
    }
    return refusal(read)
  },
})
