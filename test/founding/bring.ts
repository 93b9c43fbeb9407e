import type { EventName } from '../../src/core/model/events/event.ts'
import type { JsonObject } from '../../src/core/model/base/json.ts'
import type { Verdict } from '../../src/core/model/hooks/verdict.ts'
import { startPlane, until, type Plane } from '../plane.ts'

export interface Brought extends Plane {
  /** Reports a step of an agent, as over its socket, and gives what the hooks came to. */
  fire(event: EventName, fields: JsonObject, sessionId?: string): Promise<Verdict>
  /** Everything that `/hooks` shows, all of its pages. */
  list(): Promise<string>
  /** The card of the first hook whose command holds that text. */
  card(command: string): Promise<string>
}

const maxLines = 20

/** A running gate whose workspace holds those files. Nothing is approved. */
export const bring = async (
  proposals: string,
  files: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Brought> => {
  const plane = await startPlane(proposals, files, env)
  if (/^\s*- /m.test(proposals))
    await until('the proposals', () => plane.gate.rows().length > 0, 2000).catch(() => undefined)
  const page = (number: number): Promise<string> =>
    plane.ask(number === 1 ? '/hooks' : `/hooks ${number}`, (answer) => /^🛡 Hooks are O(?:N|FF)/.test(answer))
  const list = async (): Promise<string> => {
    const pages = [await page(1)]
    const of = Number(/^page 1 of (\d+)/m.exec(pages[0] ?? '')?.[1] ?? 1)
    for (let number = 2; number <= of; number++) pages.push(await page(number))
    return pages.join('\n')
  }
  return {
    ...plane,
    list,
    card: async (command) => {
      const row = plane.gate.rows().find((one) => one.command.includes(command))
      if (row === undefined) throw new Error(`No hook has ${command}.`)
      const shown = (await list())
        .split(/\n(?=[a-z0-9]{5} )/)
        .find((one) => one.includes(command.split('\n')[0] ?? ''))
      const from = plane.texts().length
      await plane.ask(`/hooks show ${shown?.slice(0, 5)}`, (answer) => answer.includes('fingerprint'))
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

/** The owner approves all that can be approved, as a phone does it: by the handles that the list shows. */
export const approveAll = async (plane: Brought): Promise<void> => {
  const handles = [...(await plane.list()).matchAll(/^([a-z0-9]{5}) ✗ NOT approved/gm)].map(
    ([, handle = '']) => handle,
  )
  for (let at = 0; at < handles.length; at += maxLines) {
    const lines = handles.slice(at, at + maxLines).map((handle) => `/hooks approve ${handle}`)
    plane.say(lines.join('\n'))
    const isDone = (): boolean =>
      plane.gate.rows().filter(({ status }) => status === 'approved').length >= at + lines.length
    await until('the approvals', isDone, 30_000)
  }
  await plane.ask('/hooks on', (answer) => answer.includes('Hooks are ON'))
}

export const holds =
  (...words: readonly string[]) =>
  (text: string): boolean =>
    words.every((word) => text.includes(word))
