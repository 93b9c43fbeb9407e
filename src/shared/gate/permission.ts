import type { JsonObject } from '../../core/model/base/json.ts'
import type { Prose } from '../../core/model/chat/prose.ts'
import type { Address } from '../../core/model/chat/push.ts'
import type { RoleGiven } from '../../core/model/gate/person.ts'
import type { Form, FormMistake, FormAnswers, FormProgress } from './form.ts'

/** How a caller repeats a call after it has ended without an answer. */
export interface Resume {
  /** The id of the call. It stays the same when the call is repeated. */
  readonly call: string
  /** The caller's name for people. */
  readonly title: string
  /** The command that a person types to repeat the call. */
  readonly command: string
}

/**
 * A question about one tool call that waits for a person: whether it may run, or the questions of the call
 * itself.
 */
export interface Question {
  /** The key of this question, with the digest of exactly these arguments. */
  readonly key: string
  readonly agent_id: string
  /** The caller whose limits it counts against: the agent, or the client that contains the agent. */
  readonly caller: string
  readonly session_id: string
  readonly tool_name: string
  /** The arguments after all rewrites. The tool runs with them if the answer is yes. */
  readonly tool_input: JsonObject
  readonly cwd: string
  /** The label of the hook that asks. Absent when no hook asks. */
  readonly by?: string
  readonly why: string
  /** The event that the answer belongs to. */
  readonly event_id: string
  /** An owner's grant can answer such questions. */
  readonly canBeGranted?: true
  /** When the question is denied automatically, in epoch milliseconds. */
  readonly untilMs: number
  /** The chat of the session. */
  readonly address?: Address
  /** The caller can run the call with changed arguments, so a person may change one. */
  readonly takesChange?: true
  /** The agent asks the person these questions. Absent: the question is whether the call may run. */
  readonly form?: Form
  /** How far people are with the form. */
  readonly progress?: FormProgress
  /** The caller can ask the person itself, where the person sits. */
  readonly canAskItself?: true
  /** The caller has ended. The answer applies when the call is repeated. */
  readonly parked?: Resume
  /**
   * The gate was started again since the caller asked, and the caller has not asked again yet. The answer
   * applies when it does.
   */
  readonly isCallerAway?: true
}

/** A question on disk. `call` never changes; `state` does. Both are JSON texts. */
export interface StoredQuestion {
  readonly key: string
  readonly call: string
  readonly state: string
}

/** The prefix of every question's key. It keeps the handles of questions apart from others. */
export const questionMark = 'ask:'
/**
 * The prefix of the key under which the gate asks a person for words about a question. The question's key
 * follows.
 */
export const wordsMark = 'words:'
/** The same for the new text of an argument. */
export const editMark = 'edit:'
/** The same for an answer in words to a question of an agent. */
export const fillMark = 'fill:'
/** A text that a person wrote in the place of an argument of a call. */
export interface PersonChange {
  /** The argument, which the call already has. */
  readonly field: string
  readonly text: string
}

/**
 * How a card is shown once more. `isWhole`: with as much of the arguments as a few messages show. `opens`:
 * with the other answers, or with the shapes of a grant.
 */
export interface CardForm {
  readonly isWhole?: true
  readonly opens?: 'more' | 'always'
  /** The handles of other calls of its kind, each of which this person was shown whole in this chat. */
  readonly alike?: readonly string[]
  /** Words under it. */
  readonly more?: Prose
}

/**
 * A person's answer to a question. `session`: it also applies to the same call later in this session. `edit`:
 * yes to the call with this change. `form`: the answers to a form. `elsewhere`: the person answers where the
 * caller itself asks. `isStop`: the agent's turn ends, too.
 */
export type PersonAnswer =
  | { readonly kind: 'once' | 'session' | 'elsewhere' }
  | { readonly kind: 'form'; readonly answers: FormAnswers }
  | ({ readonly kind: 'edit' } & PersonChange)
  | { readonly kind: 'deny'; readonly words: string; readonly isStop?: true }

/**
 * How a question ended. `gone`: the caller stopped waiting. `full`: too many questions waited already.
 * `nobody`: there is no owner to ask.
 */
export type Ending =
  | (PersonAnswer & { readonly by: string })
  | { readonly kind: 'expired' | 'gone' | 'full' | 'nobody' }

/**
 * The owner who answered, in which chat and, for a tap, under which message. That message then already shows
 * the answer.
 */
export interface OwnerSpeaking {
  readonly owner: string
  readonly address: Address
  readonly on_message_id?: string
}

/**
 * What came of one act on a form. `next`: its cards show the next step. `sent`: the agent gets the answers.
 */
export type FillResult =
  | { readonly kind: 'next' }
  | { readonly kind: 'sent'; readonly ending: Ending; readonly question: Question }
  | { readonly kind: 'wrong'; readonly mistake: FormMistake }
  | { readonly kind: 'over'; readonly ending: Ending }

/** The part of a question that decides who may answer it. */
export interface AskedCall {
  readonly agent_id: string
  /** The client that contains the agent, or the agent. */
  readonly caller: string
  readonly tool_name: string
}

/** True when a person with this role may see and answer a question about this call. */
export const mayAnswer = (
  { role, agents, tools }: RoleGiven,
  { agent_id, caller, tool_name }: AskedCall,
): boolean => {
  if (role === 'owner') return true
  if (role === 'viewer') return false
  const tool = tool_name.toLowerCase()
  return (
    (agents === undefined || agents.includes(agent_id) || agents.includes(caller)) &&
    (tools === undefined || tools.some((name) => name.toLowerCase() === tool))
  )
}
