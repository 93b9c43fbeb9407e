import { messageOf } from '../../src/core/model/gate/problem.ts'
import type { ActName, OwnerAct, SwitchRead } from '../fleet/history.ts'
import type { Service } from './gate.ts'
import type { Gates, Setting } from './gates.ts'

export interface OwnerWork {
  /** Acts and reads the list, again and again. */
  work(untilMs: number): Promise<void>
  /** Each act, and the nodes that its receipt names. */
  readonly acts: readonly { readonly call: OwnerAct; readonly missing: readonly string[] }[]
  readonly reads: readonly SwitchRead[]
}

const usualActs: readonly ActName[] = ['on', 'on', 'off', 'approve', 'approve', 'revoke']

/** The owner, whose phone reaches the gate that works. */
export const createOwner = ({ world, random, plan, phone, note }: Setting, { working }: Gates): OwnerWork => {
  const acts: { readonly call: OwnerAct; readonly missing: readonly string[] }[] = []
  const reads: SwitchRead[] = []

  const onGate = <Answer>(run: (service: Service) => Answer | Promise<Answer>): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const place = working()
      if (place === undefined) {
        reject(new Error('no gate works'))
        return
      }
      const { machine, service } = place
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
  const act = async (name: ActName): Promise<void> => {
    const startMs = world.nowMs()
    const receipt = await onGate((service) => service.act(name)).catch((error: unknown) => {
      note(`${name} failed: ${messageOf(error)}`)
      return undefined
    })
    const call: OwnerAct = {
      kind: 'act',
      act: name,
      startMs,
      endMs: world.nowMs(),
      ending: receipt === undefined ? 'unknown' : 'ok',
      isChange: receipt?.isChange ?? false,
    }
    acts.push({ call, missing: receipt?.missing ?? [] })
  }
  const read = async (): Promise<void> => {
    const startMs = world.nowMs()
    const isOn = await onGate((service) => service.isOn()).catch(() => undefined)
    const span = { startMs, endMs: world.nowMs() }
    reads.push(
      isOn === undefined
        ? { kind: 'read', ...span, ending: 'unknown' }
        : { kind: 'read', ...span, ending: 'ok', isOn },
    )
  }
  return {
    acts,
    reads,
    work: async (untilMs) => {
      while (world.nowMs() < untilMs) {
        await act(random.pick(usualActs))
        if (random.below(3) === 0) await read()
        await new Promise((done) => setTimeout(done, random.below(2 * plan.actEveryMs)))
      }
    },
  }
}
