/** A button of a card of the gate. */
export interface ShownButton {
  readonly label: string
  readonly press: string
}

/** One message of the gate in the chat of the owner. */
export interface ShownMessage {
  readonly id: string
  readonly text: string
  readonly buttons: readonly ShownButton[]
}

/** The owner of the attacked gate, with the messenger that the owner uses. */
export interface Owner {
  /** Returns the environment of the gate, with which it reaches this messenger and knows this owner. */
  env(): Readonly<Record<string, string>>
  /** `channels:` of gate.yaml, in one line of YAML. Empty: the default. */
  readonly channels: string
  /** The chat to which the agent sends the message that is held. */
  readonly agentsChat: { readonly channel: string; readonly chat_id: string }
  /** Called after a start of the gate. `login` returns a new address of its page. */
  enter(login: () => Promise<string>): Promise<void>
  /** Makes the messenger forget everything. The gate is not running. */
  renew(): Promise<void>
  say(words: string): Promise<void>
  /** Presses a button like a person, who reads the card first. */
  press(button: ShownButton, message: ShownMessage): Promise<void>
  /** Returns every text of the gate that the chat of the owner has shown, oldest first. */
  texts(): readonly string[]
  /** Returns the messages that the chat shows now, oldest first. */
  shown(): readonly ShownMessage[]
  /** Returns the messages of the agent in its chat. */
  fromAgent(): readonly string[]
  /**
   * Resolves when the messenger has pinned this revision of the ledger. Absent: it pins nothing, so a
   * rollback is not noticed.
   */
  anchored?(revision: number): Promise<void>
  /** Resolves when a newly started gate has compared its ledger with the pinned checkpoint. */
  compared?(start: () => Promise<void>): Promise<void>
  /** The secrets that no process of the agent may read, each with its name. */
  readonly secrets: readonly (readonly [name: string, value: string])[]
  close(): Promise<void>
}
