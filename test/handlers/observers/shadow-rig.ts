import type { RunResult } from '../../../src/core/model/hooks/run-result.ts'
import { setImmediate as turn } from 'node:timers/promises'
import {
  createObservedHooks as createHooks,
  type ObservedHooks as Hooks,
  type ObservedHooksPorts as HooksPorts,
} from '../../../src/handlers/observers/observed-hooks.ts'
import type { Answer } from '../../../src/core/model/hooks/answer.ts'
import type { ArmedHook } from '../../../src/core/model/hooks/entry.ts'
import type { EventRecord } from '../../../src/core/model/events/record.ts'
import type { Payload } from '../../../src/core/model/events/payload.ts'

/** One question to a hook. */
export interface Question {
  readonly hook: ArmedHook
  readonly payload: Payload
}

export interface ShadowRig {
  readonly hooks: Hooks
  readonly asked: Question[]
  readonly records: EventRecord[]
  /** The hooks in force. */
  live: readonly ArmedHook[]
}

const ran: RunResult = { exitCode: 0, stdout: '', stderr: '', isTruncated: false, durationMs: 0 }

/** Hooks whose answers a test gives. `run`: what a hook waits for before it answers. */
export const createShadowRig = (
  answerOf: (question: Question) => Answer,
  run: (question: Question, signal: AbortSignal) => Promise<unknown> = () => Promise.resolve(),
  ports: Partial<HooksPorts> = {},
): ShadowRig => {
  const asked: Question[] = []
  const records: EventRecord[] = []
  const rig: { live: readonly ArmedHook[] } = { live: [] }
  const hooks = createHooks({
    armed: () => rig.live,
    revision: () => 3,
    view: (_, payload) => payload,
    retire: () => undefined,
    recordShadows: (record) => void records.push(record),
    now: () => 0,
    elapsedMs: () => 0,
    log: () => undefined,
    run: async (hook, payload, { signal }) => {
      asked.push({ hook, payload })
      await run({ hook, payload }, signal)
      return ran
    },
    decode: (hook, payload) => answerOf({ hook, payload }),
    ...ports,
  })
  return Object.assign(rig, { hooks, asked, records })
}

/** Every shadow that answers without waiting has been asked after so many turns of the event loop. */
export const settled = async (): Promise<void> => {
  for (let turns = 0; turns < 4; turns++) await turn()
}
