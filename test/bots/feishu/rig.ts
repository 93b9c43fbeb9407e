import { proseText } from '../../../src/core/model/chat/prose.ts'
import { onTestFinished } from 'vitest'
import { createFeishu, type FeishuOptions } from '../../../bots/feishu/feishu.ts'
import { loadSdk } from '../../../bots/feishu/sdk.ts'
import type { ChatMemory } from '../../../bots/feishu/write/private-chats.ts'
import type { Channel, ChannelPorts, Message } from '../../../src/core/model/chat/channel.ts'
import { plain } from '../../../src/core/model/chat/content.ts'
import type { OutgoingMessage } from '../../../src/core/model/chat/push.ts'
import {
  startFeishu,
  type Feishu,
  type FeishuOptions as ServerOptions,
} from '../../fixtures/feishu/server.ts'

export interface Rig {
  readonly server: Feishu
  readonly channel: Channel
  /** What the channel keeps for its next start. */
  readonly memory: ChatMemory
  readonly received: readonly Message[]
  readonly troubles: readonly { readonly why: string; readonly isBack: boolean }[]
  readonly tripped: readonly string[]
  /** Everything that was logged, as text. */
  logs(): string
  /** A message that the door let through, to the owner's chat. */
  outgoing(text: string, rest?: Partial<OutgoingMessage>): OutgoingMessage
  /** Starts the channel, and waits for its connection. */
  connect(): Promise<void>
}

/** A gate that hears nothing and lets every message through. */
export const quietPorts: ChannelPorts = {
  receive: () => undefined,
  isAdmitted: () => true,
  tripped: () => undefined,
  trouble: () => undefined,
  menu: [],
  now: Date.now,
  elapsedMs: () => performance.now(),
  log: () => undefined,
}

/** The channel of the app of this platform. */
export const channelOf = async (
  { appId, appSecret, root }: Feishu,
  ports: ChannelPorts,
  more: Partial<FeishuOptions> = {},
): Promise<Channel> =>
  createFeishu({ appId, appSecret, platform: 'lark', apiRoot: root, sdk: await loadSdk(), ...more }, ports)

/** The channel over a platform on loopback, with what it told the gate. Both end with the test. */
export const createRig = async (
  options: {
    readonly receive?: (message: Message) => unknown
    readonly server?: ServerOptions
    readonly channel?: Partial<FeishuOptions>
  } = {},
): Promise<Rig> => {
  const server = await startFeishu(options.server)
  const received: Message[] = []
  const troubles: { why: string; isBack: boolean }[] = []
  const tripped: string[] = []
  const logs: string[] = []
  const admitted = new WeakSet<OutgoingMessage>()
  const ports: ChannelPorts = {
    ...quietPorts,
    receive: (message) => {
      received.push(message)
      return options.receive?.(message)
    },
    isAdmitted: (outgoing) => admitted.has(outgoing),
    tripped: (channel, what) => void tripped.push(`${channel} ${what}`),
    trouble: (_, why, isBack) => void troubles.push({ why: proseText(why), isBack }),
    log: (level, what, fields) => void logs.push(JSON.stringify({ level, what, ...fields })),
  }
  let kept: string | undefined
  const memory: ChatMemory = {
    recall: async () => kept,
    remember: async (text) => {
      kept = text
    },
  }
  const channel = await channelOf(server, ports, { ...memory, ...options.channel })
  onTestFinished(async () => {
    await channel.stop()
    await server.stop()
  })
  return {
    server,
    channel,
    memory,
    received,
    troubles,
    tripped,
    logs: () => logs.join('\n'),
    outgoing: (text, rest = {}) => {
      const outgoing: OutgoingMessage = Object.freeze({
        channel: 'feishu',
        chat_id: server.owner.open_id,
        outgoing_id: 'p1',
        kind: 'push',
        ...plain('text', text),
        code: [],
        ...rest,
      })
      admitted.add(outgoing)
      return outgoing
    },
    connect: async () => {
      await channel.start()
      await server.waitFor(() => server.isConnected())
    },
  }
}
