import type { Card, Untaken } from '../model/chat/card.ts'
import type { ListedHook } from '../model/gate/catalogue.ts'
import type { Message } from '../model/chat/channel.ts'
import type { Clock } from '../model/base/clock.ts'
import type { Entry } from '../model/hooks/entry.ts'
import type { FaultChoice } from '../model/hooks/fault.ts'
import type { NoticeText } from '../model/chat/notice.ts'
import type { Ending, Question, OwnerSpeaking, PersonAnswer } from '../model/gate/permission.ts'
import type { Problem } from '../model/gate/problem.ts'
import type { Prose } from '../model/chat/prose.ts'
import type { Recovery, Revoked } from '../model/gate/recovery.ts'
import type { Address, HeldPush, Waits } from '../model/chat/push.ts'
import type { AgentWord, EventRecord, Prompt, RecordClass } from '../model/events/record.ts'
import type { HookWorld } from '../model/hooks/hook-world.ts'
import type { Separation } from '../model/gate/separation.ts'

/** How much a command asks of the one who types it. `off` is privileged, but has no age. */
export type Need = 'owner' | 'privileged' | 'off'

/** Who typed a command, and where its answer goes. */
export interface CommandContext {
  readonly owner: string
  readonly address: Address
  readonly message: Message
  /** Says something before the command's own answer, for what takes a while. */
  progress(said: NoticeText): void
}

export interface Command {
  /** `hooks approve`: the words after the slash. */
  readonly path: string
  readonly usage: string
  readonly summary: string
  readonly need: Need
  /** It shows or seals what files say: they are looked at anew before it runs. */
  readonly looks?: true
  run(rest: string, context: CommandContext): NoticeText | Promise<NoticeText>
}

/** The gate as it stands. */
export interface GatePorts {
  gate(): {
    readonly isOn: boolean
    readonly isForcedOn: boolean
    readonly revision: number
    readonly offUntilMs?: number
    readonly lockdown?: string
    readonly good?: { readonly lines: number; readonly head: string }
    readonly owners: readonly { readonly id: string; readonly chat_id?: string }[]
  }
}

/** What an owner does to the gate. */
export interface GateActPorts {
  /** `forMs`: off only for so long. */
  setSwitch(
    isOn: boolean,
    by: string,
    forMs?: number,
  ): { readonly isChanged: boolean; readonly warning?: string }
  /**
   * Seals the bytes as they are now, if they are still those of the fingerprint that was looked at. `choice`:
   * what its failures do.
   */
  approve(
    entry: Entry,
    by: string,
    expected: string | undefined,
    choice?: FaultChoice,
  ):
    | { readonly ok: true; readonly isNew: boolean; readonly fingerprint: string }
    | { readonly ok: false; readonly problem: Problem }
  revoke(fingerprint: string, by: string): Revoked
  /** Ends a lockdown. With a head, goes on from the good line that has it. */
  recover(by: string, head?: string): Recovery
}

/** As whom hooks and agents run, and where. */
export interface HousePorts {
  readonly separation: Separation
  /** What hooks find around them. */
  readonly world: Pick<HookWorld, 'home' | 'tmp' | 'tmpdir'>
}

/** What is proposed and approved, as a list. */
export interface CataloguePorts {
  /** The list as files and gate were seen last. */
  rows(): readonly ListedHook[]
  /**
   * Has the files looked at anew, first what `about` names: by a command, or by the fingerprint that a handle
   * stands for. Never rejects, and has an end.
   */
  look(this: void, about?: string): Promise<void>
  /** What is wrong with the configuration file as a whole, if something is. */
  sourceProblem(): Problem | undefined
  /**
   * An owner said yes or not now to a proposal. `isQuiet`: after so many not nows, new ones are told together
   * for a while.
   */
  answered(row: ListedHook, isYes: boolean): { readonly isQuiet: boolean }
  lastFiredMs(fingerprint: string): number | undefined
}

/** What was approved and what is proposed, file by file, and what owners were shown of it. */
export interface SealPorts {
  /** An approval in force, as it was approved; its files are those of its seal. */
  approved(fingerprint: string):
    | (Pick<ListedHook, 'watched' | 'unsealed' | 'under' | 'interpreter' | 'files'> & {
        readonly entry: Entry
      })
    | undefined
  /** A file's bytes from the seal of an approval; undefined when they are not there as approved. */
  sealedBytes(fingerprint: string, name: string): Buffer | undefined
  /** A proposed file's bytes as an approval would read them now, or nothing when it could not. */
  proposedBytes(name: string): Buffer | undefined
  /** What `rememberShown` got last, before this start. */
  readonly shownBefore: string | undefined
  /** Under which names owners were shown something, for the next start. */
  rememberShown(this: void, what: string): Promise<void>
}

