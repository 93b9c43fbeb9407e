import type { Prose } from '../../src/core/model/chat/prose.ts'
import type { Channel, ChannelPorts, Limit } from '../../src/core/model/chat/channel.ts'
import { platforms, type Platform } from '../../src/shared/chat/platform.ts'
import type { App, Patience } from './app.ts'
import { keepConnected } from './connect/connection.ts'
import { createHealth } from './connect/health.ts'
import { createExit } from './http/exit.ts'
import { libraryMethods } from './http/library.ts'
import { createDirectory } from './read/directory.ts'
import { createFetchFile } from './read/files.ts'
import { createClient, type FeishuSdk } from './sdk.ts'
import { createCall } from './write/call.ts'
import { createPrivateChats, isPerson, type ChatMemory } from './write/private-chats.ts'
import { maxUnits } from './write/refuse.ts'
import { createWriter } from './write/writer.ts'

export interface FeishuOptions extends Partial<ChatMemory> {
  readonly appId: string
  readonly appSecret: string
  /** Feishu in China, or Lark everywhere else. */
  readonly platform: Platform
  /** The address of the platform. Absent: its own. */
  readonly apiRoot?: string
  readonly sdk: FeishuSdk
  /** Absent: usual times. Only tests set this. */
  readonly patience?: Patience
}

/** One run of the connection, from start to stop. */
interface ConnectionRun {
  readonly controller: AbortController
  readonly ended: Promise<void>
}

const name = 'feishu'
/** Source: the page "Send message" of the Open Platform. */
const limits: readonly Limit[] = [
  { of: 'all', sends: 50, withinMs: 1000 },
  { of: 'all', sends: 1000, withinMs: 60_000 },
  { of: 'chat', sends: 5, withinMs: 1000 },
]

/**
 * Makes the channel `feishu`, which serves one self-built app over the SDK's long connection. No log entry
 * and no error contains the secret.
 */
export const createFeishu = (options: FeishuOptions, ports: ChannelPorts): Channel => {
  const {
    appId,
    appSecret,
    platform,
    sdk,
    recall = async () => undefined,
    remember = async () => undefined,
  } = options
  const root = (options.apiRoot ?? platforms[platform].root).replace(/\/+$/, '')
  const app: App = { appId, appSecret, root }
  const tripped = (what: string): void => ports.tripped(name, what)
  const trouble = (why: Prose, isBack: boolean): void => ports.trouble(name, why, isBack)
  const log: ChannelPorts['log'] = (level, what, fields) => ports.log(level, what, fields)
  const elapsedMs = (): number => ports.elapsedMs()

  const exit = createExit(app, tripped, options.patience?.requestMs)
  const { client, sender } = createClient(sdk, app, exit)
  const directory = createDirectory(sender, elapsedMs)
  const writer = createWriter({
    app,
    sender,
    call: createCall(exit, sender),
    chats: createPrivateChats({ recall, remember }),
    isAdmitted: (outgoing) => ports.isAdmitted(outgoing),
    elapsedMs,
    tripped,
    trouble,
    log: (what, fields) => ports.log('warn', what, fields),
  })

  const connect = (): ConnectionRun => {
    const controller = new AbortController()
    const ended = keepConnected(
      {
        sdk,
        app,
        exit,
        sender,
        pingS: options.patience?.pingS ?? 10,
        health: createHealth({ elapsedMs, trouble }),
        directory,
        fetchFile: createFetchFile(sender),
        // The people of Feishu read Chinese. Lark has people of every language.
        ...(platform === 'feishu' ? { language: 'zh-cn' } : {}),
        receive: (message) => ports.receive(message),
        now: () => ports.now(),
        log,
      },
      controller.signal,
    )
    return { controller, ended }
  }
  let connection: ConnectionRun | undefined

  return {
    name,
    maxUnits,
    forms: ['text', 'error', 'edit', 'photo', 'document', 'voice', 'album', 'reaction'],
    limits,
    groupOf: (chatId) => (isPerson(chatId) ? undefined : chatId),
    hasButtons: true,
    deliver: writer.deliver,
    readAnchor: writer.readAnchor,
    methods: () => libraryMethods(client),
    start: async () => {
      if (connection?.controller.signal.aborted === true) await connection.ended
      if (connection?.controller.signal.aborted !== false) connection = connect()
    },
    stop: async () => {
      connection?.controller.abort()
      // A server that does not answer must not delay the end.
      exit.abandon()
      await connection?.ended
    },
  }
}
