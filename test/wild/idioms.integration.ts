import { actingIn } from '../consent.ts'
import { mkdtempSync, mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { needs } from '../needs.ts'
import { startPlane, type Plane } from '../plane.ts'
import { bring, here } from './here.ts'
import { atHome, findNative, nativeHooks, type Native } from './home.ts'
import { wildCase, wildSet, type WildCase } from './lock.ts'
import { judge, type Result } from './report.ts'
import { clean, configPath, makeHome, makeWorkspace, prepare } from './world.ts'

/**
 * Small hooks of our own, each in an idiom of other people's hooks: they answer here as they answer at home.
 */

const fixtures = join(import.meta.dirname, '../fixtures/wild')
const place = { project: '.', home: '~/' }
/** `waits`: what it needs is not there yet. */
const idiom = z.strictObject({ waits: z.literal(true).optional(), law: z.string(), case: wildCase })
const idioms = z.strictObject({
  sets: z.array(
    wildSet
      .omit({ place: true, cases: true })
      .extend({ needs: z.array(z.string()).default([]), cases: z.array(idiom) }),
  ),
})
const { sets } = idioms.parse(parse(readFileSync(join(fixtures, 'idioms.yaml'), 'utf8')))

const root = realpathSync(mkdtempSync(join(tmpdir(), 'hookgate-idioms-')))
const home = join(root, 'home')
const project = join(root, 'project')
const before = { HOME: process.env['HOME'], PATH: process.env['PATH'] }
let plane: Plane

beforeAll(async () => {
  makeHome(home)
  mkdirSync(project)
  makeWorkspace(project, home, fixtures, { place })
  // The gate learns of the person's home and programs when it starts.
  process.env['HOME'] = home
  process.env['PATH'] = `${join(home, '.local/bin')}${delimiter}${before.PATH ?? ''}`
  plane = await startPlane()
  makeWorkspace(plane.workspace, home, fixtures, { place })
  await actingIn(plane.gate.gatekeeper).setSwitch(true)
  await bring(plane, sets)
})

afterAll(async () => {
  await plane.stop()
  for (const [name, value] of Object.entries(before)) if (value !== undefined) process.env[name] = value
  rmSync(root, { recursive: true, force: true })
})

/** What came of it at home and here, compared. */
const compare = async (set: (typeof sets)[number], one: WildCase): Promise<Result> => {
  const transcript = join(root, 'transcript.jsonl')
  const there = { system: set.system, workspace: project, transcript, native: one.hook.split(' ')[0] ?? '' }
  const whole = { ...set, place, cases: [one] }
  const native = (): Native => findNative(one, nativeHooks(set.system, configPath(project, set, one)))
  prepare(project, one.before)
  const raw = one.doc === undefined ? atHome(one, whole, native(), there, home) : { outcome: one.expect }
  if (one.before !== undefined) clean(project)
  prepare(plane.workspace, one.before)
  const seen = await here(plane, one, set.config)
  if (one.before !== undefined) clean(plane.workspace)
  return judge({ repository: '', set: whole, one, raw, seen, leftThere: true, left: true })
}

for (const set of sets) {
  describe(`${set.system}: ${set.config}`, needs(...set.needs), () => {
    for (const { law, waits, case: one } of set.cases) {
      test.skipIf(waits)(law, async () => {
        const { isRight, line } = await compare(set, one)
        expect(isRight, line).toBe(true)
      })
    }
  })
}
