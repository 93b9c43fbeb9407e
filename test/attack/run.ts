import type { Attacked, AttackChoice } from '../../src/attack/run.ts'
import { attackOwnGate } from '../../src/attack/run.ts'
import { gateReader } from '../../src/compose/verbs/attack.ts'
import { packageRoot } from '../../src/config/first-start.ts'
import { startClean } from '../../src/shared/base/process-group.ts'
import { cli } from '../e2e/program.ts'
import { modes, type ModeName } from './modes.ts'
import { createTelegramOwner } from './telegram-owner.ts'

/** Tries the forgeries, or those that fit, against a gate of its own whose owner is in Telegram. */
export const tryAll = (name: ModeName, choice: AttackChoice = {}): Promise<Attacked> => {
  // As the program does that tries them.
  startClean()
  return attackOwnGate(
    { mode: modes[name](), owner: createTelegramOwner(), read: gateReader, cli, tree: packageRoot() },
    choice,
  )
}
