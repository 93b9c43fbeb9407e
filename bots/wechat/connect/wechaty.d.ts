/**
 * The part of wechaty's packages that is used, for a checkout where they are not installed. Where they are,
 * TypeScript takes their own types.
 */
declare module 'wechaty*' {
  type Listener = (...args: never[]) => void

  interface FileBox {
    readonly name: string
    readonly type: number
    toBuffer(): Promise<Buffer>
    toStream(): Promise<AsyncIterable<unknown>>
  }

  export namespace payloads {
    interface EventMessage {
      readonly messageId: string
    }
    interface EventScan {
      readonly qrcode?: string
      readonly status: number
    }
    interface Contact {
      readonly id: string
      readonly name: string
      readonly avatar: string
      readonly gender: number
      readonly type: number
      readonly phone: readonly string[]
    }
    interface Message {
      readonly id: string
      readonly talkerId: string
      readonly listenerId?: string
      readonly timestamp: number
      readonly type: types.Message
      readonly text?: string
      readonly filename?: string
    }
  }

  export namespace types {
    type Message = number
    const Message: Readonly<
      Record<'Attachment' | 'Audio' | 'Image' | 'Recalled' | 'Text' | 'Unknown' | 'Video', Message>
    >
    const ScanStatus: Readonly<Record<'Timeout' | 'Waiting', number>>
    const Contact: Readonly<Record<'Individual', number>>
    const ContactGender: Readonly<Record<'Unknown', number>>
  }

  export namespace impls {
    interface PuppetAbstract {
      readonly [method: string]: (...args: never[]) => unknown
    }
    interface PuppetInterface {
      readonly isLoggedIn: boolean
      readonly currentUserId: string
      on(event: string, listener: Listener): void
      messageFile(messageId: string): Promise<FileBox>
    }
  }

  export interface MessageInterface {
    readonly id: string
    readonly payload?: payloads.Message
    date(): Date
    room(): { readonly id: string } | undefined
    talker(): { readonly id: string; name(): string }
    text(): string
    toFileBox(): Promise<FileBox>
    type(): number
  }

  export interface WechatyInterface {
    on(event: string, listener: Listener): WechatyInterface
    start(): Promise<void>
    stop(): Promise<void>
  }

  export const Puppet: object
  export const log: { level(level: 'silent'): void }
  export const WechatyBuilder: {
    build(options: { readonly puppet: impls.PuppetInterface }): WechatyInterface
  }
}
