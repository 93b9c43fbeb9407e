import type { EventName } from '../../src/core/model/events/event.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import type { Verdict } from '../../src/core/model/hooks/verdict.ts'
import type { ListedHook } from '../../src/shared/gate/catalogue.ts'
import { startPlane, until, type Plane } from '../plane.ts'

export interface Brought extends Plane {
  /** Reports a step of an agent, as over its socket, and gives what the hooks came to. */
  fire(event: EventName, fields: JsonObject, sessionId?: string): Promise<Verdict>
  /** What `/hooks` shows. */
  list(): Promise<string>
  /** The card of the first hook whose command holds that text. */
  card(command: string): Promise<string>
}

const maxLines = 20

/** The handle of a hook in the owner's chat. */
const handleOf = ({ gate }: Plane, { proposed, live = '' }: ListedHook): string =>
  gate.gatekeeper.handles.mint({ owner: 'memory:owner', chat: 'owner', fingerprint: proposed ?? live })

/** A running gate whose workspace holds those files. Nothing is approved. */
export const bring = async (
  proposals: string,
  files: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Brought> => {
  const plane = await startPlane(proposals, files, env)
  if (/^\s*- /m.test(proposals))
    await until('the proposals', () => plane.gate.rows().length > 0, 2000).catch(() => undefined)
  return {
    ...plane,
    list: () => plane.ask('/hooks', (answer) => /^🛡 Hooks are O(?:N|FF)/u.test(answer)),
    card: async (command) => {
      const row = plane.gate.rows().find((one) => one.command.includes(command))
      if (row === undefined) throw new Error(`No hook has ${command}.`)
      const from = plane.texts().length
      await plane.ask(`/hooks show ${handleOf(plane, row)}`, (answer) => answer.includes('fingerprint'))
      // What does not fit into one message comes in several.
      return plane.texts().slice(from).join('\n')
    },
    fire: async (event, fields, sessionId = 'a session') => {
      const step = { agentId: 'main', event, sessionId, cwd: plane.workspace, fields }
      const fired = await plane.gate.dispatcher.fire(step)
      if (fired.kind !== 'verdict') throw new Error(`The step was not judged: ${JSON.stringify(fired)}.`)
      return fired.verdict
    },
  }
}

/** The owner approves all that can be approved, by the handles of the whole cards. */
export const approveAll = async (plane: Brought): Promise<void> => {
  const waiting = plane.gate
    .rows()
    .filter(({ status, problem }) => status === 'waiting' && problem === undefined)
  const handles = waiting.map((row) => handleOf(plane, row))
  const approved = (): number => plane.gate.rows().filter(({ status }) => status === 'approved').length
  for (let at = 0; at < handles.length; at += maxLines) {
    const some = handles.slice(at, at + maxLines)
    const from = plane.texts().length
    plane.say(some.map((handle) => `/hooks show ${handle}`).join('\n'))
    const cards = (): number =>
      plane
        .texts()
        .slice(from)
        .join('\n')
        .match(/^fingerprint /gm)?.length ?? 0
    await until('the cards', () => cards() >= some.length, 30_000)
    plane.say(some.map((handle) => `/hooks approve ${handle}`).join('\n'))
    await until('the approvals', () => approved() >= at + some.length, 30_000)
  }
  await plane.ask('/hooks on', (answer) => answer.includes('Hooks are ON'))
}

export const holds =
  (...words: readonly string[]) =>
  (text: string): boolean =>
    words.every((word) => text.includes(word))
