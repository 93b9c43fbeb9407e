import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startModel, type AskedModel } from '../fixtures/model/model.ts'
import type { Reply } from '../fixtures/model/wire.ts'
import type { OutgoingMessage } from '../../src/core/model/chat/push.ts'
import { sentMessages, tap } from '../permissions/caller.ts'
import { startPlane, until, type Plane } from '../plane.ts'
import type { AcpAgent } from './acp-agents.ts'
import { cacheFolder } from './cache.ts'
import { judge, offline } from './rig.ts'

const patienceMs = 90_000
const entries = `hooks:
  - {event: pre_tool_call, command: ./judge.sh, timeout: 2, on_error: block}
  - {event: on_turn_end, command: ./ended.sh}
`

export interface Turn {
  /** What the chat got. */
  readonly texts: readonly string[]
  /** What the model was asked with its tools on, the oldest first. */
  readonly asked: readonly AskedModel[]
}

export interface AcpRig {
  readonly plane: Plane
  /**
   * Says something to the agent, with a model that says this; beyond its end the last one stays. Cards get a
   * yes when `meet` is absent.
   */
  turn(
    says: readonly [Reply, ...Reply[]],
    meet?: (card: OutgoingMessage) => void | Promise<void>,
  ): Promise<Turn>
  /** Waits until a text of the last turn, or one about it that came later, is like this. */
  said(pattern: RegExp): Promise<void>
  /** Whether a tool really made this file. */
  made(name: string): boolean
  text(name: string): string
  stop(): Promise<void>
}

const isCard = ({ text, buttons }: OutgoingMessage): boolean =>
  text.includes(' · denied at ') && buttons !== undefined && buttons.length > 0

/** A real gate with a hook in force, and a real agent of kind acp whose model says what it is told to. */
export const startAcpRig = async (agent: AcpAgent): Promise<AcpRig> => {
  const root = mkdtempSync(join(tmpdir(), 'hookgate-acp-'))
  const model = await startModel(() => ({ text: 'nothing was said yet' }))
  const stage = { home: join(root, 'none'), project: root, model: model.url, cache: cacheFolder }
  const env = { ...offline, ...agent.env(stage) }
  const home = join(root, 'home')
  mkdirSync(home)
  writeFileSync(
    join(home, 'gate.yaml'),
    JSON.stringify({
      agents: { main: { kind: 'acp', command: agent.command(stage), env: Object.keys(env) } },
    }),
  )
  const plane = await startPlane(
    entries,
    { 'judge.sh': judge, 'ended.sh': '#!/bin/sh\necho >> ended\n' },
    { HOOKGATE_HOME: home, ...env },
  )
  for (const [event, script] of [
    ['pre_tool_call', 'judge'],
    ['on_turn_end', 'ended'],
  ])
    await plane.ask(`/hooks approve ${event} ./${script}.sh`, (answer) => answer.includes('Approved'))
  await plane.ask('/hooks on', (answer) => answer.includes('ON'))
  agent.prepare({ ...stage, home: join(plane.workspace, '.hookgate/home'), project: plane.workspace })

  const at = (name: string): string => join(plane.workspace, name)
  const ends = (): number => (existsSync(at('ended')) ? readFileSync(at('ended'), 'utf8').length : 0)
  let from = 0
  const texts = (): string[] =>
    sentMessages(plane)
      .slice(from)
      .map(({ text }) => text)
  return {
    plane,
    said: async (pattern) => {
      await until(
        `a text like ${String(pattern)}`,
        () => texts().some((text) => pattern.test(text)) || undefined,
        patienceMs,
      )
    },
    turn: async (says, meet = (card) => tap(plane, card, 'Allow once')) => {
      for (const name of ['made', 'rewritten']) rmSync(at(name), { force: true })
      from = sentMessages(plane).length
      const [before, ended] = [model.asked.length, ends()]
      let next = 0
      model.follow(({ toolNames }) =>
        toolNames.length === 0 ? { text: 'A title' } : (says[Math.min(next++, says.length - 1)] ?? says[0]),
      )
      const met = new Set<OutgoingMessage>()
      plane.say('please do it')
      await until(
        'the end of the turn',
        async () => {
          const card = sentMessages(plane)
            .slice(from)
            .find((outgoing) => isCard(outgoing) && !met.has(outgoing))
          if (card !== undefined) {
            met.add(card)
            await meet(card)
          }
          return ends() > ended ? true : undefined
        },
        patienceMs,
      ).catch((error: unknown) => {
        throw new Error(`${String(error)} after ${JSON.stringify(texts())}`, { cause: error })
      })
      return {
        texts: texts(),
        asked: model.asked.slice(before).filter(({ toolNames }) => toolNames.length > 0),
      }
    },
    made: (name) => existsSync(at(name)),
    text: (name) => readFileSync(at(name), 'utf8'),
    stop: async () => {
      await plane.stop()
      await model.stop()
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}
