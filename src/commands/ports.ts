import type { Standby } from '../shared/gate/standby.ts'
import type { Card, IgnoredTap } from '../core/model/chat/card.ts'
import type { Message } from '../core/model/chat/channel.ts'
import type { Language } from '../core/model/chat/language.ts'
import type { NoticeText } from '../core/model/chat/notice.ts'
import type { Prose } from '../core/model/chat/prose.ts'
import type { Address, HeldPush, ChatBacklog } from '../core/model/chat/push.ts'
import type { Zone } from '../core/model/chat/zone.ts'
import type { HistoryReader } from '../shared/events/kept.ts'
import type { EventRecord, Prompt } from '../core/model/events/record.ts'
import type { AgentControl } from '../shared/events/inbox-line.ts'
import type { RecordQuery } from '../shared/events/record-class.ts'
import type { FileFacts, ListedHook } from '../shared/gate/catalogue.ts'
import type { FormWord } from '../shared/gate/form.ts'
import type { NewGrant, StandingGrant } from '../core/model/gate/grant.ts'
import type {
  CardForm,
  Ending,
  FillResult,
  OwnerSpeaking,
  PersonAnswer,
  Question,
} from '../shared/gate/permission.ts'
import type { Consent } from '../core/model/gate/consent.ts'
import type { Need, Person, RoleGiven } from '../core/model/gate/person.ts'
import type { Acted, Problem } from '../core/model/gate/problem.ts'
import type { Recovery, Revoked } from '../core/model/gate/recovery.ts'
import type { Separation } from '../shared/gate/separation.ts'
import type { AgentNode } from '../shared/nodes/agent-node.ts'
import type { AgentBudget, BudgetExtension } from '../shared/hooks/budget.ts'
import type { Entry } from '../core/model/hooks/entry.ts'
import type { Evidence, TrialScope } from '../shared/hooks/evidence.ts'
import type { ApprovalChoice, PromotionChoice } from '../core/model/hooks/fault.ts'
import type { GalleryJob } from '../shared/hooks/gallery.ts'
import type { HookWorld } from '../shared/hooks/hook-world.ts'
import type { ShadowCounts } from '../shared/hooks/shadow.ts'

/** The person who typed a command, and the chat of its answer. */
export interface CommandContext {
  readonly owner: string
  readonly address: Address
  readonly message: Message
  /** The person's own, for acts that change the gate. It counts until the command has ended. */
  readonly consent: Consent
  /** Everything that an approval would bind, which the card of a tapped yes shows. */
  readonly seen?: string
  /** Sends a notice before the command's own answer, when the command takes a while. */
  progress(said: NoticeText): void
  /**
   * Resolves when the commands about hooks that were typed earlier are done. Absent when none is under way.
   */
  readonly earlier?: Promise<unknown>
}

export interface Command {
  /** The words after the slash, as in `hooks approve`. */
  readonly path: string
  readonly usage: string
  readonly summary: string
  readonly need: Need
  /** The command shows or seals contents of files, so they are read again before it runs. */
  readonly needsRefresh?: true
  run(rest: string, context: CommandContext): NoticeText | Promise<NoticeText>
}

export interface TrialRequest {
  readonly entry: Entry
  readonly fingerprint: string
  /** True: its approved bytes are asked. Otherwise the proposed ones are. */
  readonly isSealed: boolean
  /** The fingerprint of the approved version that is asked, too, to compare. */
  readonly sealed?: string
  readonly scope: TrialScope
}

/** A trial that has begun. */
export interface BegunTrial {
  /** Resolves when nothing of it runs any more. Never rejects. */
  readonly over: Promise<Evidence | Problem>
  /** The listener is called after each event from now on. It can ask for what was found so far. */
  hear(listener: (found: () => Evidence) => void): void
}

/** All that commands may see and do. The gate, its agents and its stores stand behind it. */
export interface CommandPorts {
  gate(): {
    readonly isOn: boolean
    readonly isForcedOn: boolean
    readonly revision: number
    readonly offUntilMs?: number
    readonly lockdown?: string
    readonly good?: { readonly lines: number; readonly head: string }
    /** Everybody who has a role. */
    readonly people: readonly Person[]
  }

