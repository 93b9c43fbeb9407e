import { existsSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readGallery } from '../../../../src/config/first-start.ts'
import { viewFor } from '../../../../src/dialects/dialects.ts'
import { BUILTINS, builtinProblem, pureBuiltins } from '../../../../src/hooks/builtins/builtins.ts'
import { planMatches } from '../../../../src/hooks/match/matcher.ts'
import { isEventName } from '../../../../src/model/events/event.ts'
import { armed, eventOf } from '../../../hooks/armed.ts'
import { startPlane, until } from '../../../plane.ts'
import { createBridgeService, textOf, type BridgeService } from '../../rig.ts'

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService()
  desk.chat.hasButtons = true
})
afterEach(() => desk.stop())
const jobs = readGallery()
const noBacktracking = (): Promise<never> =>
  Promise.reject(new Error('A pattern of the gallery is not linear.'))

test('the gallery lists every job with a button that proposes it, in the language of its reader', async () => {
  const [list] = await desk.ask('/hooks gallery')
  expect(list?.buttons?.flat().map(({ label }) => label)).toEqual(jobs.map(({ name }) => name))
  const { said } = await desk.tap(list, 'Ask before sudo')
  expect(textOf(said)).toMatch(/^Proposed: Ask before sudo\./)
  expect(said.replaces).toBeUndefined()
  expect(desk.ports.rows()).toMatchObject([
    { status: 'waiting', command: 'ask_owner', name: 'Ask before sudo' },
  ])
  expect(desk.gatekeeper.state().approvals.size).toBe(0)
  await desk.say('/lang zh')
  expect(await desk.say('/hooks gallery')).toContain('1. 使用 sudo 前先问 …')
})

test('a job is also named by its number or its name, and once proposed it is not proposed again', async () => {
  await desk.say('/hooks gallery 2')
  expect(await desk.say('/hooks gallery "ask before a push"')).toBe(
    'Ask before a push is proposed already.\n→ /hooks',
  )
  for (const odd of ['0', '99', '999999', 'nothing', '__proto__', 'x'.repeat(3000)])
    expect(await desk.say(`/hooks gallery ${odd}`)).toMatch(/^The gallery has no /)
  expect(desk.ports.rows()).toHaveLength(1)
})

describe('each job does what its name says', () => {
  test.each(jobs)('$name', async ({ name, zh, hook, stops = [], passes = [], adds }) => {
    expect(zh).toMatch(/\p{Script=Han}/u)
    await desk.say(`/hooks gallery ${name}`)
    const [row] = desk.ports.rows()
    const entry = row?.entry
    if (entry === undefined || !isEventName(hook.event)) throw new Error('The entry cannot be read.')
    expect(entry.description).toMatch(/^It .{10,90}\.$/)
    if (entry.type !== 'builtin') {
      // A script has a self-test of its own, which the tests of the examples run.
      expect(existsSync(entry.command.replace('.hookgate-', ''))).toBe(true)
      return
    }
    expect(builtinProblem(entry)).toBeUndefined()
    expect(BUILTINS[entry.command]).toBeDefined()
    const plan = planMatches([armed(name, entry)], noBacktracking, viewFor)
    const isAsked = async (fields: (typeof stops)[number]): Promise<boolean> =>
      (await plan.match(eventOf(entry.event, fields))).size > 0
    for (const one of stops) expect(await isAsked(one), JSON.stringify(one)).toBe(true)
    for (const one of passes) expect(await isAsked(one), JSON.stringify(one)).toBe(false)
    if (entry.command === 'ask_owner') {
      expect(stops.length * passes.length).toBeGreaterThan(0)
      expect(pureBuiltins.ask_owner(entry.args)).toEqual({ decision: 'ask', reason: entry.args[0] })
    }
    if (entry.command === 'add_context')
      expect(pureBuiltins.add_context(entry.args, eventOf(entry.event))['context']).toContain(adds)
  })
})

test('over a messenger: a tap proposes, the card comes by itself, and the approved job asks', async () => {
  const plane = await startPlane()
  try {
    await plane.ask('/hooks gallery ask before a push', (text) =>
      text.includes('Proposed: Ask before a push'),
    )
    await until('its card', () => plane.texts().some((text) => text.includes('A hook waits for you')))
    expect(await plane.read('config/shell_hooks.yaml')).toContain('name: Ask before a push')
    await plane.ask('/hooks approve pre_tool_call ask_owner\n/hooks on', (text) =>
      text.includes('Hooks are ON'),
    )
    await plane.ask('!git push', (text) =>
      text.includes('why: Ask before a push: It sends commits to a git server.'),
    )
  } finally {
    await plane.stop()
  }
})
