import { request } from 'node:http'
import { join } from 'node:path'
import type { Message } from 'grammy/types'
import type { AttackedCard, Target } from '../../src/doctor/attack/forgery.ts'
import { isObject } from '../../src/model/json.ts'
import type { BotApi } from '../fixtures/bot-api/server.ts'
import { until } from '../e2e/program.ts'

/** A chat of the agent's beside the owner's own, where its messages are held. */
export const heldChat = 8
const dayMs = String(24 * 3_600_000)
const heldCard = 'A message of main to telegram waits'
const heldText = 'HOLDME: what the owner has to release'
const held = { push_id: 'held', channel: 'telegram', chat_id: String(heldChat), text: heldText }
const asked = { session_id: 'waits', cwd: '/', tool_name: 'bash', tool_input: { command: 'ASKME waits' } }
const allowed = {
  session_id: 'allowed',
  cwd: '/',
  tool_name: 'bash',
  tool_input: { command: 'ASKME allowed' },
}

/** One request at an agent's socket; its answer, or `no answer`. */
export const post = (
  home: string,
  agent: string,
  path: string,
  body: object,
  {
    headers = {},
    timeoutMs = 20_000,
  }: { readonly headers?: Readonly<Record<string, string>>; readonly timeoutMs?: number } = {},
): Promise<unknown> => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const sent = request(
    {
      socketPath: join(home, 'run', `${agent}.sock`),
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json', ...headers },
      timeout: timeoutMs,
    },
    (response) => {
      let text = ''
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => (text += chunk))
        .on('end', () => resolve(JSON.parse(text)))
        .on('error', () => resolve('no answer'))
    },
  )
  sent.on('timeout', () => sent.destroy()).on('error', () => resolve('no answer'))
  sent.end(JSON.stringify(body))
  return promise
}

export const verdictOf = (answer: unknown): string =>
  isObject(answer) ? JSON.stringify([answer['verdict'], answer['reason']]) : 'no answer'

interface Shown {
  readonly message: Message
  readonly buttons: readonly { readonly label: string; readonly press: string }[]
}

/** What waits for the owner's word in a gate of which `api` is the messenger: its hooks ask about ASKME, and hold HOLDME. */
export const createWaiting = (home: string, api: () => BotApi) => {
  /** `waits`, or how another agent's question was answered. */
  let answer = 'none'

  /** The newest card in the owner's chat with these words. */
  const shown = (words: string): Shown | undefined => {
    // One that a gate had not sent when it was killed comes without buttons, after the next start.
    const message = api()
      .sent(7)
      .toReversed()
      .find(({ text, reply_markup }) => text?.includes(words) === true && reply_markup !== undefined)
    const buttons =
      message?.reply_markup?.inline_keyboard
        .flat()
        .flatMap((button) =>
          'callback_data' in button ? [{ label: button.text, press: button.callback_data ?? '' }] : [],
        ) ?? []
    return message === undefined || buttons.length === 0 ? undefined : { message, buttons }
  }
  const cardOf = (words: string, body: AttackedCard['body']): AttackedCard | undefined => {
    const found = shown(words)
    return found === undefined
      ? undefined
      : {
          handle: /^🛡 ([a-z0-9]{5}) /.exec(found.message.text ?? '')?.[1] ?? '',
          presses: found.buttons.map(({ press }) => press),
          body,
        }
  }
  const ask = (agent: string, body: object): Promise<unknown> =>
    post(home, agent, '/v1/events/pre_tool_call', body, {
      headers: { 'x-hookgate-ask-ms': dayMs },
      timeoutMs: Number(dayMs),
    })

  return {
    /** A message of the agent's that is held from now on. */
    hold: async (): Promise<void> => {
      const said = await post(home, 'main', '/v1/push', held)
      if (!isObject(said) || said['outcome'] !== 'held')
        throw new Error(`Expected a message to be held, got ${JSON.stringify(said)}.`)
      await until('its card', () => shown(heldCard), 60_000)
    },
    /** One call allowed for its session by a tap, and another that waits. The gate has just started. */
    raise: async (): Promise<void> => {
      answer = 'none'
      const first = ask('main', allowed)
      // In lockdown it is answered at once.
      const card = await Promise.race([
        until('the first card', () => shown('ASKME allowed'), 60_000),
        first.then((said): never => {
          throw new Error(`Expected a question, got ${verdictOf(said)}.`)
        }),
      ])
      await api().read()
      api().press(
        card.buttons.find(({ label }) => label === 'Allow for this session')?.press ?? '',
        card.message,
      )
      for (const said of [await first, await ask('main', allowed)])
        if (verdictOf(said) !== '["allow",null]')
          throw new Error(`Expected what was allowed for the session, got ${verdictOf(said)}.`)
      answer = 'waits'
      void ask('other', asked).then((said) => (answer = verdictOf(said)))
      const all = ['ASKME waits', heldCard]
      await until('what waits', () => all.every((words) => shown(words) !== undefined), 60_000).catch(
        (error: unknown) => {
          throw new Error(
            `${String(error)} The other agent had ${answer}. It shows:\n${api().texts(7).join('\n---\n')}`,
          )
        },
      )
    },
    /** Whether both wait still, as the asking agent and the chats see it. */
    facts: (): { readonly asked: string; readonly held: string } => {
      const isOver = api()
        .texts(7)
        .some((text) => /(Released|Withheld): .* of main to telegram/.test(text))
      return {
        asked: answer,
        held: api().texts(heldChat).includes(heldText) ? 'it left' : isOver ? 'it was answered' : 'waits',
      }
    },
    target: (): Pick<Target, 'waiting'> => {
      const [one, other] = [cardOf('ASKME waits', asked), cardOf(heldCard, held)]
      return one === undefined || other === undefined ? {} : { waiting: { asked: one, held: other, allowed } }
    },
    /** How many questions there were of what came over HTTP although it must not be heard. */
    unheard: (): number =>
      api()
        .texts(7)
        .filter((text) => text.includes('ASKME unheard')).length,
  }
}
