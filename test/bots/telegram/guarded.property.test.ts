import fs from 'node:fs'
import path from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTelegram } from '../../../bots/telegram/telegram.ts'
import type { Channel } from '../../../src/model/channel.ts'
import { PUSH_TYPES } from '../../../src/model/content.ts'
import { createRig, me, type Rig } from '../../dispatcher/rig.ts'
import { startBotApi, type BotApi } from '../../fixtures/bot-api/server.ts'
import { anEntry } from '../../gatekeeper/gate-fixture.ts'
import { placesIn, pushOf } from './random-pushes.ts'
import { token } from './rig.ts'

/** The guard that we ship, approved and on, between random pushes of every form and the real bot. */
const runs = 2500
// Glued together here, so that no scanner takes this file for a leak.
const secret = ['gh', 'p_', 'a1B2c3D4'.repeat(4), 'e5F6'].join('')
const bytes = Buffer.from(secret)
const looks = [secret, bytes.toString('hex'), [...bytes].map((byte) => `%${byte.toString(16)}`).join(''), ...[0, 1, 2].map((skip) => bytes.subarray(skip, bytes.length - ((bytes.length - skip) % 3)).toString('base64'))].map((look) => look.toLowerCase())
const holdsSecret = (text: string): boolean => looks.some((look) => text.toLowerCase().includes(look))

let server: BotApi
let rig: Rig
beforeAll(async () => {
  server = await startBotApi({ token })
  const log = (): void => undefined
  const made: { rig?: Rig } = {}
  const ports = { receive: log, isAdmitted: (parcel: Parameters<Rig['dispatcher']['isAdmitted']>[0]) => made.rig?.dispatcher.isAdmitted(parcel) === true, tripped: log, trouble: log, menu: [], now: Date.now, log }
  const telegram = createTelegram({ token, apiRoot: server.root, chats: [] }, ports)
  // Telegram's own limits would let one out a second.
  const unlimited: Channel = { ...telegram, name: 'memory', limits: [] }
  rig = await createRig({ wrap: () => unlimited })
  made.rig = rig
  rig.write('block_secrets.py', fs.readFileSync(path.resolve(import.meta.dirname, '../../../examples/block_secrets.py'), 'utf8'))
  const approved = rig.gatekeeper.approve(anEntry({ event: 'on_outbound_message', command: './block_secrets.py', onError: 'block', timeoutMs: 60_000, isWarm: true }), me)
  expect(approved.ok).toBe(true)
  rig.on()
})
afterAll(async () => {
  await rig.stop()
  await server.stop()
})

test('with block_secrets.py approved and on, no byte of a secret in any text, name or file of any form arrives', async () => {
  expect(await rig.push('base', { push_id: 'base', chat_id: '7' })).toMatchObject({ outcome: 'delivered' })
  const reacted = String(server.say('hi').message_id)
  const ends: Record<string, number> = {}
  let count = 0
  const cases = fc.constantFrom(...PUSH_TYPES).chain((type) => fc.tuple(pushOf(type), fc.option(fc.nat(), { freq: 3 })))
  await fc.assert(fc.asyncProperty(cases, async ([made, place]) => {
    const named = { ...made, channel: 'memory', cwd: rig.workspace, push_id: `p${++count}`, ...(made.type === 'reaction' ? { target: reacted } : {}) }
    const places = placesIn(named)
    const at = place === null ? -1 : place % places.length
    const field = named.parts[at - 1]?.field ?? ''
    // In an address a blank would end it.
    const push = places[at]?.(named, /^link|url$/.test(field) ? `&key=${secret}` : ` ${secret} `) ?? named
    const result = await rig.dispatcher.push(push)
    const end = `${place === null ? 'without' : 'with'} ${'outcome' in result ? result.outcome : result.refused}`
    ends[end] = (ends[end] ?? 0) + 1
  }), { numRuns: runs, endOnFailure: true })
  expect(server.bodies().filter(holdsSecret)).toEqual([])
  expect(server.calls().filter(({ method, body }) => holdsSecret(`${method} ${body}`))).toEqual([])
  expect([(ends['with withheld'] ?? 0) > runs / 4, (ends['without delivered'] ?? 0) > runs / 10]).toEqual([true, true])
}, 240_000)
