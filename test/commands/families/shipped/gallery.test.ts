import { afterEach, beforeEach, expect, test } from 'vitest'
import { galleryEntries } from '../../../../src/compose/proposal-reader/gallery.ts'
import { testGallery } from '../../../../src/compose/verbs/gallery.ts'
import { readGallery } from '../../../../src/config/first-start.ts'
import { translateInto } from '../../../../src/commands/text/catalogues.ts'
import { inLanguage, proseText } from '../../../../src/core/model/chat/prose.ts'
import { createBridgeService, textOf, type BridgeService } from '../../rig.ts'

let desk: BridgeService
beforeEach(async () => {
  desk = await createBridgeService()
  desk.chat.hasButtons = true
})
afterEach(() => desk.stop())
const jobs = readGallery()

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
  const [again] = await desk.ask('/hooks gallery')
  expect(proseText(inLanguage(again?.text ?? [], translateInto('zh')))).toMatch(/\n1\. 使用 sudo 前先问 …$/)
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

test('another hook with the name of a job is not the job', async () => {
  desk.propose(
    'hooks: [{event: pre_tool_call, type: builtin, command: ask_owner, args: [x], matcher: "^never$", name: Ask before sudo}]\n',
  )
  expect(await desk.say('/hooks gallery')).not.toContain('Ask before sudo …')
  expect(await desk.say('/hooks gallery ask before sudo')).toMatch(/^Proposed: /)
  expect(await desk.say('/hooks gallery')).toContain('Ask before sudo …')
})

test('each job that needs no program does what its name says, and has samples where it asks', async () => {
  expect(galleryEntries()).toHaveLength(jobs.length)
  const results = await testGallery(jobs.filter(({ hook }) => hook['type'] === 'builtin'))
  expect(results.filter(({ flaw }) => flaw !== undefined)).toEqual([])
  const wrong = jobs.slice(0, 1).map((job) => ({ ...job, passes: job.stops ?? [] }))
  expect(await testGallery(wrong)).toMatchObject([{ flaw: expect.stringContaining('it is asked about') }])
  for (const { name, hook, stops = [], passes = [] } of jobs) {
    expect(hook['description'], name).toMatch(/^It .{10,90}\.$/)
    if (hook.command === 'ask_owner') expect(stops.length * passes.length, name).toBeGreaterThan(0)
  }
})
