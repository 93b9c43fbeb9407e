import { refusal, type Notice, type NoticeText } from '../../core/model/chat/notice.ts'
import { prose, verbatim, type Prose, proseLines } from '../../core/model/chat/prose.ts'
import { isClientName } from '../../shared/gate/client.ts'
import { rowKey, type ListedHook } from '../../shared/gate/catalogue.ts'
import { problemWords } from '../../shared/said/our-words.ts'
import type {
  EarlyEnd,
  Evidence,
  PastCase,
  TrialScope,
  HypotheticalEffect,
} from '../../shared/hooks/evidence.ts'
import { cardActs, type CardButtons } from '../cards/card-buttons.ts'
import { countWords } from '../cards/evidence.ts'
import { handlerWords } from '../cards/handler.ts'
import { eventWords } from '../cards/row.ts'
import { findShown } from '../find.ts'
import type { BegunTrial, Command, CommandContext, CommandPorts, TrialRequest } from '../ports.ts'
import { briefOurs, briefSaid } from '../reasons.ts'
import { agoWords, oneLine, shorten } from '../words.ts'

const hourMs = 60 * 60_000
const defaultEvents = 100
export const maxEvents = 1000
/** A card is edited at most so often, in milliseconds. */
const editEveryMs = 2000
const maxShown = 5
const maxFailuresShown = 4

const whichOne = refusal(prose`Name the hook: /hooks try <handle>, as /hooks lists it.`)
const tooMany = refusal(
  prose`A trial takes at most ${maxEvents} events. For a time, write days or hours: /hooks try <handle> 7d`,
)

const inLockdown = refusal(prose`No hook is tried in a lockdown.\n→ /hooks`)
const noTrial = refusal(prose`No trial runs now.`)
const stoppedText = prose`The trial was stopped. Its card says what it found.`

/** Reads `<handle> [n|7d|12h]`. Undefined: there are too many events. */
const readEvents = (
  typed: string,
  nowMs: number,
): { readonly name: string; readonly scope: TrialScope } | undefined => {
  const [, name = typed, count = '', unit = ''] = /^(.*\S)\s+(\d{1,6}) ?([dh]?)$/i.exec(typed) ?? []
  const number = Number(count)
  if (count === '') return { name, scope: { sinceMs: 0, maxEvents: defaultEvents } }
  if (unit === '')
    return number > maxEvents ? undefined : { name, scope: { sinceMs: 0, maxEvents: Math.max(1, number) } }
  const hours = unit.toLowerCase() === 'd' ? 24 * number : number
  return { name, scope: { sinceMs: nowMs - hours * hourMs, maxEvents } }
}

/** Reads `<handle> [n|7d|12h] [client]`. Undefined: there are too many events. */
const readScope = (typed: string, nowMs: number): ReturnType<typeof readEvents> => {
  const [, before = '', last = ''] = /^(.*\S)\s+(\S+)$/.exec(typed) ?? []
  if (!isClientName(last)) return readEvents(typed, nowMs)
  const read = readEvents(before, nowMs)
  return read === undefined ? undefined : { ...read, scope: { ...read.scope, client: last } }
}

const wouldWords: Readonly<Record<HypotheticalEffect, Prose>> = {
  block: prose`would block`,
  ask: prose`would ask a person`,
  rewrite: prose`would rewrite`,
  fail: prose`would fail`,
  pass: prose`would let through`,
}

const wasWords: Readonly<Record<PastCase['was'], Prose>> = {
  allow: prose`it was let through`,
  rewrite: prose`it was rewritten`,
  ask: prose`a person was asked`,
  block: prose`it was blocked`,
}

const endWords: Readonly<Record<EarlyEnd, Prose>> = {
  stopped: prose`It was stopped before its end.`,
  time: prose`It ended early: its time was over.`,
  memory: prose`It ended early: the hook used too much memory.`,
  machine: prose`It ended early: this machine had too little memory left.`,
  killed: prose`It ended early: the hook ended what runs it, several times.`,
  off: prose`It ended early: hooks were turned off.`,
  lockdown: prose`It ended early: the gate went into lockdown.`,
  closing: prose`It ended early: hookgate stops.`,
}