  // The acts by which an owner changes the gate.
  /** `forMs`: switches off only for this time. */
  setSwitch(
    isOn: boolean,
    consent: Consent,
    forMs?: number,
  ): Promise<{ readonly isChanged: boolean; readonly warning?: string }>
  /**
   * Seals the current bytes, if they still have the expected fingerprint. `choice`: whether failures block,
   * or that it never decides.
   */
  approve(
    entry: Entry,
    consent: Consent,
    expected: string | undefined,
    choice?: ApprovalChoice,
  ): Promise<Acted<{ readonly isNew: boolean; readonly fingerprint: string }>>
  /** Makes a shadow decide, with the bytes that are sealed. */
  promote(
    fingerprint: string,
    consent: Consent,
    choice?: PromotionChoice,
  ): ReturnType<CommandPorts['approve']>
  revoke(fingerprint: string, consent: Consent): Promise<Revoked>
  /** Ends a lockdown. With a head, the ledger continues after the good line that has it. */
  recover(consent: Consent, head?: string): Promise<Recovery>

  readonly separation: Separation
  /** The folders that hooks find. */
  readonly world: Pick<HookWorld, 'home' | 'tmp' | 'tmpdir'>

  /** The list as of the last reading of files and gate. */
  rows(): readonly ListedHook[]
  /**
   * Reads the files again, first the entry that `about` names by its command or fingerprint. Never rejects,
   * and ends in bounded time.
   */
  refresh(this: void, about?: string): Promise<void>
  /** The problem of the configuration file as a whole, if there is one. */
  sourceProblem(): Problem | undefined
  /**
   * Notes an owner's yes or not now to a proposal. `isQuiet`: after several not nows, news come together for
   * a while.
   */
  answered(row: ListedHook, isYes: boolean): { readonly isQuiet: boolean }
  lastFiredMs(fingerprint: string): number | undefined
  /** What a shadow would have done since the start. Undefined when it got no event yet. */
  shadowCounts(fingerprint: string): ShadowCounts | undefined

  gallery(): readonly (GalleryJob & { readonly entry: Entry })[]
  /** The hooks that are part of hookgate, with their names and descriptions. */
  shipped(): readonly Entry[]
  /** Writes one more proposal into the workspace's file, with the agent's rights. Returns why that failed. */
  propose(hook: GalleryJob['hook'] & { readonly name: string }): Promise<string | undefined>

  // The files of approved and of proposed hooks, and the memory of what owners were shown.
  /** An approval in force, with the files of its seal. */
  approved(fingerprint: string):
    | (Pick<ListedHook, 'watched' | 'unsealed' | 'under' | 'interpreter' | 'files'> & {
        readonly entry: Entry
      })
    | undefined
  /** A file's bytes from the seal of an approval. Undefined when the seal is not as approved. */
  sealedBytes(fingerprint: string, name: string): Buffer | undefined
  /** A proposed file's bytes as an approval would read them now. Undefined when it could not read them. */
  proposedBytes(file: Pick<FileFacts, 'path' | 'sha256'>): Buffer | undefined
  /** The text that `rememberShown` stored last, before this start. */
  readonly shownBefore: string | undefined
  /** Stores the names under which owners were shown something, for the next start. */
  rememberShown(this: void, what: string): Promise<void>

  /** Runs the approved hooks, or one, on synthetic payloads. */
  doctor(fingerprint: string | undefined, progress: (text: Prose) => void): Promise<Prose>

  // The handles. Each names one card to one owner.
  /** `shows`: the digest of all that an approval would bind, when the card shows all of it. */
  handle(owner: string, chat: string, key: string, shows?: string): string
  /** The same for the owner's own page, which no hook can change. */
  pageHandle(owner: string, chat: string, key: string, shows?: string): string
  resolveHandle(
    owner: string,
    chat: string,
    handle: string,
  ):
    | { readonly fingerprint: string; readonly shows?: string; readonly hiddenBy?: string }
    | { readonly why: string }
  /** The handle of the card that a message shows to this owner in this chat. */
  handleOn(owner: string, chat: string, messageId: string): string | undefined
  /**
   * The hook that hid part of the card when this owner saw it last in this chat. A yes does not count then.
   */
  hiddenBy(owner: string, chat: string, fingerprint: string): string | undefined

  /** Makes a button. Returns the text that the messenger gives back when it is tapped. */
  mint(card: Card): string
  /** The card of a tapped button, once, or the reason why the tap does not count. */
  take(asked: { readonly press: string; readonly owner: string; readonly chat: string }): Card | IgnoredTap
  /** True when a person can tap buttons in this channel. */
  hasButtons(channel: string): boolean
  /** True when a notice in this channel can have a file beside it. */
  takesFiles(channel: string): boolean

