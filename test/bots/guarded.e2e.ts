import fs from 'node:fs'
import path from 'node:path'
import * as fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { createFeishu } from '../../bots/feishu/feishu.ts'
import { loadSdk } from '../../bots/feishu/sdk.ts'
import { createTelegram } from '../../bots/telegram/telegram.ts'
import { createWeb } from '../../bots/web/web.ts'
import type { Channel } from '../../src/model/chat/channel.ts'
import type { Parcel } from '../../src/model/chat/push.ts'
import { createRig, me } from '../dispatcher/rig.ts'
import { startBotApi } from '../fixtures/bot-api/server.ts'
import { startFeishu } from '../fixtures/feishu/server.ts'
import { person } from '../fixtures/ilink/server.ts'
import { openClient } from '../fixtures/page-client.ts'
import { anEntry } from '../gatekeeper/gate-fixture.ts'
import { placesIn, pushOf } from './telegram/random-pushes.ts'
import { token } from './telegram/rig.ts'
import { preferences } from './web/scripted-web.ts'
import { createRig as createILinkRig } from './wechat/ilink/rig.ts'

/** The guard that we ship, approved and on, between random pushes of every form and each real bot. */
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
const holdsSecret = (text: string): boolean => looks.some((look) => text.toLowerCase().includes(look))

interface Place {
  readonly channel: Channel
  readonly chat: string
  /** A message of a person, where a reaction has to stand on one. */
  readonly reacted?: string
  /** Before each push: the person writes, where no more may leave otherwise. */
  ready?(): Promise<void>
}

const ignored = (): void => undefined

/** Pushes at random, every form that the messenger has, the secret in a place of most. */
const pushAll = async (
  runs: number,
  start: (isAdmitted: (parcel: Parcel) => boolean) => Promise<Place>,
): Promise<void> => {
  const made: { isAdmitted(parcel: Parcel): boolean } = { isAdmitted: () => false }
  const { channel, chat, reacted, ready } = await start((parcel) => made.isAdmitted(parcel))
  // A messenger's own limits would let one out a second.
  const rig = await createRig({ wrap: () => ({ ...channel, limits: [] }) })
  onTestFinished(() => rig.stop())
  if (reacted !== undefined)
    await rig.store.firstSeen({ channel: channel.name, chat_id: chat, message_id: reacted }, Date.now())
  made.isAdmitted = (parcel) => rig.dispatcher.isAdmitted(parcel)
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

const portsOf = (isAdmitted: (parcel: Parcel) => boolean) => ({
  receive: ignored,
  isAdmitted,
  tripped: ignored,
  trouble: ignored,
  menu: [],
  now: Date.now,
  elapsedMs: () => performance.now(),
  log: ignored,
})

test('Telegram: with block_secrets.py approved and on, no byte of a secret in any text, name or file of any form arrives', async () => {
  const server = await startBotApi({ token })
  onTestFinished(() => server.stop())
  await pushAll(1000, async (isAdmitted) => ({
    channel: createTelegram({ token, apiRoot: server.root, chats: [] }, portsOf(isAdmitted)),
    chat: '7',
    reacted: String(server.say('hi').message_id),
  }))
  expect(server.bodies().length).toBeGreaterThan(200)
  expect(server.bodies().filter(holdsSecret)).toEqual([])
  expect(server.calls().filter(({ method, body }) => holdsSecret(`${method} ${body}`))).toEqual([])
}, 240_000)

test('Feishu: with block_secrets.py approved and on, no byte of a secret in any text, name or file of any form arrives', async () => {
  const server = await startFeishu()
  onTestFinished(() => server.stop())
  await pushAll(500, async (isAdmitted) => ({
    channel: createFeishu(
      {
        appId: server.appId,
        appSecret: server.appSecret,
        platform: 'feishu',
        apiRoot: server.root,
        sdk: await loadSdk(),
      },
      portsOf(isAdmitted),
    ),
    chat: server.chatOf(),
    reacted: server.say('hi'),
  }))
  expect(server.bodies().length).toBeGreaterThan(200)
  expect(server.bodies().filter(holdsSecret)).toEqual([])
  expect(server.calls().filter(({ path, query }) => holdsSecret(`${path} ${JSON.stringify(query)}`))).toEqual(
    [],
  )
}, 240_000)

test('WeChat: with block_secrets.py approved and on, no byte of a secret in any text, name or file of any form arrives', async () => {
  const made: { rig?: Awaited<ReturnType<typeof createILinkRig>> } = {}
  await pushAll(500, async (isAdmitted) => {
    const rig = await createILinkRig({ ports: { isAdmitted } })
    made.rig = rig
    return { channel: rig.channel, chat: person, ready: rig.goOn }
  })
  const { raw = [], sent = [] } = made.rig?.ilink ?? {}
  expect(sent.length).toBeGreaterThan(50)
  expect(raw.filter((body) => holdsSecret(String(body)))).toEqual([])
  // The files as the other side reads them, deciphered.
  expect(
    sent.filter(({ text, file }) =>
      holdsSecret(
        `${text} ${file?.name} ${file === undefined ? '' : Buffer.from(file.bytes).toString('latin1')}`,
      ),
    ),
  ).toEqual([])
}, 240_000)

test('the web page: with block_secrets.py approved and on, no byte of a secret in any text, name or file of any form is shown', async () => {
  const made: { seen: string; end?: Promise<void> } = { seen: '' }
  const filesSeen: string[] = []
  await pushAll(500, async (isAdmitted) => {
    const web = createWeb(
      { host: '127.0.0.1', port: 0 },
      {
        ...portsOf(isAdmitted),
        preferences: () => Promise.resolve(preferences),
        onPreferences: () => ignored,
        loginMisused: ignored,
      },
    )
    await web.start()
    onTestFinished(() => web.stop())
    const client = await openClient(`${web.url()}/#${web.mintLogin()}`)
    const { body } = await client.stream()
    const read = async (): Promise<void> => {
      for await (const piece of body ?? []) {
        const lines = Buffer.from(piece).toString('latin1')
        made.seen += lines
        for (const [, id = ''] of lines.matchAll(/"files":\[\{"id":"([^"]+)"/g)) {
          const response = await fetch(`${web.url()}/api/files/${id}`, {
            headers: client.headers('GET', `/api/files/${id}`),
          })
          filesSeen.push(Buffer.from(await response.arrayBuffer()).toString('latin1'))
        }
      }
    }
    void read().catch(ignored)
    return { channel: web, chat: 'main' }
  })
  expect([made.seen.length > 10_000, filesSeen.length > 50]).toEqual([true, true])
  expect([made.seen, ...filesSeen].filter(holdsSecret)).toEqual([])
}, 240_000)