const caseLines = (one: PastCase, nowMs: number): Prose => {
  const { id, atMs, about, would, why, was, sealed } = one
  const answers =
    sealed === undefined
      ? wouldWords[would]
      : prose`the new version ${wouldWords[would]}, the approved one ${wouldWords[sealed]}`
  return proseLines(
    prose`  ${answers} · ${wasWords[was]} ${agoWords(atMs, nowMs)}`,
    about !== '' && prose`    ${shorten(oneLine(about), 120)}`,
    why !== undefined && prose`    “${briefSaid(why, 120)}”`,
    id !== '' && prose`    → /hooks why ${verbatim(id)}`,
  )
}

const casesText = (
  head: Prose,
  cases: readonly PastCase[],
  count: number,
  nowMs: number,
): readonly Prose[] => {
  const shown = cases.slice(0, maxShown)
  if (shown.length === 0) return []
  const more = count - shown.length
  return [
    head,
    ...shown.map((one) => caseLines(one, nowMs)),
    ...(more > 0 ? [prose`  … and ${more} more`] : []),
  ]
}

const msWords = (ms: number): string => (ms < 10 ? ms.toFixed(1) : String(Math.round(ms)))

const sumLines = (evidence: Evidence): readonly Prose[] => {
  const { events, unkept, matched, p50Ms, p95Ms } = evidence
  return [
    prose`Of ${events} past events ${matched} matched: ${countWords(evidence)}.`,
    ...(p50Ms === undefined || p95Ms === undefined
      ? []
      : [prose`p50 ${verbatim(msWords(p50Ms))} ms, p95 ${verbatim(msWords(p95Ms))} ms`]),
    ...(unkept === 0
      ? []
      : [prose`${unkept} of them could not be asked: their payload is not kept, or was cut.`]),
  ]
}

/** Each failure once, with its count. */
const failureLines = ({ failures, counts: { fail }, matched }: Evidence): readonly Prose[] => {
  if (fail === 0) return []
  const shown = failures.slice(0, maxFailuresShown)
  const left = failures.slice(maxFailuresShown).reduce((sum, { count }) => sum + count, 0)
  return [
    fail === matched ? prose`⚠ It failed each time:` : prose`⚠ It failed ${fail} times:`,
    ...shown.map(({ why, count }) => {
      const words = why === '' ? prose`another failure` : briefOurs(why, 120)
      return prose`${count}×  ${words}`
    }),
    ...(left > 0 ? [prose`${left}×  other failures`] : []),
  ]
}

/** What the trial found, as it stands on its card at the end. */
const foundText = (head: Prose, evidence: Evidence, nowMs: number): Prose => {
  const { end, cases, counts, different, differences, events, matched, sealed } = evidence
  const comparison =
    sealed === undefined
      ? []
      : different === 0
        ? [prose`The approved version answers all of them in the same way.`]
        : casesText(
            different === 1
              ? prose`The approved version answers 1 of them differently:`
              : prose`The approved version answers ${different} of them differently:`,
            differences,
            different,
            nowMs,
          )
  const unlike = counts.block + counts.ask + counts.rewrite
  const isBroken = matched > 0 && counts.fail === matched
  return proseLines(
    head,
    end !== undefined && endWords[end],
    // The times and the counts of a hook that only fails say nothing more.
    ...(isBroken ? [prose`Of ${events} past events ${matched} matched.`] : sumLines(evidence)),
    ...failureLines(evidence),
    ...comparison,
    ...casesText(prose`These would not have gone through as they were:`, cases, unlike, nowMs),
    prose`Nothing was decided by this, and no agent was told.`,
  )
}

/** What is asked for a row: its proposed bytes, else the approved ones. */
const requestFor = (row: ListedHook, scope: TrialScope): TrialRequest | { readonly wrong: NoticeText } => {
  const { entry, proposed, live, status, problem } = row
  const fingerprint = rowKey(row)
  if (entry === undefined || fingerprint === undefined || (problem !== undefined && proposed === undefined)) {
    const why = problem === undefined ? prose`It is invalid.` : problemWords(problem)
    return { wrong: refusal(prose`✗ ${handlerWords(row, 120)} cannot be tried.\n${why}`) }
  }
  return {
    entry,
    fingerprint,
    isSealed: fingerprint === live,
    ...(status === 'changed' && live !== undefined && live !== fingerprint ? { sealed: live } : {}),
    scope,
  }
}

