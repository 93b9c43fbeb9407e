import type { Consent } from '../../../core/model/gate/consent.ts'
import type { ListedHook } from '../../../shared/gate/catalogue.ts'
import { refusal, saidAfter, type Notice, type NoticeText } from '../../../core/model/chat/notice.ts'
import { joinProse, prose, type Prose, verbatim, proseLines } from '../../../core/model/chat/prose.ts'
import type { Entry } from '../../../core/model/hooks/entry.ts'
import { PROTECTION, type ShippedGuard, type GuardName } from '../../../shared/hooks/protection.ts'
import { optionLines } from '../../cards/binding.ts'
import type { CardButtons, CardPlace, Tap } from '../../cards/card-buttons.ts'
import { isWaiting } from '../../cards/row.ts'
import { switchLine } from '../list.ts'
import { optionsOf } from './shipped.ts'
import { foldTypography } from '../../../core/commands/parse.ts'
import type { Command, CommandPorts } from '../../ports.ts'
import { flip } from '../switch.ts'
import { ourWords, problemWords } from '../../../shared/said/our-words.ts'

/** What the protection is read from. */
type ProtectionPorts = Pick<CommandPorts, 'approved' | 'gate' | 'now' | 'rows'>

/** What each guard does, in words for somebody who knows no hook. */
const words: Readonly<Record<GuardName, { readonly title: Prose; readonly effect: Prose }>> = {
  secrets: {
    title: prose`Secrets do not leave`,
    effect: prose`Keys, passwords, tokens and seed phrases are taken out of what the agent sends.`,
  },
  commands: {
    title: prose`Commands that destroy or leak ask you first`,
    effect: prose`You see what would happen, and the command waits for your yes. The worst are refused.`,
  },
  claims: {
    title: prose`A false “done” is refused`,
    effect: prose`The agent cannot say that something is published when no tool of it did that.`,
  },
}

/** The buttons that switch one guard. */
const switches: Readonly<Record<GuardName, Readonly<Record<'on' | 'off', Extract<Tap, object>>>>> = {
  secrets: {
    on: { act: 'run', label: 'Keep secrets here', words: '/hooks protect secrets on' },
    off: { act: 'run', label: 'Let secrets leave', words: '/hooks protect secrets off' },
  },
  commands: {
    on: { act: 'run', label: 'Guard commands', words: '/hooks protect commands on' },
    off: { act: 'run', label: 'Do not guard commands', words: '/hooks protect commands off' },
  },
  claims: {
    on: { act: 'run', label: 'Check claims', words: '/hooks protect claims on' },
    off: { act: 'run', label: 'Do not check claims', words: '/hooks protect claims off' },
  },
}

/** A guard of the protection as it stands. */
export interface Standing extends ShippedGuard {
  readonly title: Prose
  readonly effect: Prose
  /** The approvals in force that are this guard. Empty: it is not approved. */
  readonly approved: readonly string[]
  /** The proposals of files that are this guard and wait. */
  readonly waiting: readonly ListedHook[]
}

/** The guards, each with its approvals and proposals. */
export const standingGuards = (
  rows: readonly ListedHook[],
  ports: Pick<ProtectionPorts, 'approved'>,
): readonly Standing[] =>
  PROTECTION.map((guard) => {
    const key = optionsOf(guard.entry)
    const isSame = (entry: Entry | undefined): boolean => entry !== undefined && optionsOf(entry) === key
    return {
      ...guard,
      ...words[guard.name],
      approved: rows.flatMap(({ live, isShadow }) =>
        live !== undefined && isShadow !== true && isSame(ports.approved(live)?.entry) ? [live] : [],
      ),
      waiting: rows.filter((row) => isWaiting(row) && isSame(row.entry)),
    }
  })

/** True when the files propose a guard that is not approved, as those of a fresh gate do. */
export const isProtectionProposed = (guards: readonly Standing[]): boolean =>
  guards.some(({ approved, waiting }) => approved.length === 0 && waiting.length > 0)

const guardLine = ({ title, approved }: Standing): Prose =>
  prose`${verbatim(approved.length > 0 ? '✓' : '✗')} ${title}`

/**
 * What the tap does with the switch, and how many other hooks that lets fire. Undefined: everything is on, so
 * there is no tap.
 */
export const tapEffect = (
  rows: readonly ListedHook[],
  guards: readonly Standing[],
  isOn: boolean,
): Prose | undefined => {
  if (isOn)
    return guards.every(({ approved }) => approved.length > 0)
      ? undefined
      : prose`They fire from the next event.`
  const own = new Set(guards.flatMap(({ approved }) => approved))
  const others = rows.filter(
    ({ live, isShadow }) => live !== undefined && isShadow !== true && !own.has(live),
  ).length
  if (others === 0) return prose`The tap turns hooks on, too, so these fire from the next event.`
  return others === 1
    ? prose`The tap turns hooks on, too. 1 other hook that you approved fires then, as well.`
    : prose`The tap turns hooks on, too. ${others} other hooks that you approved fire then, as well.`
}

