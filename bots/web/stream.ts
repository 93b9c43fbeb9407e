import type { Button, CodeRange } from '../../src/model/push.ts'
import type { Preferences } from './preferences.ts'

/** One bubble of the chat. */
export interface ChatMessage {
  readonly id: string
  readonly from: 'you' | 'agent' | 'hookgate'
  readonly text: string
  readonly code: readonly CodeRange[]
  readonly atMs: number
  /** Rows of what can be tapped under a notice. */
  readonly buttons?: readonly (readonly Button[])[]
}

/** What the owner's tabs are shown that nobody said: it never passes for a message. */
export type OwnerLine =
  | { readonly type: 'working'; readonly isWorking: boolean }
  | { readonly type: 'preferences'; readonly preferences: Preferences }
  | { readonly type: 'preferences_unreadable' }
  | { readonly type: 'ping' }

/** One line of `GET /api/stream`, as JSON. The first is the history; a `working` and a `preferences` line follow. */
export type StreamLine =
  | OwnerLine
  | { readonly type: 'history'; readonly messages: readonly ChatMessage[] }
  /** A message whose id is known takes that one's place. */
  | { readonly type: 'message'; readonly message: ChatMessage }
