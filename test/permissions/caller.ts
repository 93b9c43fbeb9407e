import { request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import type { OutgoingMessage } from '../../src/core/model/chat/push.ts'
import type { Plane } from '../plane.ts'
import { until } from '../plane.ts'

export interface Answered {
  readonly status: number
  readonly body: {
    readonly verdict?: string
    readonly reason?: string
    readonly event_id?: string
    readonly payload?: { readonly tool_input?: unknown }
    readonly error?: { readonly message: string }
  }
}

/** An agent's request on its socket. `asks` absent: without the header. */
export const send = (
  { home }: Pick<Plane, 'home'>,
  event: string,
  body: object,
  { askMs, signal }: { readonly askMs?: number | string; readonly signal?: AbortSignal } = {},
): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const sent = request(
      {
        socketPath: join(home, 'run', 'main.sock'),
        method: 'POST',
        path: `/v1/events/${event}`,
        headers: {
          'content-type': 'application/json',
          ...(askMs === undefined ? {} : { 'x-hookgate-ask-ms': String(askMs) }),
        },
        ...(signal === undefined ? {} : { signal }),
      },
      (response) =>
        void json(response).then(
          (body) => resolve({ status: response.statusCode ?? 0, body: body as Answered['body'] }),
          reject,
        ),
    )
    sent.on('error', reject)
    sent.end(JSON.stringify({ session_id: 's', cwd: '/w', ...body }))
  })

export const call = (tool_name: string, tool_input: object): object => ({ tool_name, tool_input })

/** What an owner's chat got since. */
export const sentMessages = ({ memory }: Plane, chat = 'owner'): readonly OutgoingMessage[] =>
  memory.sent().filter(({ chat_id }) => chat_id === chat)

/** True for the card of a tool call that waits. */
export const isCallCard = ({ text }: Pick<OutgoingMessage, 'text'>): boolean => text.includes(' · denied at ')

/** The next card in a chat that holds these words. */
export const nextCard = (plane: Plane, from: number, words = '', chat = 'owner'): Promise<OutgoingMessage> =>
  until(
    `a card with ${words} in ${JSON.stringify(
      sentMessages(plane, chat)
        .slice(from)
        .map(({ text }) => text),
    )}`,
    () =>
      sentMessages(plane, chat)
        .slice(from)
        .find((one) => isCallCard(one) && one.text.includes(words)),
  )

export const labels = ({ buttons }: OutgoingMessage): readonly (readonly string[])[] =>
  (buttons ?? []).map((row) => row.map(({ label }) => label))

export const tap = (
  plane: Plane,
  card: OutgoingMessage,
  label: string,
  { who = 'owner', chat = card.chat_id }: { readonly who?: string; readonly chat?: string } = {},
): void => {
  const press = card.buttons?.flat().find((button) => button.label === label)?.press
  if (press === undefined) throw new Error(`No button ${label} in ${JSON.stringify(labels(card))}`)
  plane.memory.press(press, card.outgoing_id, { chat_id: chat, sender_id: who })
}

/** The card with its other answers, or with what another of its buttons opens in its place. */
export const opened = async (
  plane: Plane,
  card: OutgoingMessage,
  label = 'More…',
): Promise<OutgoingMessage> => {
  tap(plane, card, label)
  return until(`what ${label} opens`, () =>
    sentMessages(plane, card.chat_id).find(({ replaces }) => replaces === card.outgoing_id),
  )
}

/** What took the place of a card. */
export const replaced = (plane: Plane, card: OutgoingMessage): Promise<string> =>
  until(
    'something in the place of the card',
    () => sentMessages(plane, card.chat_id).find(({ replaces }) => replaces === card.outgoing_id)?.text,
  )
