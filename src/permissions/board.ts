import type { Ending, Question, Speaker } from '../model/permission.ts'
import { noticeOf, type Said } from '../model/notice.ts'
import { isSameChat, type Address } from '../model/push.ts'

/** A question is shown at most so often; what is asked for beyond that only answers with words. */
const maxPosts = 100

type Delivered = (messageId: string | undefined) => void

export interface BoardPorts {
  /** The owners' own chats. */
  chats(): readonly Address[]
  /** Tells a chat what it did not ask for. `delivered`: it stands there, under the messenger's name for it where it has one. */
  tell(address: Address, said: Said, delivered: Delivered): void
  /** The same where it is asked for. */
  notify(address: Address, said: Said, delivered?: Delivered): Promise<void>
  card(question: Question, address: Address): Said
  over(question: Question, ending: Ending, address: Address): Said
}

/** The cards of one question. */
export interface Board {
  /** Once more, to who asks for it. */
  showAgain(address: Address): void
  /** Each card says how it ended, in its place where the messenger can do that. The one under which it was answered says so by its answer. */
  end(ending: Ending, speaker?: Speaker): void
}

/** The chat of the session comes first, where it is an owner's own. */
const inOrder = (chats: readonly Address[], first: Address | undefined): readonly Address[] =>
  first === undefined ? chats : chats.toSorted((a, b) => Number(isSameChat(b, first)) - Number(isSameChat(a, first)))

/** Shows a question to every owner, once in each chat. */
export const createBoard = (ports: BoardPorts) => (question: Question): Board => {
  const standing: { readonly address: Address; readonly messageId: string | undefined }[] = []
  let over: { readonly ending: Ending; readonly speaker: Speaker | undefined } | undefined
  let posts = 0

  const close = (address: Address, messageId: string | undefined, { ending, speaker }: NonNullable<typeof over>): void => {
    const isHere = speaker !== undefined && isSameChat(speaker.address, address)
    // What cannot be edited would only be said a second time below the answer.
    if (isHere && (messageId === undefined || speaker.on_message_id === messageId)) return
    const said = noticeOf(ports.over(question, ending, address))
    void ports.notify(address, messageId === undefined ? said : { ...said, replaces: messageId })
  }

  const post = (address: Address, say: BoardPorts['tell']): void => {
    if (++posts > maxPosts) return
    say(address, ports.card(question, address), (messageId) => {
      // It was over before it had arrived.
      if (over === undefined) standing.push({ address, messageId })
      else close(address, messageId, over)
    })
  }

  for (const address of inOrder(ports.chats(), question.address)) post(address, ports.tell)
  return {
    showAgain: (address) => post(address, (...said) => void ports.notify(...said)),
    end: (ending, speaker) => {
      over = { ending, speaker }
      for (const { address, messageId } of standing) close(address, messageId, over)
    },
  }
}
