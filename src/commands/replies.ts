import { noticeOf, refusal, type NoticeText } from '../core/model/chat/notice.ts'
import { prose } from '../core/model/chat/prose.ts'
import { editMark, fillMark, questionMark, wordsMark } from '../shared/gate/permission.ts'
import type { Command, CommandContext, CommandPorts } from './ports.ts'
import { mayUse, questionsFor } from './roles.ts'
import type { CommandWays } from './tap-first.ts'

/** What a person's words mean for the cards of a chat. */
export interface CardReply {
  /** True: the words answer a card. The message then needs the same form as a typed answer. */
  readonly isAnswer: boolean
  /** Resolves with the text for the person. It is empty when a card was shown instead. */
  run(): Promise<NoticeText>
}

const yesWords: ReadonlySet<string> = new Set(['yes', 'y', 'ok', '是', '好', '允许'])
const noWords: ReadonlySet<string> = new Set(['no', 'n', '否', '不', '拒绝'])
/** A longer text is not one of the words. In UTF-16 units. */
const maxWordUnits = 20

/** A text that is nothing but one of the words for yes or no, as phones write it. */
export const yesOrNo = (text: string): 'yes' | 'no' | undefined => {
  if (text.length > maxWordUnits) return undefined
  const word = text
    .normalize('NFKC')
    .toLowerCase()
    .trim()
    .replace(/\s*[.!。]+$/, '')
  if (yesWords.has(word)) return 'yes'
  return noWords.has(word) ? 'no' : undefined
}

/** A no with a comma or the like behind it, before a reason: `No, use the tests.` */
const noBefore = /^\s*(?:no|n|否|不|拒绝)\s*[,，.。:：;；]\s*(?=\S)/i

const onlyYesOrNo = refusal(
  prose`Nothing was changed: reply yes or no to this card, or tap a button of it. The agent did not get your message.`,
)

const cardIsOver = refusal(
  prose`Nothing was changed: this card is over. The agent did not get your message. To send it to the agent, write it without a reply.`,
)

/** Says after a refusal that the words did not go to the agent either. */
const withWay = (said: NoticeText): NoticeText => {
  const notice = noticeOf(said)
  if (notice.isRefusal !== true) return said
  return {
    ...notice,
    text: [
      ...notice.text,
      ...prose`\nThe agent did not get your message. To send it to the agent, write it without a reply.`,
    ],
  }
}

/**
 * Reads what a person writes beside cards. A reply to a card answers it, as the typed command does. A bare
 * yes or no that is no reply, while a tool call waits, is a mistake: it changes nothing, and the agent does
 * not get it.
 */
export const createCardReplies = (
  commands: readonly Command[],
  ports: CommandPorts,
  { inTurn, tapFirst }: CommandWays,
) => {
  const { asks } = ports
  const run = (path: string, rest: string, context: CommandContext): Promise<NoticeText> => {
    const command = commands.find((candidate) => candidate.path === path)
    return command === undefined || !mayUse(ports, command, context.owner)
      ? Promise.resolve(cardIsOver)
      : tapFirst(command, `/${path} ${rest}`, context, () =>
          inTurn(command, rest, () => command.run(rest, context)),
        )
  }

  const answer = async (handle: string, text: string, context: CommandContext): Promise<NoticeText> => {
    const resolved = ports.resolveHandle(context.owner, context.address.chat_id, handle)
    if ('why' in resolved) return cardIsOver
    const key = resolved.fingerprint
    const { owner, address } = context
    const cardOf = (mark: string): string => ports.handle(owner, address.chat_id, key.slice(mark.length))
    if (key.startsWith(wordsMark)) return withWay(await run('n', `${cardOf(wordsMark)} ${text}`, context))
    if (key.startsWith(editMark)) return withWay(await run('edit', `${cardOf(editMark)} ${text}`, context))
    if (key.startsWith(fillMark)) return withWay(await run('answer', `${cardOf(fillMark)} ${text}`, context))
    if (asks.waiting().some((one) => one.key === key && one.form !== undefined))
      return withWay(await run('answer', `${handle} ${text}`, context))
    const word = yesOrNo(text)
    if (key.startsWith(questionMark))
      return withWay(
        await (word === 'yes'
          ? run('y', handle, context)
          : run('n', word === 'no' ? handle : `${handle} ${text.replace(noBefore, '')}`, context)),
      )
    if (word === undefined) return onlyYesOrNo
    if (ports.held().some((held) => held.key === key))
      return run(word === 'yes' ? 'hooks release' : 'hooks withhold', handle, context)
    return run(word === 'yes' ? 'y' : 'n', handle, context)
  }

  /** Shows the card again, because the person meant it and could not know how to answer it in words. */
  const hint = (text: string, { owner, address }: CommandContext): NoticeText => {
    const waiting = questionsFor(owner, ports).filter(({ parked }) => parked === undefined)
    const [only, ...more] = waiting
    if (only !== undefined && more.length === 0) {
      asks.showAgain(only.key, address, {
        more: prose`“${text.trim()}” was not sent to the agent. Tap a button, or reply to this message. To say it to the agent, write it in a sentence.`,
      })
      return []
    }
    return prose`“${text.trim()}” was not sent to the agent, because ${waiting.length} tool calls wait for your decision. Reply to the card that you mean. To say it to the agent, write it in a sentence.\n→ /asks`
  }

  return (text: string, context: CommandContext): CardReply | undefined => {
    const { owner, address, message } = context
    const handle =
      message.reply_to === undefined ? undefined : ports.handleOn(owner, address.chat_id, message.reply_to)
    if (handle !== undefined) return { isAnswer: true, run: () => answer(handle, text, context) }
    const isMistake =
      message.origin === 'plain' &&
      yesOrNo(text) !== undefined &&
      questionsFor(owner, ports).some(({ parked }) => parked === undefined)
    return isMistake ? { isAnswer: false, run: async () => hint(text, context) } : undefined
  }
}
