import type { Row } from '../model/catalogue.ts'
import type { Message } from '../model/channel.ts'
import type { Entry } from '../model/entry.ts'
import type { Problem } from '../model/problem.ts'
import type { Prose } from '../model/prose.ts'
import type { Address } from '../model/push.ts'
import type { EventRecord } from '../model/record.ts'
import type { Separation } from '../model/separation.ts'

/** How much a command asks of the one who types it. `off` is privileged, but has no age. */
export type Need = 'owner' | 'privileged' | 'off'

/** Who typed a command, and where its answer goes. */
export interface CommandContext {
  readonly owner: string
  readonly address: Address
  readonly message: Message
  /** Says something before the command's own answer, for what takes a while. */
  progress(text: Prose): void
}

export interface Command {
  /** `hooks approve`: the words after the slash. */
  readonly path: string
  readonly usage: string
  readonly summary: string
  readonly need: Need
  run(rest: string, context: CommandContext): Prose | Promise<Prose>
}

/** What of the gate the commands may see and do. */
export interface CommandPorts {
  gate(): { readonly isOn: boolean; readonly isForcedOn: boolean; readonly revision: number; readonly lockdown?: string }
  /** The list as it stands now, files re-read. */
  rows(): readonly Row[]
  /** What is wrong with the configuration file as a whole, if something is. */
  sourceProblem(): Problem | undefined
  readonly separation: Separation
  setSwitch(isOn: boolean, by: string): { readonly isChanged: boolean; readonly warning?: string }
  /** Seals the bytes as they are now, if they are still those of the fingerprint that was looked at. */
  approve(entry: Entry, by: string, expected: string | undefined): { readonly ok: true; readonly isNew: boolean; readonly fingerprint: string } | { readonly ok: false; readonly problem: Problem }
  revoke(fingerprint: string, by: string): boolean
  recover(by: string): { readonly ok: boolean; readonly why?: string }
  handle(owner: string, chat: string, key: string): string
  resolveHandle(owner: string, chat: string, handle: string): { readonly fingerprint: string } | { readonly why: string }
  lastFiredMs(fingerprint: string): number | undefined
  /** The first lines of a proposed file, or nothing when it cannot be read. */
  headOf(path: string): readonly string[]
  records(query: { limit: number; eventId?: string; kinds?: readonly EventRecord['kind'][] }): Promise<readonly EventRecord[]>
  /** Runs the approved hooks, or one, on synthetic payloads. */
  doctor(fingerprint: string | undefined, progress: (text: Prose) => void): Promise<Prose>
  /** Tells the chat's agent to stop or to begin anew. False when none is connected. */
  tellAgent(what: 'cancel' | 'new', address: Address): boolean
  /** Asks the agent host to restore the last snapshot, of the chat's agent unless one is named. The texts are words of the agent's user. */
  undo(address: Address, agentId: string | undefined): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string }>
  /** Who owns the gate, in the order in which they came. `by` is an owner's id, `adoption` or `console`; `at` is ISO 8601. */
  owners(): readonly { readonly id: string; readonly by: string; readonly at: string; readonly isCurrent: boolean }[]
  ownerChats(): readonly Address[]
  tell(address: Address, text: Prose): void
  /** A one-time code with which one more person can ask to be an owner. */
  invite(by: string, where: Address): string
  /** An owner's answer to who typed their code. */
  answerPairing(key: string, by: string, isYes: boolean): { readonly ok: true; readonly id: string; readonly chat: Address } | { readonly ok: false; readonly why: 'gone' | 'not_written' }
  removeOwner(id: string, by: string): { readonly ok: true } | { readonly ok: false; readonly problem: Problem }
  /** A fresh one-time address of the web page. */
  login(): string
  now(): number
}
