import fs from 'node:fs'
import path from 'node:path'
import * as fc from 'fast-check'
import { expect, onTestFinished } from 'vitest'
import type { Channel } from '../../src/core/model/chat/channel.ts'
import type { OutgoingMessage } from '../../src/core/model/chat/push.ts'
import { createRig, me } from '../core/dispatcher/rig.ts'
import { anEntry } from '../core/gatekeeper/gate-fixture.ts'
import { placesIn, pushOf } from './telegram/random-pushes.ts'

// Glued together here, so that no scanner takes this file for a leak.
const secret = ['gh', 'p_', 'a1B2c3D4'.repeat(4), 'e5F6'].join('')
const bytes = Buffer.from(secret)
const looks = [
  secret,
  bytes.toString('hex'),
  [...bytes].map((byte) => `%${byte.toString(16)}`).join(''),
  ...[0, 1, 2].map((skip) =>
    bytes.subarray(skip, bytes.length - ((bytes.length - skip) % 3)).toString('base64'),
  ),
].map((look) => look.toLowerCase())
export const holdsSecret = (text: string): boolean => looks.some((look) => text.toLowerCase().includes(look))

export interface Place {
  readonly channel: Channel
  readonly chat: string
  /** A message of a person, where a reaction has to stand on one. */
  readonly reacted?: string
  /** Before each push: the person writes, where no more may leave otherwise. */
  ready?(): Promise<void>
}

/** Pushes at random, every form that the messenger has, the secret in a place of most. */
export const pushAll = async (
  runs: number,
  start: (isAdmitted: (outgoing: OutgoingMessage) => boolean) => Promise<Place>,
): Promise<void> => {
  const made: { isAdmitted(outgoing: OutgoingMessage): boolean } = { isAdmitted: () => false }
  const { channel, chat, reacted, ready } = await start((outgoing) => made.isAdmitted(outgoing))
  // A messenger's own limits would let one out a second.
  const rig = await createRig({ wrap: () => ({ ...channel, limits: [] }) })
  onTestFinished(() => rig.stop())
  if (reacted !== undefined)
    await rig.store.firstSeen({ channel: channel.name, chat_id: chat, message_id: reacted }, Date.now())
  made.isAdmitted = (outgoing) => rig.dispatcher.isAdmitted(outgoing)
  rig.write(
    'block_secrets.py',
    fs.readFileSync(path.resolve(import.meta.dirname, '../../examples/block_secrets.py'), 'utf8'),
  )
  expect(
    await rig.gatekeeper.approve(
      anEntry({
        event: 'on_outbound_message',
        command: './block_secrets.py',
        onError: 'block',
        timeoutMs: 60_000,
        isWarm: true,
      }),
      me,
    ),
  ).toMatchObject({ ok: true })
  await rig.on()
  const ends: Record<string, number> = {}
  const delivered = new Set<string>()
  let [count, base] = [0, '']
  const cases = fc
    .constantFrom(...channel.forms)
    .chain((type) => fc.tuple(pushOf(type), fc.option(fc.nat(), { freq: 3 })))
  await fc.assert(
    fc.asyncProperty(cases, async ([asked, place]) => {
      // What an edit is about scrolls away in the end.
      if (count % 50 === 0) {
        await ready?.()
        base = `base-${count}`
        expect(await rig.push('base', { push_id: base, channel: channel.name, chat_id: chat })).toMatchObject(
          { outcome: 'delivered' },
        )
      }
      const target =
        asked.type === 'reaction' ? (reacted ?? base) : asked.target === undefined ? undefined : base
      const named = {
        ...asked,
        channel: channel.name,
        chat_id: asked.type === 'topic' ? asked.chat_id : chat,
        cwd: rig.workspace,
        push_id: `p${++count}`,
        ...(target === undefined ? {} : { target }),
      }
      const places = placesIn(named)
      const at = place === null ? -1 : place % places.length
      const field = named.parts[at - 1]?.field ?? ''
      // In an address a blank would end it.
      const push = places[at]?.(named, /^link|url$/.test(field) ? `&key=${secret}` : ` ${secret} `) ?? named
      await ready?.()
      const result = await rig.dispatcher.push(push)
      const became = 'outcome' in result ? result.outcome : result.refused
      const end = `${place === null ? 'without' : 'with'} ${became}`
      ends[end] = (ends[end] ?? 0) + 1
      if (became === 'delivered') delivered.add(push.type)
    }),
    { numRuns: runs, endOnFailure: true },
  )
  expect(delivered).toEqual(new Set(channel.forms))
  expect([(ends['with withheld'] ?? 0) > runs / 4, (ends['without delivered'] ?? 0) > runs / 10]).toEqual([
    true,
    true,
  ])
}
