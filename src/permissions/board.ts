import type { Ending, Question, Speaker } from '../model/permission.ts'
import { noticeOf, type Said } from '../model/notice.ts'
import { prose } from '../model/prose.ts'
import { isSameChat, type Address } from '../model/push.ts'
import { createPace } from './pace.ts'

/** A question is shown at most so often; what is asked for beyond that only answers with words. */
const maxPosts = 100

export interface BoardPorts {
  /** The owners' own chats. */
  chats(): readonly Address[]
  /** `delivered`: it stands there, under the messenger's name for it where it has one. */
  notify(address: Address, said: Said, delivered?: (messageId: string | undefined) => void): Promise<void>
  tellOwners(said: Said): void
  card(question: Question, address: Address): Said
  over(question: Question, ending: Ending, address: Address): Said
  now(): number
}

/** The cards of one question. */
export interface Board {
  /** Once more, to who asks for it. */
  showAgain(address: Address): void
  /** The cards show it as it stands now. */
  change(question: Question): void
  /** Each card says how it ended, in its place where the messenger can do that. The one under which it was answered says so by its answer. */
  end(ending: Ending, speaker?: Speaker): void
}

/** The chat of the session comes first, where it is an owner's own. */
const inOrder = (chats: readonly Address[], first: Address | undefined): readonly Address[] =>
  first === undefined
    ? chats
    : chats.toSorted((a, b) => Number(isSameChat(b, first)) - Number(isSameChat(a, first)))

/** Shows questions to every owner, each once in each chat. */
export const createBoard = (ports: BoardPorts): ((question: Question) => Board) => {
  const pace = createPace(ports.now)
  return (asked) => {
    let question = asked
    let standing: { readonly address: Address; readonly messageId: string | undefined }[] = []
    let over: { readonly ending: Ending; readonly speaker: Speaker | undefined } | undefined
    let posts = 0

    const close = (
      address: Address,
      messageId: string | undefined,
      { ending, speaker }: NonNullable<typeof over>,
    ): void => {
      const isHere = speaker !== undefined && isSameChat(speaker.address, address)
      // What cannot be edited would only be said a second time below the answer.
      if (isHere && (messageId === undefined || speaker.on_message_id === messageId)) return
      const said = noticeOf(ports.over(question, ending, address))
      void ports.notify(address, messageId === undefined ? said : { ...said, replaces: messageId })
    }

    const post = (address: Address, replaces?: string): boolean => {
      if (++posts > maxPosts) return false
      const shown = question
      const said = noticeOf(ports.card(shown, address))
      void ports.notify(address, replaces === undefined ? said : { ...said, replaces }, (messageId) => {
        // It was over before it had arrived, or is another by now.
        if (over !== undefined) close(address, messageId, over)
        else if (shown === question || !post(address, messageId)) standing.push({ address, messageId })
      })
      return true
    }

    const place = pace(question.caller)
    if (place.isShown) for (const address of inOrder(ports.chats(), question.address)) post(address)
    else if (place.isNews)
      ports.tellOwners(
        prose`More tool calls of ${question.caller} wait for your word than are shown.\n→ /hooks asks`,
      )
    return {
      showAgain: (address) => void post(address),
      change: (next) => {
        question = next
        const cards = standing
        standing = []
        for (const card of cards) if (!post(card.address, card.messageId)) standing.push(card)
      },
      end: (ending, speaker) => {
        over = { ending, speaker }
        if (speaker !== undefined) place.answered()
        for (const { address, messageId } of standing) close(address, messageId, over)
      },
    }
  }
}