interface ShownTrial {
  readonly id: number
  /** The button under the card was tapped, so the answer to the tap takes the place of the card. */
  isTapped: boolean
  readonly final: Promise<Prose>
}

export const tryCommand = (
  ports: CommandPorts,
  cardButtons: Pick<CardButtons, 'place' | 'under'>,
): Command => {
  let lastId = 0
  /** The newest trial, also when it is over. */
  let shown: ShownTrial | undefined

  const stop = async (typed: string, { message }: CommandContext): Promise<NoticeText> => {
    const trial = shown
    if (trial === undefined || (typed !== '' && typed !== String(trial.id))) return noTrial
    const isTap = message.press !== undefined
    if (isTap) trial.isTapped = true
    const hasStopped = await ports.tries.stop()
    if (isTap) return await trial.final
    return hasStopped ? stoppedText : noTrial
  }

  /** Shows a trial on one card, which is edited while it goes on. */
  const show = (head: Prose, context: CommandContext, { over, hear }: BegunTrial): void => {
    const { address } = context
    const place = cardButtons.place(context)
    const trial: ShownTrial = {
      id: ++lastId,
      isTapped: false,
      final: over.then((found) =>
        'message' in found ? prose`${head}\n✗ ${problemWords(found)}` : foundText(head, found, ports.now()),
      ),
    }
    shown = trial
    let isOver = false
    let nextMs = ports.now() + editEveryMs
    let latest: Prose = []
    /** The card as it arrived. Undefined: it is on its way. */
    let arrived: { readonly messageId: string | undefined } | undefined

    const post = (text: Prose): void => {
      const tap = { act: 'end_try', label: cardActs.end_try.label, words: String(trial.id) } as const
      const { messageId } = arrived ?? {}
      const said: Notice = {
        text,
        ...(isOver ? {} : cardButtons.under(place, [[tap]])),
        replaces: messageId,
      }
      ports.post(address, said, (id) => {
        if (arrived !== undefined) return
        arrived = { messageId: id }
        if (latest !== text) post(latest)
      })
    }
    const change = (text: Prose): void => {
      latest = text
      if (arrived !== undefined || !place.canTap) post(text)
    }

    const way = place.canTap ? [] : [prose`To stop it → /hooks try stop`]
    latest = proseLines(head, prose`It is asked about past events.`, ...way)
    post(latest)
    void trial.final.then((text) => {
      isOver = true
      if (!trial.isTapped) change(text)
    })
    hear((found) => {
      if (isOver || arrived?.messageId === undefined || !place.canTap || ports.now() < nextMs) return
      nextMs = ports.now() + editEveryMs
      change(proseLines(head, ...sumLines(found())))
    })
  }

  return {
    path: 'hooks try',
    usage: '/hooks try <handle> [n|7d] [client]',
    summary: 'what a hook would have answered to past events, in a sandbox',
    need: 'privileged',
    needsRefresh: true,
    run: async (rest, context) => {
      const [word = '', id = ''] = rest.trim().split(/\s+/)
      if (word.toLowerCase() === 'stop') return stop(id, context)
      if (word === '') return whichOne
      const read = readScope(rest.trim(), ports.now())
      if (read === undefined) return tooMany
      const found = findShown(read.name, ports.rows(), ports, context)
      if ('wrong' in found) return found.wrong
      const [row, ...others] = found.rows
      if (row === undefined || others.length > 0) return whichOne
      const request = requestFor(row, read.scope)
      if ('wrong' in request) return request.wrong
      const name = handlerWords(row, 60)
      // What a hook could have written is withheld in a lockdown, and this is not.
      if (ports.gate().lockdown !== undefined) return inLockdown
      const started = await ports.tries.start(request)
      if ('problem' in started)
        return refusal(prose`✗ ${name} was not tried.\n${problemWords(started.problem)}`)
      const trial = prose`Trial of ${name}  ${eventWords(row.event)}`
      const { client } = read.scope
      const head = client === undefined ? trial : prose`${trial}\n  with the sessions that ${client} keeps`
      show(head, context, started)
      return []
    },
  }
}
