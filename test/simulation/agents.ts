import type { JsonObject } from '../../src/core/model/base/json.ts'
import type { EventCall, PushCall } from '../fleet/history.ts'
import { forbidden, type Service } from './gate.ts'
import type { Gates, Setting } from './gates.ts'
import type { Node } from './node.ts'

const retryMs = 1000
const pushCallMs = 20_000
/** A node decides by itself when it has heard nothing for so long. */
const eventCallMs = 2000

const isPending = (told: string | undefined): boolean =>
  told === undefined || told === 'queued' || told === 'held'
const textIn = (value: JsonObject, field: string): string =>
  typeof value[field] === 'string' ? value[field] : ''

/** What a gate that works answers to its agents. */
export const serveBy =
  (workspace: string) =>
  async ({ dispatcher }: Service, path: string, value: JsonObject): Promise<JsonObject> => {
    const text = textIn(value, 'text')
    const caller = { cwd: workspace }
    if (path === 'push')
      return (await dispatcher.push({
        ...caller,
        channel: 'sim',
        chat_id: textIn(value, 'chat'),
        push_id: text,
        agent_id: 'main',
        session_id: 's',
        type: 'text',
        text,
        marks: [],
        parts: [],
        files: [],
      })) as unknown as JsonObject
    const fields = { tool_name: 'bash', tool_input: { command: text } }
    const fired = await dispatcher.fire({
      ...caller,
      agentId: 'main',
      event: 'pre_tool_call',
      sessionId: 's',
      fields,
    })
    if (fired.kind === 'loop') throw new Error(fired.why)
    const { verdict, by } = fired.verdict
    if (verdict !== 'block') return { verdict: 'allowed' }
    return { verdict: by === 'hookgate' ? 'held' : 'blocked' }
  }

export interface Agents {
  /** An agent of a node pushes a message, and asks until it knows what became of it. */
  push(node: Node): Promise<void>
  /** An agent of a node asks about a step. Without a gate the node decides by what it knows. */
  event(node: Node): Promise<void>
  /** An agent on the machine of a gate asks that gate, also when another one works. */
  localEvent(): Promise<void>
  readonly pushes: readonly PushCall[]
  readonly localEvents: readonly EventCall[]
  /** By node. */
  readonly nodeEvents: ReadonlyMap<string, readonly EventCall[]>
}

/** Agents that ask about steps and push messages. A third of what they do is forbidden by the guards. */
export const createAgents = (
  { world, random, plan, note }: Setting,
  { places, workspace }: Gates,
  untilMs: number,
): Agents => {
  const serve = serveBy(workspace)
  const pushes: PushCall[] = []
  const localEvents: EventCall[] = []
  const nodeEvents = new Map<string, EventCall[]>()
  let count = 0
  const newText = (what: string): string => {
    count += 1
    return random.below(3) === 0 ? `${what} ${count} ${forbidden}` : `${what} ${count}`
  }
  const judged = (on: string, text: string, startMs: number, verdict: unknown): EventCall => ({
    kind: 'event',
    gate: on,
    isForbidden: text.includes(forbidden),
    startMs,
    endMs: world.nowMs(),
    ending: 'ok',
    verdict: verdict as NonNullable<EventCall['verdict']>,
  })
  return {
    pushes,
    localEvents,
    nodeEvents,
    push: async (node) => {
      const text = newText('push')
      const chat = `chat${random.below(plan.chats)}`
      const startMs = world.nowMs()
      let told: string | undefined
      while (isPending(told) && world.nowMs() < untilMs - retryMs) {
        try {
          const { outcome, refused } = await node.call('push', { text, chat }, pushCallMs)
          if (typeof outcome === 'string') told = outcome
          if (refused !== undefined) note(`${text} was refused`)
        } catch {
          // It is asked again with the same id.
        }
        if (isPending(told)) await new Promise((done) => setTimeout(done, retryMs))
      }
      pushes.push({
        kind: 'push',
        text,
        isForbidden: text.includes(forbidden),
        startMs,
        endMs: world.nowMs(),
        ending: told === undefined ? 'unknown' : 'ok',
        ...(told === undefined ? {} : { told }),
      })
    },
    event: async (node) => {
      const text = newText('event')
      const startMs = world.nowMs()
      const verdict = await node.call('event', { text }, eventCallMs).then(
        (answer) => answer['verdict'],
        () => {
          const { isArmed, knownUntilMs = 0 } = node.facts()
          const now = world.on(node.machine, () => Date.now())
          return !isArmed && now < knownUntilMs ? 'allowed' : 'held'
        },
      )
      const events = nodeEvents.get(node.name) ?? []
      nodeEvents.set(node.name, events)
      events.push(judged(node.name, text, startMs, verdict))
    },
    localEvent: async () => {
      const { name, machine, service } = random.pick(places)
      if (service === undefined) return
      const text = newText('event')
      const startMs = world.nowMs()
      const { verdict } = await world.on(machine, () => serve(service, 'event', { text }))
      localEvents.push(judged(name, text, startMs, verdict))
    },
  }
}
