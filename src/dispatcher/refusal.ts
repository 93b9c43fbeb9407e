import { FORMS, readable, type PushType } from '../model/content.ts'
import { got } from '../model/problem.ts'
import type { AgentPush } from '../model/push.ts'
import { flawOf } from './content.ts'
import type { PushReply } from './judged.ts'
import type { PushBody } from './outbox-body.ts'

export const maxPushUnits = 100_000

/** Why a push was not taken. `target`: what it is about is not known. `full`: too much waits already. `disk`: it could not be kept. */
export interface PushRefusal {
  readonly refused: 'too_large' | 'empty' | 'form' | 'target' | 'full' | 'chat_full' | 'loop' | 'disk'
  readonly message: string
  readonly fix: string
}

export type PushResult = PushReply | PushRefusal

/** Why a push could never leave, before anything of it is kept. `push`: as it would be judged. `forms`: of its channel, where that is connected. */
export const refusalOf = (
  asked: AgentPush,
  push: PushBody,
  forms: readonly PushType[] | undefined,
  isOwn: (push: PushBody) => boolean,
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
  const flaw = flawOf(push)
  if (flaw !== undefined) return { refused: 'form', ...flaw }
  if (type !== 'edit' || isOwn(push)) return undefined
  return {
    refused: 'target',
    message: `Expected "target" to be the push_id of what you sent to this chat, got ${got(target)}.`,
    fix: 'Send it as a new message.',
  }
}
