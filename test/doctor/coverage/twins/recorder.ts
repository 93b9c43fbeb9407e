import type { WebhookReplyEnvelope } from 'grammy'
import type { Stand } from '../../../../bots/telegram/telegram.ts'
import type { Rehearsal } from '../rehearsal.ts'

export interface Recorder extends Pick<Stand['network'], 'client'>, Pick<Rehearsal, 'taken'> {
  readonly envelope: { send?: NonNullable<WebhookReplyEnvelope['send']> }
  /** What came inside the response to a webhook is recorded as well. */
  record(what: string): void
}

const bytesOf = async (body: unknown): Promise<string> => {
  if (typeof body === 'string') return Buffer.from(body).toString('latin1')
  if (body === undefined || body === null) return ''
  const chunks: Buffer[] = []
  // A stream of bytes, as grammY sends files.
  for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('latin1')
}

const me = { id: 1, is_bot: true, first_name: 'Rehearsal', username: 'rehearsal_bot' }

/** Answers as Telegram does where all is well, notes what it was sent, and sends nothing. */
export const createRecorder = (): Recorder => {
  let noted = ''
  let id = 0
  const resultOf = (method: string): unknown => {
    const message = {
      message_id: ++id,
      message_thread_id: id,
      name: '',
      date: 0,
      chat: { id: 7, type: 'private' },
    }
    if (method === 'getMe') return me
    return method === 'sendMediaGroup' ? [message] : message
  }
  const record = (what: string): void => void (noted += what)
  const answer = async (input: unknown, init: { readonly body?: unknown } = {}): Promise<unknown> => {
    const address = String(input)
    record(`${address}\n${await bytesOf(init.body)}\n`)
    const json = { ok: true, result: resultOf(address.split('/').at(-1) ?? '') }
    return { ok: true, status: 200, json: async () => json }
  }
  return {
    client: { fetch: answer, canUseWebhookReply: () => true },
    envelope: {},
    record,
    taken: async () => {
      const taken = noted
      noted = ''
      return taken
    },
  }
}
