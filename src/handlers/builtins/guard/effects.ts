import type { SayingName } from '../../../shared/hooks/guard-words.ts'

/** What a command can do that its owner wants to decide. */
export const EFFECTS = [
  /** Files, devices, volumes, databases or clusters are gone. */
  'destroy',
  /** Work is lost that git cannot bring back. */
  'git-loss',
  /** What comes from the network or out of a decoder is run. */
  'remote-exec',
  /** Keys and tokens are read or sent. */
  'secret-access',
  /** Somebody gets more rights, or a protection is taken away. */
  'privilege',
  /** Something runs again by itself later. */
  'persistence',
  /** Something is published and cannot be taken back. */
  'publish',
] as const

export type Effect = (typeof EFFECTS)[number]

export interface Finding {
  readonly effect: Effect | 'unreadable'
  /** `block` is for what is certain and huge. */
  readonly word: 'ask' | 'block'
  readonly says: SayingName
  /** The file, folder, machine or program that it is about. It can be empty. */
  readonly about: string
  /** The part of the command that does it. */
  readonly part: string
}