/** The card of the protection: every guard in plain words, one tap for all of them, and one for each. */
export const protectCard = (
  ports: ProtectionPorts,
  place: CardPlace,
  { under }: Pick<CardButtons, 'under'>,
): Notice => {
  const rows = ports.rows()
  const guards = standingGuards(rows, ports)
  const { isOn, lockdown } = ports.gate()
  const isAny = guards.some(({ approved }) => approved.length > 0)
  const isAll = guards.every(({ approved }) => approved.length > 0)
  const switched = tapEffect(rows, guards, isOn)
  const isProtected = switched === undefined
  const head = isProtected
    ? prose`You are protected:`
    : isAll
      ? prose`You approved these hooks, which are part of hookgate:`
      : prose`One tap protects you. It approves these hooks, which are part of hookgate:`
  const single = isAny && !place.canTap ? [prose`To switch one → /hooks protect secrets off`] : []
  const effect = [
    ...(isProtected ? [] : [switched]),
    ...(isProtected || place.canTap ? [] : [prose`→ /hooks protect on`]),
    ...single,
  ]
  const text = proseLines(
    lockdown === undefined ? head : switchLine(ports),
    ...guards.map(guardLine),
    ...(lockdown === undefined ? effect : []),
    !place.canTap && prose`All that an approval binds → /hooks protect details`,
  )
  const ofGuards = new Set(guards.flatMap(({ waiting }) => waiting))
  const all: Tap = { act: 'run', label: 'Protect me', words: '/hooks protect on' }
  const others: readonly Tap[] = rows.some((row) => isWaiting(row) && !ofGuards.has(row)) ? ['pending'] : []
  // The first button is the one that a page shows as the usual one. It never takes a protection away.
  const taps = [
    isProtected ? others : [all],
    [{ act: 'turn' as const, label: 'Details', words: '/hooks protect details' }],
    ...(isAny
      ? guards.map(({ name, approved }) => [switches[name][approved.length > 0 ? 'off' : 'on']])
      : []),
  ]
  return { text, ...under(place, lockdown === undefined ? taps : []) }
}

/** What each guard does, and every option that the approvals bind. */
const details = (place: CardPlace, { under }: Pick<CardButtons, 'under'>): Notice => ({
  text: proseLines(
    ...PROTECTION.map(({ name, entry }) => {
      const { event, command } = entry
      const row: ListedHook = { status: 'waiting', event, command, entry, unsealed: [], files: [] }
      const { title, effect } = words[name]
      return joinProse([title, effect, verbatim(`${event} ${command}`), ...optionLines(row)], '\n  ')
    }),
  ),
  ...under(place, [[{ act: 'turn', label: 'Back', words: '/hooks protect' }]]),
})

const usage = proseLines(
  prose`→ /hooks protect\n  the card`,
  prose`→ /hooks protect on\n  approve all of them, and turn hooks on`,
  prose`→ /hooks protect secrets off\n  end one of them; “on” approves it again`,
  prose`→ /hooks protect details\n  all that an approval binds`,
)

/** What the words after the command ask for. Undefined: they are none of its own. */
const askedOf = (rest: string): { readonly name?: GuardName; readonly isOn: boolean } | undefined => {
  const [first = '', second, more] = foldTypography(rest).toLowerCase().split(/\s+/)
  const name = PROTECTION.find((guard) => guard.name === first)?.name
  const state = name === undefined ? first : second
  if ((state !== 'on' && state !== 'off') || (name === undefined ? second : more) !== undefined)
    return undefined
  return { name, isOn: state === 'on' }
}

/** Approves or ends one guard. Returns why that failed. */
const turn = async (
  { entry, title, approved }: Standing,
  isOn: boolean,
  ports: CommandPorts,
  consent: Consent,
): Promise<readonly Prose[]> => {
  if (isOn) {
    if (approved.length > 0) return []
    // It needs no file, so nothing that somebody could change is sealed.
    const done = await ports.approve(entry, consent, undefined)
    return done.ok ? [] : [prose`✗ ${title}: not approved.\n${problemWords(done.problem)}`]
  }
  const ended = await Promise.all(approved.map((live) => ports.revoke(live, consent)))
  return ended.flatMap((one) =>
    one.isEnded ? [] : [prose`✗ ${title}: still approved.\n${ourWords(one.why)}`],
  )
}

export const protectCommand = (ports: CommandPorts, cardButtons: CardButtons): Command => ({
  path: 'hooks protect',
  usage: '/hooks protect',
  summary: 'the guards of hookgate: approve all with one tap, or switch one',
  need: 'privileged',
  run: async (rest, context): Promise<NoticeText> => {
    const place = cardButtons.place(context)
    if (rest === '') return protectCard(ports, place, cardButtons)
    if (foldTypography(rest).toLowerCase() === 'details') return details(place, cardButtons)
    const asked = askedOf(rest)
    if (asked === undefined) return refusal(proseLines(prose`Nothing was changed.`, usage))
    const failures: Prose[] = []
    for (const guard of standingGuards(ports.rows(), ports))
      if (asked.name === undefined || guard.name === asked.name)
        failures.push(...(await turn(guard, asked.isOn, ports, context.consent)))
    const { isOn, lockdown } = ports.gate()
    const switches = asked.isOn && asked.name === undefined && !isOn && lockdown === undefined
    // A tap for all of them means that they fire, so it turns hooks on, too.
    const switched = switches && failures.length === 0 ? await flip(ports, cardButtons, true, context) : []
    if ('text' in switched) return switched
    const lines = [...failures, ...(switched.length === 0 ? [] : [switched])]
    const card = protectCard(ports, place, cardButtons)
    const said = lines.length === 0 ? card : saidAfter([...proseLines(...lines), ...prose`\n`], card)
    return failures.length > 0 ? refusal(said) : said
  },
})