  records(query: RecordQuery): Promise<readonly EventRecord[]>

  /** Absent: gate.yaml keeps none. */
  readonly history: HistoryReader | undefined

  /** The newest evidence of exactly these bytes since the start, compared with the version `sealed`. */
  evidenceOf(fingerprint: string, sealed: string | undefined): Evidence | undefined

  // The trials of hooks on events of the past. One runs at a time.
  readonly tries: {
    /** Resolves when the trial has begun, or with the reason why it cannot. Never rejects. */
    start(request: TrialRequest): Promise<BegunTrial | { readonly problem: Problem }>
    /** Stops the trial that runs. Resolves when nothing of it runs any more. False: there was none. */
    stop(): Promise<boolean>
  }

  /** The pushes that were not sent yet, by chat. */
  waiting(): readonly ChatBacklog[]
  /** The pushes that wait for an owner's decision. */
  held(): readonly HeldPush[]
  /** True when a card of a held push shows its text unasked. */
  readonly showsHeldText: boolean
  /** False: the push no longer waits. */
  answerHeld(held: HeldPush, how: 'release' | 'withhold', consent: Consent): boolean

  /** The tool calls that wait for a person's decision. */
  readonly asks: {
    waiting(): readonly Question[]
    /**
     * Shows a question once more: as a new card, or in the place of the message `onMessageId`. The card will
     * also say how the question ended.
     */
    showAgain(key: string, address: Address, form?: CardForm, onMessageId?: string): void
    /** True when a card of the question was delivered to this chat. */
    isShownIn(key: string, address: Address): boolean
    /**
     * `isYours`: the answer counted. Otherwise `ending` is how the question had ended. Undefined: there was
     * none.
     */
    answer(
      key: string,
      word: PersonAnswer,
      speaker: OwnerSpeaking,
    ): { readonly ending: Ending; readonly question?: Question; readonly isYours: boolean } | undefined
    /**
     * What a person does with the next field of a form. `at`: the number of the field that the person saw.
     * Undefined: there is no such form.
     */
    fill(key: string, act: FormWord, speaker: OwnerSpeaking, at?: number): FillResult | undefined
  }

  /** The grants that have not ended. */
  grants(): readonly StandingGrant[]
  /** `example`: the argument of the call that a pattern has to match. */
  grant(what: NewGrant, consent: Consent, example: string): Promise<Acted>
  ungrant(id: string, consent: Consent): Promise<Revoked>
  /** True for a shell line of which each command is known to run nothing else. */
  isKnownCommand(line: string): boolean

