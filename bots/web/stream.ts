import type { Mark, PushType } from '../../src/model/content.ts'
import type { Button, CodeRange } from '../../src/model/push.ts'
import type { ShownPreferences } from './preferences.ts'

/** An address that the agent names. It is http or https, and whole. */
export interface ShownLink {
  readonly url: string
  /** Where it leads, when the words over it do not say so themselves. */
  readonly host?: string
}

/** How a run of the text looks. In UTF-16 units. */
export interface ShownMark {
  readonly type: Mark['type']
  readonly offset: number
  readonly length: number
  readonly link?: ShownLink
}

/** A file that `GET /api/files/<id>` gives, as long as it is kept. */
export interface ShownFile {
  readonly id: string
  readonly name: string
  /** In bytes. */
  readonly size: number
  /** By its bytes: one of the pictures and sounds that a page may show, or `application/octet-stream`. */
  readonly type: string
  /** Of a picture, in pixels. */
  readonly width?: number
  readonly height?: number
}

/** One bubble of the chat. Everything that an agent wrote in it is text to show. */
export interface ChatMessage {
  readonly id: string
  readonly from: 'you' | 'agent' | 'hookgate'
  readonly text: string
  readonly code: readonly CodeRange[]
  readonly atMs: number
  /** Rows of what can be tapped under a notice. */
  readonly buttons?: readonly (readonly Button[])[]
  /** Of an agent's message alone, as is all that follows but `reaction`. */
  readonly form?: PushType
  readonly marks?: readonly ShownMark[]
  readonly links?: readonly (ShownLink & { readonly label: string })[]
  readonly files?: readonly ShownFile[]
  /** Of a poll, to be read. */
  readonly options?: readonly string[]
  readonly place?: {
    readonly title?: string
    readonly address?: string
    readonly latitude: string
    readonly longitude: string
  }
  readonly contact?: { readonly name: string; readonly phone: string }
  readonly isEdited?: true
  /** What the agent put under it: one character. */
  readonly reaction?: string
}

/** What the owner's tabs are shown that nobody said: it never passes for a message. */
export type OwnerLine =
  | { readonly type: 'working'; readonly isWorking: boolean }
  | { readonly type: 'preferences'; readonly preferences: ShownPreferences }
  | { readonly type: 'preferences_unreadable' }
  | { readonly type: 'ping' }

/** One line of `GET /api/stream`, as JSON. The first is the history; a `working` and a `preferences` line follow. */
export type StreamLine =
  | OwnerLine
  | { readonly type: 'history'; readonly messages: readonly ChatMessage[] }
  /** A message whose id is known takes that one's place. */
  | { readonly type: 'message'; readonly message: ChatMessage }
