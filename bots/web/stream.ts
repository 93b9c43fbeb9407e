import type { Mark, PushType } from '../../src/core/model/chat/content.ts'
import type { Button, CodeRange } from '../../src/core/model/chat/push.ts'
import type { ShownPreferences } from './preferences.ts'

/** An address that the agent wrote. It is a complete http or https URL. */
export interface ShownLink {
  readonly url: string
  /** The host of the address. Absent when the text of the link is the address itself. */
  readonly host?: string
}

/** A format for a part of the text. `offset` and `length` are in UTF-16 units. */
export interface ShownMark {
  readonly type: Mark['type']
  readonly offset: number
  readonly length: number
  readonly link?: ShownLink
}

/** A file of a message. `GET /api/files/<id>` gives its bytes as long as it is stored. */
export interface ShownFile {
  readonly id: string
  readonly name: string
  /** The size in bytes. */
  readonly size: number
  /**
   * The type according to its bytes: a picture or sound that a page may show, or `application/octet-stream`.
   */
  readonly type: string
  /** The size of a picture, in pixels. */
  readonly width?: number
  readonly height?: number
}

/** One message of the chat. Everything that an agent wrote is shown as text, never as markup. */
export interface ChatMessage {
  readonly id: string
  readonly from: 'you' | 'agent' | 'hookgate'
  readonly text: string
  readonly code: readonly CodeRange[]
  readonly atMs: number
  /** The buttons under a notice, in rows. A button that was answered is not among them. */
  readonly buttons?: readonly (readonly (Button & { readonly act?: string })[])[]
  /** The hook of a card. The page can show its files. */
  readonly hook?: { readonly handle: string; readonly name: string }
  /** The notice is a card that waits for the person. */
  readonly isPinned?: true
  /** The notice asks for a reply, so the message box is bound to it. */
  readonly asksReply?: true
  /**
   * Only an agent's message has this field and the following ones, and a notice that is a file has its form
   * and its file. Any message except a notice may have a `reaction`.
   */
  readonly form?: PushType
  readonly marks?: readonly ShownMark[]
  readonly links?: readonly (ShownLink & { readonly label: string })[]
  readonly files?: readonly ShownFile[]
  /** The options of a poll. They cannot be tapped. */
  readonly options?: readonly string[]
  readonly location?: {
    readonly title?: string
    readonly address?: string
    readonly latitude: string
    readonly longitude: string
  }
  readonly contact?: { readonly name: string; readonly phone: string }
  readonly isEdited?: true
  /** The gate could not keep this message of the person, so nobody got it. */
  readonly isUnkept?: true
  /** The agent's reaction to this message, one character. */
  readonly reaction?: string
}

/** A line for the tabs that is not a message. */
export type OwnerLine =
  | { readonly type: 'working'; readonly isWorking: boolean }
  | { readonly type: 'preferences'; readonly preferences: ShownPreferences }
  | { readonly type: 'preferences_unreadable' }
  /** The person of this page is no owner of the gate. Later lines are notices to that person alone. */
  | { readonly type: 'outsider' }
  | { readonly type: 'ping' }

/**
 * One line of `GET /api/stream`, as JSON. The first line is the history. A `working` and a `preferences` line
 * follow.
 */
export type StreamLine =
  | OwnerLine
  | { readonly type: 'history'; readonly messages: readonly ChatMessage[] }
  /** A message with a known id replaces the message with that id. */
  | { readonly type: 'message'; readonly message: ChatMessage }
