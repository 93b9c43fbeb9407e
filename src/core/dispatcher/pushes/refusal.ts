import { FORMS, readable, type PushType } from '../../model/chat/content.ts'
import { got } from '../../model/gate/problem.ts'
import type { AgentPush, Push, PushRefusal } from '../../model/chat/push.ts'
import { flawOf } from '../text/content.ts'
import type { MessengerLinks } from '../text/messenger-links.ts'
import { roomOf } from './room.ts'

export const maxPushUnits = 100_000

/** A push that cannot be written to disk is not sent: after a crash nobody would know of it. */
export const diskRefusal: PushRefusal = {
  refused: 'disk',
  message: 'Expected to store the message until it is sent, but hookgate’s store could not be written.',
  fix: 'Ask the owner to look at the disk or the database of hookgate, then send it again.',
}

export const loopRefusal = (why: string): PushRefusal => ({
  refused: 'loop',
  message: `Expected a push that no chain of hooks caused, got ${why}.`,
  fix: 'Let the hook answer instead of sending.',
})

/** The refusal when too many pushes wait already, in its chat or in all chats. */
export const fullRefusal = (where: keyof typeof roomOf): PushRefusal => {
  const { pushes, bytes, fileBytes } = roomOf[where]
  return {
    refused: where === 'chat' ? 'chat_full' : 'full',
    message: `Expected at most ${pushes} waiting messages with ${bytes / 1e6} MB of text and ${fileBytes / 1e6} MB of files${where === 'chat' ? ' for one chat' : ''}, got more.`,
    fix: 'Wait until some have been sent, then send it again.',
  }
}

/**
 * The reason why a push could never leave, or undefined. It is checked before anything of the push is stored.
 * `push`: the push as it would be judged. `forms`: the forms of its channel, if that is connected.
 */
export const refusalOf = (
  asked: AgentPush,
  push: Push,
  forms: readonly PushType[] | undefined,
  isOwn: (push: Push) => boolean,
  links: MessengerLinks,
): PushRefusal | undefined => {
  const { type, text, target, channel } = push
  const units = readable(asked).length
  if (units > maxPushUnits)
    return {
      refused: 'too_large',
      message: `Expected a text of at most ${maxPushUnits} characters, got ${units}.`,
      fix: 'Send less, or put it into a file and name the file.',
    }
  if (forms !== undefined && !forms.includes(asked.type))
    return {
      refused: 'form',
      message: `Expected a form that ${channel} has (${forms.join(', ')}), got ${type}.`,
      fix: 'Send it in one of these.',
    }
  if (FORMS[asked.type].text === 'needed' && text.trim() === '')
    return { refused: 'empty', message: `Expected a text, got ${got(asked.text)}.`, fix: 'Send some words.' }
  const flaw = flawOf(push, links)
  if (flaw !== undefined) return { refused: 'form', ...flaw }
  if (type !== 'edit' || isOwn(push)) return undefined
  return {
    refused: 'target',
    message: `Expected "target" to be the push_id of what you sent to this chat, got ${got(target)}.`,
    fix: 'Send it as a new message.',
  }
}
