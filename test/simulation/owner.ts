import { messageOf } from '../../src/core/model/gate/problem.ts'
import type { ActName, OwnerAct, SwitchRead } from '../fleet/history.ts'
import type { Receipt, Service } from './gate.ts'
import type { Gates, Setting } from './gates.ts'
import type { ToldAct } from './laws.ts'

export interface OwnerWork {
  /** Acts and reads the list, again and again. */
  work(untilMs: number): Promise<void>
  /** Ends each lockdown. */
  watch(untilMs: number): Promise<void>
  readonly acts: readonly ToldAct[]
  readonly reads: readonly SwitchRead[]
}

/** What is known of an act without a receipt. */
const nothing = { isChange: false, missing: [], told: [], head: undefined }
const usualActs: readonly ActName[] = ['on', 'on', 'off', 'approve', 'approve', 'revoke']
const lookEveryMs = 3000

/** The owner, whose phone reaches the gate that works. */
export const createOwner = ({ world, random, plan, phone, note }: Setting, { working }: Gates): OwnerWork => {
  const acts: ToldAct[] = []
  const reads: SwitchRead[] = []

  /** Undefined: no gate works, so nobody heard of it. */
  const onGate = <Answer>(
    run: (service: Service) => Answer | Promise<Answer>,
  ): Promise<Answer> | undefined => {
    const place = working()
    if (place === undefined) return undefined
    const { machine, service } = place
    return new Promise((resolve, reject) => {
      const wire = world.wire(phone, machine, (side) => {
        if (side === phone) reject(new Error('the connection broke'))
      })
      const finish = (end: () => void): void =>
        wire.send(phone, () => {
          end()
          wire.end()
        })
      wire.send(machine, () => {
        if (service === undefined) wire.end()
        else
          Promise.resolve(service)
            .then(run)
            .then(
              (answer) => finish(() => resolve(answer)),
              (error: unknown) => finish(() => reject(error instanceof Error ? error : new Error('unknown'))),
            )
      })
    })
  }
  /** The answer, or the ending of a call that has none. */
  const heard = async <Answer>(
    what: string,
    run: (service: Service) => Answer | Promise<Answer>,
  ): Promise<{ readonly answer: Answer } | { readonly ending: 'unknown' | 'failed' }> => {
    const asked = onGate(run)
    if (asked === undefined) return { ending: 'failed' }
    return asked.then(
      (answer) => ({ answer }),
      (error: unknown) => {
        note(`${what} failed: ${messageOf(error)}`)
        return { ending: 'unknown' }
      },
    )
  }
  const keep = (
    act: ActName,
    startMs: number,
    said: Receipt | OwnerAct['ending'],
    isBeginning = false,
  ): void => {
    const [ending, receipt] = typeof said === 'object' ? (['ok', said] as const) : ([said, nothing] as const)
    const { isChange, ...rest } = receipt
    acts.push({
      ...rest,
      call: { kind: 'act', act, startMs, endMs: world.nowMs(), ending, isChange },
      isBeginning,
    })
  }
  const act = async (name: ActName): Promise<void> => {
    const startMs = world.nowMs()
    const found = await heard(name, (service) => service.act(name))
    if (!('answer' in found)) keep(name, startMs, found.ending)
    else if (typeof found.answer === 'string') keep(name, startMs, 'failed')
    else keep(name, startMs, found.answer)
  }
  const read = async (): Promise<void> => {
    const startMs = world.nowMs()
    const found = await heard('a look', (service) => service.isOn())
    const isOn = 'answer' in found ? found.answer : undefined
    const span = { startMs, endMs: world.nowMs() }
    reads.push(
      isOn === undefined
        ? { kind: 'read', ...span, ending: 'unknown' }
        : { kind: 'read', ...span, ending: 'ok', isOn },
    )
  }
  /** A ledger that an owner begins anew has hooks off, and no approval. */
  const recover = async (): Promise<void> => {
    const startMs = world.nowMs()
    const found = await heard('the end of a lockdown', (service) => service.recover())
    const said = 'answer' in found ? found.answer : found.ending
    if (said === undefined || said === 'failed') return
    note('the owner ends a lockdown')
    keep('off', startMs, said, true)
    keep('revoke', startMs, said, true)
  }
  const often = async (untilMs: number, run: () => Promise<void>, pauseMs: () => number): Promise<void> => {
    while (world.nowMs() < untilMs) {
      await run()
      await new Promise((done) => setTimeout(done, pauseMs()))
    }
  }
  return {
    acts,
    reads,
    work: (untilMs) =>
      often(
        untilMs,
        async () => {
          await act(random.pick(usualActs))
          if (random.below(3) === 0) await read()
          if (random.below(3) === 0) await recover()
        },
        () => random.below(2 * plan.actEveryMs),
      ),
    watch: (untilMs) => often(untilMs, recover, () => lookEveryMs),
  }
}
