import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { AgentMake } from '../../../src/shared/gate/agent.ts'
import type { JsonObject } from '../../../src/core/model/base/json.ts'
import { startModel, type ScriptedModel } from '../../fixtures/model/model.ts'
import { createScriptedGate, delivered, type ScriptedGate } from '../scripted-gate.ts'

export const key = 'sk-test-the-key-of-the-endpoint'
export type OpenaiMake = Extract<AgentMake, { kind: 'openai' }>

export interface OpenaiRig {
  readonly gate: ScriptedGate
  readonly model: ScriptedModel
  /** Says one thing to one event and allows the rest. */
  onlyAt(event: string, said: JsonObject): void
}

/** A scripted model and a scripted gate around a real agent host; each test begins a session of its own. */
export const useOpenai = (more: Partial<OpenaiMake> = {}): OpenaiRig => {
  const rig: { gate?: ScriptedGate; model?: ScriptedModel } = {}
  const there = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error('Expected the rig to be used inside a test.')
    return part
  }
  beforeAll(async () => {
    rig.model = await startModel(() => ({ text: 'hello' }))
    rig.gate = await createScriptedGate(
      { kind: 'openai', model: 'some-model', contextTokens: 128_000, maxSteps: 8, ...more },
      {
        baseUrl: `${rig.model.url}/v1`,
        model: 'some-model',
        apiKey: key,
        price: { input: 2, output: 10 },
        perHour: { calls: 10_000, tokens: 1_000_000_000 },
      },
    )
    rig.gate.startHost()
  })
  afterAll(async () => {
    await rig.gate?.close()
    await rig.model?.stop()
  })
  beforeEach(() => {
    const gate = there(rig.gate)
    gate.script = () => undefined
    gate.replyToPush = () => delivered
  })
  afterEach(() => rig.gate?.send({ type: 'new', channel: 'web', chat_id: 'main' }))
  return {
    get gate() {
      return there(rig.gate)
    },
    get model() {
      return there(rig.model)
    },
    onlyAt: (event, said) => {
      there(rig.gate).script = (fired) => (fired === event ? said : undefined)
    },
  }
}
