import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { boundsOf, type BoundedServer } from '../../src/model/bounded-server.ts'
import type { Channel, ChannelPorts, Message } from '../../src/model/channel.ts'
import { ProblemError } from '../../src/model/problem.ts'
import { chatId, createChat, type Chat } from './chat.ts'
import { listenOnLoopback } from './listen.ts'
import { createPageAccess, type PageAccess } from './access.ts'
import { readPageFiles } from './page-files.ts'
import type { Preferences } from './preferences.ts'

const pingEveryMs = 15_000

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export type WebPorts = ChannelPorts & {
  preferences(): Promise<Preferences>
  /** Calls the listener whenever `preferences()` may read differently. Returns how to stop that. */
  onPreferences(listener: () => void): () => void
  /** A login was used: whoever reads the console is there. */
  entered?(): void
  /** An alarm: somebody tried a login that was spent or that never was, or a session of another tab's. `why` holds neither. */
  loginMisused(why: string): void
}

export interface WebOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Who may open the page. Absent: one of its own. */
  readonly access?: PageAccess
  /** Is given the chat behind the page. Tests record with it what its tabs would show. */
  readonly lend?: (chat: Pick<Chat, 'open' | 'file'>) => void
}

export interface WebChannel extends Channel {
  /** A new one-time login, good for 5 minutes; what follows `#` in the address that the console prints. */
  mintLogin(): string
  /** What was printed and not used opens nothing any more, and is no alarm. */
  expireLogins(): void
  /** Without a slash at its end; after `start` with the port that was taken. Each start has a name of its own in it. */
  url(): string
}

/** Runs `work` now, and once more after it ended if it was called meanwhile: the last run has seen the last change. */
const coalesced = (work: () => Promise<void>): (() => void) => {
  let isRunning = false
  let isDue = false
  const run = async (): Promise<void> => {
    isRunning = true
    do {
      isDue = false
      await work()
    } while (isDue)
    isRunning = false
  }
  return () => {
    if (isRunning) isDue = true
    else void run()
  }
}

/** The channel `web`: a page on loopback for the one person who can read hookgate's console. */
export const createWeb = (options: WebOptions, ports: WebPorts): WebChannel => {
  const now = (): number => ports.now()
  const access = options.access ?? createPageAccess(now)
  const { sessions } = access
  const chat = createChat({
    now,
    isAdmitted: (parcel) => ports.isAdmitted(parcel),
    preferences: () => ports.preferences(),
    unreadable: (error) => ports.log('error', 'the preferences could not be read', { error: String(error) }),
    strayed: () => ports.tripped('web', 'deliver'),
  })
  options.lend?.(chat)
  let knowCaller: BoundedServer['know'] = () => undefined
  let stopAll: (() => Promise<void>) | undefined

  const refresh = coalesced(() => chat.refresh())

  const receive = (message_id: string, text: string, press?: Message['press']): void =>
    void ports.receive({
      channel: 'web',
      chat_id: chatId,
      message_id,
      sender_id: 'owner',
      sender_name: 'you',
      isPrivate: true,
      origin: 'plain',
      sentAtMs: ports.now(),
      text,
      ...(press === undefined ? {} : { press }),
    })
  const said = (text: string): string => {
    const message_id = chat.say(text)
    receive(message_id, text)
    return message_id
  }

  /** What answers comes with the first request: on a machine where nobody opens the page it would take 20 MB. */
  const loadRoutes = async (): Promise<RequestHandler> => {
    const [{ getRequestListener }, { createRoutes }] = await Promise.all([
      import('@hono/node-server'),
      import('./routes.ts'),
    ])
    const app = createRoutes({
      page: await readPageFiles(),
      sessions,
      chat,
      host: access.host,
      now,
      elapsedMs: () => ports.elapsedMs(),
      known: (request) => knowCaller(request),
      said,
      pressed: (data, on_message_id) => receive(randomUUID(), '', { data, on_message_id }),
      opened: refresh,
      entered: () => ports.entered?.(),
      loginMisused: (why) => ports.loginMisused(why),
      failed: (error) => ports.log('error', 'a request to the page failed', { error: String(error) }),
    })
    return getRequestListener(app.fetch, { overrideGlobalObjects: false })
  }
  let routes: Promise<RequestHandler> | undefined
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      routes ??= loadRoutes()
      await (
        await routes
      )(request, response)
    } catch (error) {
      ports.log('error', 'the page cannot be served', { error: String(error) })
      response.destroy()
    }
  }

  return {
    name: 'web',
    maxUnits: 16_000,
    // A topic has no place on one page, and a draft has none in a history.
    forms: [
      'text',
      'error',
      'edit',
      'photo',
      'document',
      'voice',
      'album',
      'poll',
      'location',
      'contact',
      'reaction',
    ],
    hasButtons: true,
    url: access.url,
    mintLogin: () => sessions.mintLogin(),
    expireLogins: () => sessions.expireLogins(),
    start: async () => {
      if (options.host !== '127.0.0.1' && options.host !== 'localhost') {
        throw new ProblemError({
          code: 'web.host',
          message: `Expected "channels.web.host" to be "127.0.0.1", got ${JSON.stringify(options.host)}.`,
          fix: 'Keep it on this machine and reach it from elsewhere through a tunnel, such as ssh -L.',
        })
      }
      const listening = await listenOnLoopback(options.port, {
        ...boundsOf('page'),
        full: (count) => ports.log('warn', 'too many connections to the page, some were cut off', { count }),
        serve: (request, response) => void answer(request, response),
      })
      access.listening(listening.port)
      knowCaller = listening.know
      const forget = ports.onPreferences(refresh)
      const timer = setInterval(() => chat.sweep((id) => sessions.isLive(id)), pingEveryMs)
      stopAll = async () => {
        clearInterval(timer)
        forget()
        sessions.endAll()
        chat.sweep(() => false)
        await listening.stop()
      }
    },
    stop: async () => {
      const stopping = stopAll
      stopAll = undefined
      await stopping?.()
    },
    deliver: (parcel) => chat.deliver(parcel),
    working: (chat_id, isWorking) => {
      if (chat_id === chatId) chat.working(isWorking)
    },
  }
}
