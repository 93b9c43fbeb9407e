import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { boundsOf, type BoundedServer } from '../../src/shared/base/bounded-server.ts'
import { isUnkept, type Channel, type ChannelPorts, type Message } from '../../src/core/model/chat/channel.ts'
import { ProblemError } from '../../src/core/model/gate/problem.ts'
import { chatId, createChat, type Chat } from './chat.ts'
import { listenOnLoopback } from './http/listen.ts'
import { createPageAccess, type PageAccess } from './http/access.ts'
import { createChallenges } from './passkeys/challenges.ts'
import type { PagePorts, PasskeyPorts } from './http/ports.ts'
import { readPageFiles } from './http/page-files.ts'
import type { HistoryReader } from '../../src/shared/events/kept.ts'
import type { HookSource } from '../../src/shared/gate/hook-source.ts'
import type { CardFacts, Preferences } from './preferences.ts'

const pingEveryMs = 15_000

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export type WebPorts = ChannelPorts & {
  preferences(): Promise<Preferences>
  /**
   * Calls `listener` whenever the result of `preferences()` may have changed. Returns a function that removes
   * the listener.
   */
  onPreferences(listener: () => void): () => void
  /**
   * Why this gate does not work now, as one line for anybody. Undefined: it works. Absent: it always works.
   */
  unready?(): string | undefined
  /** False when the person of the page is no owner. Absent: that person always is one. */
  isOwner?(): boolean
  /**
   * The facts of a button under a card. Undefined when a tap on it would not count. Absent: nothing is known.
   */
  cardOf?(press: string): CardFacts | undefined
  /** The files of the hook that a handle of the preferences names, read now. Undefined: no such hook. */
  source?(handle: string): Promise<HookSource | undefined>
  /** The events of the last days. Absent: none are kept. */
  readonly history?: HistoryReader
  /** The passkeys of the owners. Absent: there are none. */
  readonly passkeys?: PasskeyPorts
  /**
   * The page was opened by a person whose page shows this language, a tag of BCP 47, and whose browser has
   * this time zone. Absent: nobody asks.
   */
  reads?(language: string | undefined, zone: string | undefined): void
  /** A login was used, so somebody reads the console. */
  entered?(language: string | undefined): Promise<void>
  /**
   * Raises an alarm: somebody tried a login that was used before or never existed, or a session of another
   * browser.
   * `why` contains neither the login nor the session.
   */
  loginMisused(why: string): void
}

export interface WebOptions {
  readonly host: string
  /** 0 means any free port. */
  readonly port: number
  /** The logins and the address of the page. Absent: the channel makes its own. */
  readonly access?: PageAccess
  /** Gets the chat of the page. Tests use it to record what the tabs would show. */
  readonly lend?: (chat: Pick<Chat, 'open' | 'file'>) => void
}

export interface WebChannel extends Channel {
  /**
   * Makes a one-time login that is valid for 5 minutes. It is the part after `#` in the address that the
   * console prints.
   */
  mintLogin(): string
  /** Makes all unused logins expire. A later attempt with one is refused and raises no alarm. */
  expireLogins(): void
  /**
   * The page's URL without a slash at its end. It has the port after `start`. Each start has a new host name.
   */
  url(): string
}

/** Runs `work` now. Calls during a run cause one more run after it, so the last run sees the last change. */
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

/** A page without passkeys. */
export const noPasskeys: PasskeyPorts = {
  mayEnter: () => false,
  find: () => undefined,
  idsOf: () => [],
  add: async () => ({
    ok: false,
    problem: {
      code: 'passkey.none',
      message: 'Expected a gate that keeps passkeys, got one that does not.',
      fix: 'Log in on the machine where hookgate runs.',
    },
  }),
  noteUse: () => Promise.resolve(false),
}

/** The page has one conversation and so no topics. Its history has no drafts. */
const forms: Channel['forms'] = [
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
]

