import type { IncomingMessage } from 'node:http'
import type { HistoryReader } from '../../../src/shared/events/kept.ts'
import type { HookSource } from '../../../src/shared/gate/hook-source.ts'
import type { Passkey } from '../../../src/core/model/gate/passkey.ts'
import type { Acted } from '../../../src/core/model/gate/problem.ts'
import type { Chat } from '../chat.ts'
import type { Challenges } from '../passkeys/challenges.ts'
import type { PageAccess } from './access.ts'
import type { PageFiles } from './page-files.ts'

/** The passkeys of the owners, as the gate keeps them. */
export interface PasskeyPorts {
  /** True for an owner, and for whoever reads the console. */
  mayEnter(id: string): boolean
  /** The passkey with this id, while its owner is one. */
  find(id: string): Passkey | undefined
  /** The ids of an owner's passkeys. */
  idsOf(owner: string): readonly string[]
  /** Writes a new passkey to the ledger and tells the owners. */
  add(passkey: Passkey): Promise<Acted>
  /** Notes how often the device says that it was used. False when it counts fewer uses than before. */
  noteUse(id: string, counter: number): Promise<boolean>
}

/** What the routes of the page need. A language is that of the page, as a tag. */
export interface PagePorts extends Pick<PageAccess, 'sessions' | 'url' | 'isRemote'> {
  readonly page: PageFiles
  readonly chat: Pick<Chat, 'open' | 'file' | 'sweep'>
  readonly challenges: Challenges
  readonly passkeys: PasskeyPorts
  now(): number
  elapsedMs(): number
  /** Why this gate does not work now, as one line for anybody. Undefined: it works. */
  unready(): string | undefined
  /** Reports that the sender of this request has a session. */
  known(request: IncomingMessage): void
  /** Reports that a login or a link was used. */
  entered(language: string | undefined): Promise<void>
  /** `zone`: the time zone of the browser, as it names it. */
  opened(language: string | undefined, zone: string | undefined): void
  /**
   * `replyTo`: the id of the notice to which the text is a reply. Resolves with the id of the message.
   * Undefined: it could not be kept.
   */
  said(text: string, replyTo: string | undefined, language: string | undefined): Promise<string | undefined>
  pressed(press: string, messageId: string, language: string | undefined): void
  /** The files of a hook. Undefined when the handle names none, or when it changed since it was shown. */
  source(handle: string): Promise<HookSource | undefined>
  /** The events of the last days. Undefined: none are kept, or the person of the page is no owner. */
  history(): HistoryReader | undefined
  loginMisused(why: string): void
  failed(error: Error): void
}
