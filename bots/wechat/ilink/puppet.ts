import { Puppet, types, type payloads } from 'wechaty-puppet'
import type { InboundFile as Offered } from '../../../src/core/model/chat/channel.ts'
import { boxOf, bytesOf, type Box } from '../file.ts'
import { fetched } from '../files.ts'
import { methodNames } from '../methods.ts'
import { createILink, type ILinkOptions } from './ilink.ts'
import type { ILinkPorts } from './context.ts'
import type { InboundFile } from './media.ts'
import { shortName } from './send.ts'
import type { Inbound } from './wire.ts'

/** The part of wechaty's class `Puppet` that is used. The class has more than fifty abstract methods. */
interface PuppetCore {
  emit(event: 'message', payload: payloads.EventMessage): boolean
  emit(event: 'scan', payload: payloads.EventScan): boolean
  login(userId: string): void
  logout(reason: string): Promise<void>
  readonly isLoggedIn: boolean
}
const Base = Puppet as unknown as new () => PuppetCore

const TYPES: Readonly<Record<Inbound['kind'], types.Message>> = {
  text: types.Message.Text,
  voice: types.Message.Audio,
  recalled: types.Message.Recalled,
  other: types.Message.Unknown,
}
const FILE_TYPES: Readonly<Record<InboundFile['kind'], types.Message>> = {
  image: types.Message.Image,
  voice: types.Message.Audio,
  file: types.Message.Attachment,
  video: types.Message.Video,
}

/** wechaty may ask for this many of the latest messages. Older messages were handled long ago. */
const MAX_REMEMBERED = 4000

interface RecentMessage {
  readonly message: Inbound
  readonly selfId: string
  readonly stored: (what: unknown) => void
}

/** Translates a message into wechaty's form. wechaty's messages have at most one file name. */
const payloadOf = ({
  message: {
    id,
    peerId,
    isOwn,
    atMs,
    kind,
    text,
    files: [first],
  },
  selfId,
}: RecentMessage): payloads.Message => ({
  id,
  talkerId: isOwn ? selfId : peerId,
  listenerId: isOwn ? peerId : selfId,
  timestamp: atMs,
  type: kind === 'other' && first !== undefined ? FILE_TYPES[first.kind] : TYPES[kind],
  text,
  filename: first?.name,
})

/** A wechaty puppet over Tencent's iLink bot interface: private chats, text and files. */
export const createPuppet = (options: ILinkOptions, ports: ILinkPorts): object => {
  const ilink = createILink(options, ports)
  const recent = new Map<string, RecentMessage>()

  class PuppetILink extends Base {
    private selfId = ''

    async onStart(): Promise<void> {
      await ilink.start({
        scan: (code) =>
          this.emit('scan', {
            qrcode: code,
            status: code === '' ? types.ScanStatus.Timeout : types.ScanStatus.Waiting,
          }),
        loggedIn: (botId) => {
          this.selfId = botId
          if (!this.isLoggedIn) this.login(botId)
        },
        loggedOut: () => this.logout('the session has ended'),
        take: (message) => {
          const { promise, resolve } = Promise.withResolvers<unknown>()
          recent.set(message.id, { message, selfId: this.selfId, stored: resolve })
          for (const oldest of recent.keys()) {
            if (recent.size <= MAX_REMEMBERED) break
            recent.delete(oldest)
          }
          this.emit('message', { messageId: message.id })
          return promise
        },
      })
    }

    async onStop(): Promise<void> {
      await ilink.stop()
    }

    /** Shows or hides the typing sign. Only people who wrote to the bot see it. It contains no text. */
    typing(chatId: string, isWorking: boolean): void {
      ilink.typing(chatId, isWorking)
    }

    /** How many messages a person gets before that person has to write again. */
    left(chatId: string): number | undefined {
      return ilink.left(chatId)
    }

    /**
     * Call this when a message is on disk, or with a promise that settles then. Without this call, WeChat
     * sends the message again.
     */
    kept(id: string, what: unknown): void {
      recent.get(id)?.stored(what)
    }

    /**
     * The files of a message with the names and sizes that WeChat gave. A file is downloaded when `bytes` is
     * called.
     */
    files(id: string): readonly Offered[] {
      return (recent.get(id)?.message.files ?? []).map(({ size = 0, ...file }) => ({
        name: file.name,
        type: file.type,
        size,
        bytes: () => fetched(size, () => ilink.download({ size, ...file })),
      }))
    }

    async messageRawPayload(id: string): Promise<RecentMessage> {
      const found = recent.get(id)
      if (found === undefined)
        throw new Error(
          'Expected the id of a recent message, got another id. Older messages are not remembered.',
        )
      return found
    }

    async messageRawPayloadParser(message: RecentMessage): Promise<payloads.Message> {
      return payloadOf(message)
    }

    /** Downloads the first file of a message. The download is bounded in size and time. */
    async messageFile(id: string): Promise<Box> {
      const { message } = await this.messageRawPayload(id)
      const [file] = message.files
      if (file === undefined) throw new Error('Expected a message with a file, got one without.')
      return boxOf({ name: file.name, bytes: await ilink.download(file) })
    }

    async messageImage(id: string): Promise<Box> {
      return await this.messageFile(id)
    }

    async messageSendFile(chatId: string, box: Box): Promise<string | undefined> {
      return await ilink.send(chatId, await bytesOf(box))
    }

    async messageSendText(chatId: string, text: string): Promise<string | undefined> {
      return await ilink.send(chatId, text)
    }

    async contactRawPayload(id: string): Promise<payloads.Contact> {
      return {
        id,
        name: shortName(id),
        avatar: '',
        gender: types.ContactGender.Unknown,
        type: types.Contact.Individual,
        phone: [],
      }
    }

    async contactRawPayloadParser(payload: payloads.Contact): Promise<payloads.Contact> {
      return payload
    }

    async contactList(): Promise<string[]> {
      return []
    }

    async roomList(): Promise<string[]> {
      return []
    }

    ding(): void {}
  }

  // wechaty requires these methods. Tencent's interface does not have them, or hookgate does not use them.
  for (const name of methodNames) {
    if (name in PuppetILink.prototype) continue
    const value = (): Promise<never> =>
      Promise.reject(
        new Error(
          `Expected a method that WeChat's bot interface has, got "${name}". Only text and files in private chats are possible.`,
        ),
      )
    Object.defineProperty(PuppetILink.prototype, name, { value, writable: true, configurable: true })
  }
  return new PuppetILink()
}