const checkHost = (host: string): void => {
  if (host === '127.0.0.1' || host === 'localhost') return
  throw new ProblemError({
    code: 'web.host',
    message: `Expected "channels.web.host" to be "127.0.0.1", got ${JSON.stringify(host)}.`,
    fix: 'Set it to "127.0.0.1". To open the page from another machine, set "channels.web.origin".',
  })
}

/** Makes the channel `web`. It serves a page on loopback for the person who can read hookgate's console. */
export const createWeb = (options: WebOptions, ports: WebPorts): WebChannel => {
  const now = (): number => ports.now()
  const access = options.access ?? createPageAccess(now)
  const { sessions } = access
  const passkeys = ports.passkeys ?? noPasskeys
  const isOwner = (): boolean => ports.isOwner?.() ?? true
  const chat = createChat({
    now,
    isAdmitted: (outgoing) => ports.isAdmitted(outgoing),
    isOwner,
    cardOf: (press) => ports.cardOf?.(press),
    preferences: () => ports.preferences(),
    unreadable: (error) => ports.log('error', 'the preferences could not be read', { error: String(error) }),
    refusedMessage: () => ports.tripped('web', 'deliver'),
  })
  options.lend?.(chat)
  let knowCaller: BoundedServer['know'] = () => undefined
  let stopAll: (() => Promise<void>) | undefined

  const refresh = coalesced(() => {
    sessions.endStale()
    chat.sweep((id) => sessions.isLive(id))
    return chat.refresh()
  })

  const receive = (
    message_id: string,
    text: string,
    language: string | undefined,
    more: Pick<Message, 'press' | 'reply_to'> = {},
  ): unknown =>
    ports.receive({
      channel: 'web',
      chat_id: chatId,
      message_id,
      sender_id: 'owner',
      sender_name: 'you',
      isPrivate: true,
      origin: 'plain',
      sentAtMs: ports.now(),
      text,
      language,
      ...more,
    })
  const receiveText: PagePorts['said'] = async (text, replyTo, language) => {
    const message_id = chat.say(text)
    if (!isUnkept(await receive(message_id, text, language, { reply_to: replyTo }))) return message_id
    chat.unkept(message_id)
    return undefined
  }

  /**
   * The routes are loaded at the first request, because they take 20 MB of memory and many users never open
   * the page.
   */
  const loadRoutes = async (): Promise<RequestHandler> => {
    const [{ getRequestListener }, { createRoutes }] = await Promise.all([
      import('@hono/node-server'),
      import('./http/routes.ts'),
    ])
    const app = createRoutes({
      page: await readPageFiles(),
      sessions,
      chat,
      unready: () => ports.unready?.(),
      url: access.url,
      isRemote: access.isRemote,
      challenges: createChallenges(now),
      passkeys,
      now,
      elapsedMs: () => ports.elapsedMs(),
      known: (request) => knowCaller(request),
      said: receiveText,
      source: async (handle) => (isOwner() ? ports.source?.(handle) : undefined),
      history: () => (isOwner() ? ports.history : undefined),
      pressed: (data, on_message_id, language) =>
        void receive(randomUUID(), '', language, { press: { data, on_message_id } }),
      opened: (language, zone) => {
        ports.reads?.(language, zone)
        refresh()
      },
      entered: async (language) => ports.entered?.(language),
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
    forms,
    hasButtons: true,
    url: access.url,
    mintLogin: () => sessions.mintLogin(),
    expireLogins: () => sessions.expireLogins(),
    start: async () => {
      checkHost(options.host)
      const listening = await listenOnLoopback(options.port, {
        ...boundsOf('page'),
        full: (count) =>
          ports.log('warn', 'closed some connections to the page because there were too many', { count }),
        serve: (request, response) => void answer(request, response),
      })
      access.listening(listening.port)
      knowCaller = listening.know
      const stopListening = ports.onPreferences(refresh)
      const timer = setInterval(() => chat.sweep((id) => sessions.isLive(id)), pingEveryMs)
      stopAll = async () => {
        clearInterval(timer)
        stopListening()
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
    deliver: (outgoing) => chat.deliver(outgoing),
    working: (chat_id, isWorking) => {
      if (chat_id === chatId) chat.working(isWorking)
    },
  }
}
