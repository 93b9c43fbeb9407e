import {
  questionMark,
  type CardForm,
  type Ending,
  type FillResult,
  type OwnerSpeaking,
  type PersonAnswer,
  type Question,
  type Resume,
  type AskedCall,
} from '../../shared/gate/permission.ts'
import { actOn, answersOf, nextField, noProgress, type FormWord } from '../../shared/gate/form.ts'
import { isSameChat, type Address } from '../../core/model/chat/push.ts'
import { createWaitingList, maxWaitingUnits, parkedMs, type WaitingListPorts } from './waiting-list.ts'
import { markOf, type Ended } from './waiting-question.ts'

export interface QuestionsPorts extends WaitingListPorts {
  /** True when there is somebody who may answer. */
  hasPeople(asked: AskedCall): boolean
  newId(): string
}

/**
 * A new question. `digest` and `units` are those of the canonical arguments, and `endsAtMs` is the time by
 * the clock that nobody can set at which it counts as a no.
 */
export interface NewQuestion extends Omit<Question, 'key' | 'parked' | 'untilMs'> {
  readonly endsAtMs: number
  readonly digest: string
  readonly units: number
  readonly resume?: Resume
}

/** A form takes no yes, and a call that waits for one takes no answers. */
const fits = ({ kind }: PersonAnswer, { form }: Question): boolean =>
  kind === 'deny' || (kind === 'elsewhere' || kind === 'form') === (form !== undefined)

/**
 * The questions that wait for a person. They outlive the gate: after a restart each waits on until its time
 * is over, and its caller finds it again with the same call. No answer counts as a no.
 */
export const createQuestions = (ports: QuestionsPorts) => {
  const { store } = ports
  const list = createWaitingList(ports)

  return {
    /** Resolves when the question has ended or is parked. Never rejects. */
    ask: (
      { digest, units, resume, endsAtMs, ...asked }: NewQuestion,
      signal?: AbortSignal,
    ): Promise<Ended> => {
      if (signal?.aborted === true) return Promise.resolve({ kind: 'gone' })
      if (endsAtMs <= ports.elapsedMs()) return Promise.resolve({ kind: 'expired' })
      const mark = markOf(digest, resume)
      const parkedAnswer = list.parkedAnswers.take(mark, asked)
      if (parkedAnswer !== undefined) return Promise.resolve(parkedAnswer)
      if (!ports.hasPeople(asked)) return Promise.resolve({ kind: 'nobody' })
      if (list.unitsOf(asked.caller, false) + units > maxWaitingUnits)
        return Promise.resolve({ kind: 'full' })
      const away = list.of(asked.caller, true).find((one) => one.mark === mark)
      if (away !== undefined) return list.comesAgain(away, endsAtMs, signal)
      const key = `${questionMark}${ports.newId()} ${digest}`
      const question: Question = { ...asked, key, untilMs: list.shownEnd(endsAtMs) }
      const one = list.begin({ question, endsAtMs, units, resume, mark }, undefined)
      store.put(one)
      return list.wait(one, signal)
    },

    /**
     * A person's answer. `isYours`: the answer counted; otherwise `ending` tells how the question had ended
     * before. Undefined: there is no such question, or this person may not answer it.
     */
    answer: (
      key: string,
      word: PersonAnswer,
      speaker: OwnerSpeaking,
    ): { readonly ending: Ending; readonly question?: Question; readonly isYours: boolean } | undefined => {
      const found = list.get(key)
      const before = list.endingOf(key)
      if (found === undefined) return before === undefined ? undefined : { ending: before, isYours: false }
      if (!ports.mayAnswer(speaker.owner, found.question) || !fits(word, found.question)) return undefined
      const ending: Ending = { ...word, by: speaker.owner }
      list.end(found, ending, speaker)
      return { ending, question: found.question, isYours: true }
    },

    /**
     * What a person does with the next field of a form. `at`: the number of the field that the person saw.
     * Undefined: there is no such form, or this person may not answer it.
     */
    fill: (key: string, act: FormWord, speaker: OwnerSpeaking, at?: number): FillResult | undefined => {
      const found = list.get(key)
      const before = list.endingOf(key)
      if (found === undefined) return before === undefined ? undefined : { kind: 'over', ending: before }
      const { form, progress = noProgress } = found.question
      if (form === undefined || !ports.mayAnswer(speaker.owner, found.question)) return undefined
      if (at !== undefined && at !== progress.filled.length) return { kind: 'wrong', mistake: 'over' }
      const next = act.kind === 'send' ? progress : actOn(form, progress, act)
      if (typeof next === 'string') return { kind: 'wrong', mistake: next }
      const isFull = nextField(form, next) === undefined
      // One question needs no look over all answers.
      if (isFull && (act.kind === 'send' || form.length === 1)) {
        const ending: Ending = { kind: 'form', answers: answersOf(form, next), by: speaker.owner }
        list.end(found, ending, speaker)
        return { kind: 'sent', ending, question: found.question }
      }
      if (act.kind === 'send') return { kind: 'wrong', mistake: 'over' }
      found.question = { ...found.question, progress: next }
      found.cards.change(found.question)
      store.save(found)
      return { kind: 'next' }
    },

    waiting: (): readonly Question[] => list.all().map(({ question }) => question),
    /** Shows a question once more, in one chat: as a new card, or in the place of one of its cards. */
    showAgain: (key: string, address: Address, form?: CardForm, onMessageId?: string): void =>
      list.get(key)?.cards.showAgain(address, form, onMessageId),
    /** True when a card of this question was delivered to this chat. */
    isShownIn: (key: string, address: Address): boolean =>
      list
        .get(key)
        ?.cards.standing()
        .some((card) => isSameChat(card.address, address)) === true,
    /** A parked question waits on, until the session begins again. */
    endSession: (caller: string, sessionId: string): void => {
      for (const one of list.of(caller, false))
        if (one.question.session_id === sessionId) list.end(one, { kind: 'gone' })
    },
    /** Takes up the questions and answers of the gate's last run. */
    restore: async (): Promise<void> => {
      for (const { question: asked, ending, cards, progress, ways: _, ...rest } of await store.restore(
        parkedMs,
      )) {
        const { key } = asked
        const isOver = rest.endsAtMs <= ports.elapsedMs()
        if (ending !== undefined) {
          list.noteEnding(key, ending)
          if (isOver) store.remove(key)
          else list.parkedAnswers.keep(rest.mark, { ending, untilMs: rest.endsAtMs, key })
          continue
        }
        // A caller that was parked once may come again at any time, also when it was here at the end.
        const parked = rest.lastMs === undefined ? undefined : rest.resume
        const untilMs = rest.lastMs ?? rest.endsAtMs
        const away = parked === undefined ? { isCallerAway: true as const } : { parked }
        const question: Question = {
          ...asked,
          ...(progress === undefined ? {} : { progress }),
          untilMs: list.shownEnd(untilMs),
          ...away,
        }
        const one = list.begin({ ...rest, question, resume: rest.resume }, cards)
        store.save(one)
        list.endAt(one, untilMs, { kind: parked === undefined ? 'gone' : 'expired' })
      }
    },
    /**
     * Leaves every question as it is stored, without an answer for its caller. The next start of the gate
     * takes it up.
     */
    stop: (): void => {
      for (const one of list.all()) {
        one.cancel?.()
        if (one.tell !== undefined) one.question = { ...one.question, isCallerAway: true }
        delete one.tell
      }
    },
  }
}
