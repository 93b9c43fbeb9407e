import type { Answer, FaultKind } from '../../core/model/hooks/answer.ts'
import { prose, type Prose } from '../../core/model/chat/prose.ts'

/** What a hook answered, in a word. */
export const answerWords: Readonly<Record<Answer['kind'], Prose>> = {
  abstain: prose`abstain`,
  allow: prose`allow`,
  ask: prose`ask`,
  block: prose`block`,
  fault: prose`fault`,
}

/** How a hook failed, in a word. */
export const faultWords: Readonly<Record<FaultKind, Prose>> = {
  timeout: prose`timeout`,
  start: prose`start`,
  folder: prose`folder`,
  limit: prose`limit`,
  exit: prose`exit`,
  output: prose`output`,
  crash: prose`crash`,
  garbled: prose`garbled`,
  broken: prose`broken`,
  rewrite: prose`rewrite`,
  changed: prose`changed`,
  host: prose`host`,
  killed: prose`killed`,
  refused: prose`refused`,
  network: prose`network`,
}
