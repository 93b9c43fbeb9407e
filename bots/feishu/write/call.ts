import type { FailedDelivery } from '../../../src/core/model/chat/channel.ts'
import type { Exit, MintedRequest, Sender } from '../http/exit.ts'
import {
  failedDelivery,
  type CallFailure,
  type CallRefusal,
  type Refusals,
} from '../../../src/shared/chat/connection.ts'
import { readFailure, tokenCodes } from '../http/failure.ts'

export type CallResult = { readonly value: unknown } | { readonly failure: CallFailure }
/** Sends one minted request. Never rejects. */
export type Call = (request: MintedRequest, secrets: readonly string[]) => Promise<CallResult>

/** Codes that ask for fewer requests. Source: the page "Common error codes" and the page of each method. */
const limitCodes: ReadonlySet<number> = new Set([230020, 99991400, 11232, 11233])
/** Codes of a trouble within Feishu, which passes. */
const passingCodes: ReadonlySet<number> = new Set([2200, 99991001, 1000004, 1000005, 230049])

/** Plain sentences for the codes that a person can act on. Source: the pages of the methods. */
const plainTexts: Readonly<Record<number, string>> = {
  230002: 'The bot is not in this chat any more. Add it to the group again.',
  230006:
    'The app has no bot. Add the feature "Bot" in the developer console and publish a version of the app.',
  230011: 'The message was recalled, so it can no longer be changed. Send a new one.',
  230013:
    'This person may not use the bot. Add the person to the availability of the app in the developer console.',
  230018: 'Only some people may write in this group. Let the bot write there, or write to another chat.',
  230022: 'Feishu refused the text because of its content. Change the text.',
  230025: 'The message is too long for Feishu. Shorten it.',
  230027:
    'The app lacks a permission for this. Add the permissions of hookgate’s Feishu page in the developer console.',
  230028: 'Feishu refused the text because of its content. Change the text.',
  230035: 'The bot may not write in this chat. Ask an administrator of the group.',
  230038: 'The person belongs to another organisation, and the app may not write there.',
  230054: 'A message of this kind cannot be changed. Send a new one.',
  230071: 'The message was not sent by this bot, so it cannot be changed. Send a new one.',
  230072: 'Feishu lets a message be changed 20 times only. Send a new one.',
  230075: 'The message is too old to be changed. Send a new one.',
  230110: 'The message was deleted. Send a new one.',
  231001: 'Feishu does not have this reaction. Send another one, such as 👍.',
  231003: 'The message was deleted, so it cannot get a reaction. Send a text.',
  234006: 'The file is too large for Feishu. Send a smaller one.',
  234010: 'The file is empty. Send it when it is written.',
  99991401:
    'Feishu refuses the address of this machine. Add it to the list of allowed addresses in the security settings of the app.',
  99991672:
    'The app lacks a permission for this. Add the permissions of hookgate’s Feishu page in the developer console.',
}

export const isRefused = (failure: CallFailure): failure is CallRefusal =>
  failure.kind === 'refused' &&
  (failure.status ?? 0) < 500 &&
  ![limitCodes, tokenCodes, passingCodes].some((codes) => codes.has(failure.code))

const refusals: Refusals = {
  name: 'Feishu',
  isLimit: ({ status, code }) => status === 429 || limitCodes.has(code),
  isPassing: (failure) => !isRefused(failure),
  plainText: ({ code }) => plainTexts[code],
}

/** The outcome of a message after a failed call. */
export const deliveryOf = (failure: CallFailure, isRepeatable: boolean): FailedDelivery =>
  failedDelivery(failure, isRepeatable, refusals)

/** Makes the function that sends minted requests. */
export const createCall =
  (exit: Exit, sender: Sender): Call =>
  async (request, secrets) => {
    try {
      return { value: await exit.send(sender, request) }
    } catch (error) {
      return { failure: readFailure(error, secrets) }
    }
  }
