/** A button under a card of the gate. */
export interface ShownButton {
  readonly label: string
  readonly press: string
}

/** One message of the gate, as the owner's chat shows it. */
export interface ShownMessage {
  readonly id: string
  readonly text: string
  readonly buttons: readonly ShownButton[]
}

/** The owner of the gate that is attacked, with the messenger in which they speak to it. */
export interface Owner {
  /** What the gate's environment says, so that it reaches this messenger and knows this owner. */
  env(): Readonly<Record<string, string>>
  /** `channels:` of gate.yaml, in one line of YAML. Empty: its own default. */
  readonly channels: string
  /** The chat into which the agent sends the message that is held. */
  readonly agentsChat: { readonly channel: string; readonly chat_id: string }
  /** The gate has started anew; `login` gives a fresh address of its page. */
  enter(login: () => Promise<string>): Promise<void>
  /** From now on the messenger knows of nothing that was. The gate is not running. */
  renew(): Promise<void>
  say(words: string): Promise<void>
  /** Presses a button as a person does, who reads first. */
  press(button: ShownButton, message: ShownMessage): Promise<void>
  /** Every text of the gate that the owner's chat has shown, oldest first. */
  texts(): readonly string[]
  /** What that chat shows now, oldest first. */
  shown(): readonly ShownMessage[]
  /** What the agent's chat got from the agent. */
  fromAgent(): readonly string[]
  /** Resolves when the messenger keeps that the ledger has come to this revision. Absent: it keeps nothing, so a rollback is not noticed. */
  anchored?(revision: number): Promise<void>
  /** Resolves when a gate that was just started has compared itself with what the messenger keeps. */
  compared?(start: () => Promise<void>): Promise<void>
  /** What no process of the agent's may read, each with its name. */
  readonly secrets: readonly (readonly [name: string, value: string])[]
  close(): Promise<void>
}