  /** The agents of gate.yaml, in their order. `kind`: demo, openai or acp. */
  agents(): readonly {
    readonly id: string
    readonly kind: string
    /** The node on which it runs. Absent: it runs on the machine of the gate. */
    readonly node?: AgentNode
    readonly isConnected: boolean
    /** The number of messages that it works on, and of those that wait for it. */
    readonly given: number
    readonly waiting: number
  }[]
  /** The agent that serves a chat. */
  agentOf(address: Address): string
  /** Makes an agent the one that serves a chat. Undefined: there is no such agent. */
  chooseAgent(address: Address, agentId: string): { readonly before: string } | undefined
  /** Sends a word to the chat's agent. False when none is connected. */
  tellAgent(what: AgentControl, address: Address): boolean
  /** True while the chat's agent works on a message of this chat, or is about to. */
  isWorking(address: Address): boolean
  /** Gives the chat's agent a message. */
  prompt(message: Omit<Prompt, 'prompt_id' | 'agent_id' | 'state'>): Promise<void>
  /**
   * Asks the agent host to restore the last snapshot, by default that of the chat's agent. The texts come
   * from the agent's user.
   */
  undo(
    address: Address,
    agentId: string | undefined,
  ): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string }>

  // The machines whose agents and clients this gate judges.
  /** The address that nodes use. Undefined: gate.yaml has no nodes. */
  readonly nodeUrl: string | undefined
  /** The name of the machine of the gate. */
  readonly gateMachine: string
  /** The gates that wait to take over. Rejects when the database cannot be reached. */
  waitingGates(): Promise<readonly Standby[]>
  /** The gates that wait and do not know the newest act within this time. It rejects like the other. */
  untoldGates(withinMs: number): Promise<readonly string[]>
  /** The nodes in the order in which they were let in. `at` says when, in ISO 8601. */
  nodes(): readonly {
    readonly name: string
    readonly at: string
    readonly agents: readonly string[]
    /** Undefined: it is not connected. */
    readonly connected: { readonly version: string; readonly lagMs?: number } | undefined
    /** When it was heard last, by the wall clock. Undefined: never since the start of the gate. */
    readonly heardMs: number | undefined
  }[]
  /** Makes a code with which one machine becomes the node of this name. */
  inviteNode(name: string, consent: Consent): Acted<{ readonly code: string }>
  removeNode(name: string, consent: Consent): Promise<Acted>
  /**
   * Resolves when all connected nodes know the state of the gate, at the latest after `withinMs`. The result
   * names those that have not said so, and those that have lost the gate and still know an earlier state.
   */
  untoldNodes(withinMs: number): Promise<readonly string[]>

  /** The agent that serves a chat, and the names of the messengers. */
  connections(address: Address): {
    readonly agent: string
    readonly isAgentConnected: boolean
    readonly messengers: readonly string[]
  }

  // The owners of the gate, and the people with a lower role.
  /**
   * Everybody who has a role, the owners first. `by` is an owner's id, `adoption` or `console`; `at` is ISO
   * 8601. `isCurrent` is false after a new login of their messenger.
   */
  owners(): readonly (Person & {
    readonly by: string
    readonly at: string
    readonly isCurrent: boolean
  })[]
  /** The ids of the agents that a role can name. */
  knownAgents(): readonly string[]
  /** A one-time code with which one more person can ask for this role. */
  invite(consent: Consent, where: Address, given: RoleGiven): string
  /** Answers the person who typed an owner's pairing code. */
  answerPairing(
    key: string,
    consent: Consent,
    isYes: boolean,
  ): Promise<
    | { readonly ok: true; readonly id: string; readonly chat: Address; readonly given: RoleGiven }
    | { readonly ok: false; readonly why: 'gone' | 'not_written' }
  >
  removeOwner(id: string, consent: Consent): Promise<Acted>
  /** Gives a person who has a role another one. */
  setRole(id: string, given: RoleGiven, consent: Consent): Promise<Acted>
  /** A fresh one-time address of the web page. Where passkeys log in, it makes a passkey for this owner. */
  login(owner: string): string
  /** The address of the page where passkeys log in. Absent: the page is for this machine alone. */
  readonly pageOrigin: string | undefined
  /** The passkeys of all owners, in the order in which they were added. `at` and `usedAtMs` say when. */
  passkeys(): Promise<
    readonly {
      readonly name: string
      readonly owner: string
      readonly rpId: string
      readonly at: string
      readonly usedAtMs?: number
    }[]
  >
  removePasskey(name: string, consent: Consent): Promise<Acted<{ readonly owner: string }>>

  /** The person with this id and their role. Undefined also after a new login of their messenger. */
  person(id: string): Person | undefined

  readonly budget: {
    /** The state of each budget in force, for every agent that it has counted. */
    state(): readonly AgentBudget[]
    /** Undefined: no limit of the agent is spent. */
    extend(agent: string, times: number, by: string): BudgetExtension | undefined
    /** True when the stored counts could not be read. */
    isUnreadable(): boolean
    startAnew(by: string): void
  }

  // The notices to owners.
  ownerChats(): readonly Address[]
  tell(address: Address, text: Prose): void
  /** The same. `delivered` gets the messenger's id of the message, where it has one, when it has arrived. */
  post(address: Address, said: NoticeText, delivered: (messageId: string | undefined) => void): void
  /** Tells every owner, on every channel, but not the chat where the answer goes. */
  tellOthers(said: NoticeText | ((chat: Address) => NoticeText), but: Address): void

  // The readers of each chat.
  readonly readers: {
    choose(address: Address, language: Language): void
    /** The language that the people of a chat chose. Undefined: their client decides. */
    chosenOf(address: Address): Language | undefined
    languageOf(address: Address): Language
    /** The time zone in which the people of a chat read times. */
    zoneOf(address: Address): Zone
    /** Undefined: that of this machine. */
    chooseZone(address: Address, name: string | undefined): void
  }

  /** Epoch milliseconds. */
  now(): number
}