/** What can be found out about hooks by running them. */
export interface DoctorPorts {
  /** Runs the approved hooks, or one, on synthetic payloads. */
  doctor(fingerprint: string | undefined, progress: (text: Prose) => void): Promise<Prose>
}

/** The codes that name one thing to one owner. */
export interface HandlePorts {
  /** `shows`: it stands on what shows all that an approval would bind, and this is what it is. */
  handle(owner: string, chat: string, key: string, shows?: string): string
  /** The same for the owner's own page, where no hook comes between. */
  pageHandle(owner: string, chat: string, key: string, shows?: string): string
  resolveHandle(
    owner: string,
    chat: string,
    handle: string,
  ):
    | { readonly fingerprint: string; readonly shows?: string; readonly hiddenBy?: string }
    | { readonly why: string }
  /** The hook that hid some of it where this owner was shown it last, in this chat: no yes to it counts. */
  hiddenBy(owner: string, chat: string, fingerprint: string): string | undefined
}

/** The buttons under a card. */
export interface ButtonPorts {
  /** A new button: what the messenger gives back when it is tapped. */
  mint(card: Card): string
  /** What a tapped button stands for, once; or why it counts for nothing. */
  take(asked: { readonly press: string; readonly owner: string; readonly chat: string }): Card | Untaken
  /** Whether a person can tap buttons in a channel. */
  hasButtons(channel: string): boolean
}

/** What happened, as it was recorded. */
export interface RecordPorts {
  records(query: {
    limit: number
    eventId?: string
    kinds?: readonly EventRecord['kind'][]
    ofClass?: RecordClass
  }): Promise<readonly EventRecord[]>
}

/** The messages of agents on their way out. */
export interface PushPorts {
  /** What agents said and did not leave yet. */
  waiting(): readonly Waits[]
  /** What of it waits for an owner's word. */
  held(): readonly HeldPush[]
  /** False: it does not wait any more. */
  answerHeld(held: HeldPush, how: 'release' | 'withhold', by: string): boolean
}

/** What agents wait for. */
export interface QuestionPorts {
  /** The tool calls that wait for a person's word. */
  readonly asks: {
    waiting(): readonly Question[]
    /** Shows one once more; its card says how it ended like the others. */
    showAgain(key: string, address: Address): void
    /** `isYours`: it counted; else how the question had ended before. Undefined: there was none. */
    answer(
      key: string,
      word: PersonAnswer,
      speaker: OwnerSpeaking,
    ): { readonly ending: Ending; readonly question?: Question; readonly isYours: boolean } | undefined
  }
}

/** The agents that serve chats. */
export interface AgentCommandPorts {
  /** Tells the chat's agent a word. False when none is connected. */
  tellAgent(what: AgentWord, address: Address): boolean
  /** Gives the chat's agent a message. */
  prompt(message: Omit<Prompt, 'prompt_id' | 'agent_id' | 'state'>): Promise<void>
  /**
   * Asks the agent host to restore the last snapshot, of the chat's agent unless one is named. The texts are
   * words of the agent's user.
   */
  undo(
    address: Address,
    agentId: string | undefined,
  ): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string }>
}

/** Who owns the gate. */
export interface OwnerPorts {
  /**
   * Who owns the gate, in the order in which they came. `by` is an owner's id, `adoption` or `console`; `at`
   * is ISO 8601.
   */
  owners(): readonly {
    readonly id: string
    readonly by: string
    readonly at: string
    readonly isCurrent: boolean
  }[]
  /** A one-time code with which one more person can ask to be an owner. */
  invite(by: string, where: Address): string
  /** An owner's answer to who typed their code. */
  answerPairing(
    key: string,
    by: string,
    isYes: boolean,
  ):
    | { readonly ok: true; readonly id: string; readonly chat: Address }
    | { readonly ok: false; readonly why: 'gone' | 'not_written' }
  removeOwner(
    id: string,
    by: string,
  ): { readonly ok: true } | { readonly ok: false; readonly problem: Problem }
  /** A fresh one-time address of the web page. */
  login(): string
}

/** How owners are told things. */
export interface TellPorts {
  ownerChats(): readonly Address[]
  tell(address: Address, text: Prose): void
  /** Tells every owner, on every channel, but not the chat where the answer goes. */
  tellOthers(said: NoticeText | ((chat: Address) => NoticeText), but: Address): void
}

export type TimePorts = Pick<Clock, 'now'>

/** What of the gate the commands may see and do. Each command takes only the families that it uses. */
export interface CommandPorts
  extends
    GatePorts,
    GateActPorts,
    HousePorts,
    CataloguePorts,
    SealPorts,
    DoctorPorts,
    HandlePorts,
    ButtonPorts,
    RecordPorts,
    PushPorts,
    QuestionPorts,
    AgentCommandPorts,
    OwnerPorts,
    TellPorts,
    TimePorts {}
