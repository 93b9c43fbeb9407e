import { request, type IncomingHttpHeaders } from 'node:http'
import '../../fixtures/localhost-names.ts'
import { createPageAccess } from '../../../bots/web/http/access.ts'
import { createWeb, type WebPorts } from '../../../bots/web/web.ts'
import type { Preferences } from '../../../bots/web/preferences.ts'
import { createKey } from '../../../src/attack/gate/proof.ts'
import { plain } from '../../../src/core/model/chat/content.ts'
import type { Message } from '../../../src/core/model/chat/channel.ts'
import type { NoticeForm, OutgoingMessage } from '../../../src/core/model/chat/push.ts'

export const preferences: Preferences = {
  isOn: false,
  held: [],
  guards: [],
  rows: [
    {
      handle: 'k7f2q',
      event: 'pre_tool_call',
      command: './examples/block_destructive.sh',
      status: '✓ approved',
      isLive: true,
      isApproved: true,
      canApprove: false,
      details: ['if it fails: blocks · last fired 2 min ago'],
    },
    {
      handle: '9xm4d',
      event: 'on_outbound_message',
      command: './examples/block_secrets.py --every-message --with "a rather long argument"',
      status: '✗ NOT approved',
      isLive: false,
      isApproved: false,
      canApprove: true,
      details: ['if it fails: warns, and goes on', 'config/shell_hooks.yaml:9'],
    },
  ],
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** The ports and the address of a page that a test wants otherwise. */
export interface ScriptedOptions {
  /** The address behind a proxy. */
  readonly origin?: string
  readonly ports?: Partial<WebPorts>
}

/** A started page whose ports only remember what they were told. */
export const startScripted = async (
  port = 0,
  startMs = 1_750_000_000_000,
  { origin, ports = {} }: ScriptedOptions = {},
) => {
  const received: Message[] = []
  const misuses: string[] = []
  const trips: string[] = []
  const admitted = new WeakSet<OutgoingMessage>()
  const listeners = new Set<() => void>()
  let nowMs = startMs
  let shown = preferences
  let isUnreadable = false
  let onReceive: (message: Message) => void = () => {}

  const access = createPageAccess(() => nowMs, origin)
  let listeningPort = 0
  const web = createWeb(
    {
      host: '127.0.0.1',
      port,
      access: {
        ...access,
        listening: (open) => {
          listeningPort = open
          access.listening(open)
        },
      },
    },
    {
      receive: (message) => {
        received.push(message)
        onReceive(message)
      },
      isAdmitted: (outgoing) => admitted.delete(outgoing),
      tripped: (channel, what) => trips.push(`${channel} ${what}`),
      trouble: () => {},
      menu: [],
      now: () => nowMs,
      elapsedMs: () => nowMs,
      log: () => {},
      preferences: () => (isUnreadable ? Promise.reject(new Error('planted')) : Promise.resolve(shown)),
      onPreferences: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      loginMisused: (why) => misuses.push(why),
      ...ports,
    },
  )
  await web.start()

  let count = 0
  const outgoing = (
    text: string,
    kind: OutgoingMessage['kind'] = 'push',
    code: OutgoingMessage['code'] = [],
    form: NoticeForm = {},
  ): OutgoingMessage =>
    Object.freeze({
      outgoing_id: `p${(count += 1)}`,
      channel: 'web',
      chat_id: 'main',
      kind,
      ...plain('text', text),
      code,
      ...form,
    })

  /** Delivers as the dispatcher's door would. */
  const deliver = (made: OutgoingMessage): ReturnType<typeof web.deliver> => {
    admitted.add(made)
    return web.deliver(made)
  }

  return {
    web,
    /** The port of 127.0.0.1 to which a proxy would send. */
    port: () => listeningPort,
    /** Makes a link as /login in a chat of this owner does. */
    link: (owner: string) => access.login(owner),
    received,
    misuses,
    trips,
    listeners,
    outgoing,
    tell: (...given: Parameters<typeof outgoing>) => deliver(outgoing(...given)),
    /** The same for a form of the agent's. */
    push: (text: string, over: Partial<OutgoingMessage>) =>
      deliver(Object.freeze({ ...outgoing(text), ...over })),
    reply: (to: typeof onReceive) => {
      onReceive = to
    },
    now: () => nowMs,
    pass: (ms: number) => {
      nowMs += ms
    },
    prefer: (next: Preferences) => {
      shown = next
      for (const listener of listeners) listener()
    },
    breakPreferences: () => {
      isUnreadable = true
      for (const listener of listeners) listener()
    },
  }
}

/** One request with exactly these headers; node:http sends even those that fetch would set by itself. */
export const ask = (
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const { origin } = new URL(url)
    // The path goes out as it is written: `new URL` would tidy up `/../`.
    const sent = request(origin, {
      path: url.slice(origin.length),
      method: options.method ?? 'GET',
      headers: options.headers ?? {},
      agent: false,
    })
    sent.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(options.body)
  })

/** What a signed-in tab sends along with one request: each has a proof of its own. */
export type Session = (method: string, path: string) => Record<string, string>

export const post = (
  base: string,
  path: string,
  body: unknown,
  session: Session = () => ({}),
): Promise<Reply> =>
  ask(`${base}${path}`, {
    method: 'POST',
    headers: { origin: base, ...session('POST', path) },
    body: JSON.stringify(body),
  })

interface Scripted {
  readonly web: { url(): string; mintLogin(): string }
  now(): number
}

/** Tries a login, with a key of its own unless one is given. */
export const tryLogin = ({ web, now }: Scripted, login: string, prove = createKey(now)): Promise<Reply> =>
  post(web.url(), '/api/login', { login }, (method, path) => ({ dpop: prove(method, `${web.url()}${path}`) }))

export const logIn = async (scripted: Scripted, prove = createKey(scripted.now)): Promise<Session> => {
  const { session } = JSON.parse((await tryLogin(scripted, scripted.web.mintLogin(), prove)).text) as {
    session: string
  }
  return (method, path) => ({
    authorization: `DPoP ${session}`,
    dpop: prove(method, `${scripted.web.url()}${path}`, { session }),
  })
}
