import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Parts } from '../../../src/compose/parts.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { assemble } from '../../../src/main.ts'
import { buttonsOf } from '../../fixtures/feishu/card.ts'
import { startFeishu, type Feishu, type Sent } from '../../fixtures/feishu/server.ts'
import { until } from '../../plane.ts'

const team = 'oc_team'
/** A stranger with the owner's name. */
const mallory = { open_id: `ou_${'e'.repeat(32)}`, name: 'Olive' }
const hourMs = 3_600_000

interface World {
  readonly feishu: Feishu
  /** The card of a hook that waits, and the value of its yes. */
  readonly card: Sent
  readonly approve: unknown
  /** The value of a yes that the owner tapped, with its card. */
  readonly used: { readonly value: unknown; readonly id: string }
  /** A message that was carried out. */
  readonly heard: string
}

let root: string
let running: Parts
let world: World
const valueOf = ({ content }: Sent, label: string): unknown =>
  buttonsOf(content)
    .flat()
    .find((button) => button.label === label)?.value

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'hookgate-feishu-'))
  await mkdir(join(root, 'workspace/config'), { recursive: true })
  await writeFile(
    join(root, 'workspace/config/shell_hooks.yaml'),
    'hooks: [{event: on_stop, command: ./wait.sh}]\n',
  )
  await writeFile(join(root, 'workspace/wait.sh'), '#!/bin/sh\n', { mode: 0o755 })
  const feishu = await startFeishu()
  feishu.group(team)
  const config = loadConfig({
    HOOKGATE_HOME: join(root, 'gate'),
    HOOKGATE_WORKSPACE: join(root, 'workspace'),
    HOOKGATE_PORT: '0',
    XDG_CONFIG_HOME: root,
    HOOKGATE_OWNERS: `feishu:${feishu.owner.open_id}`,
    FEISHU_APP_ID: feishu.appId,
    FEISHU_APP_SECRET: feishu.appSecret,
    FEISHU_API_ROOT: feishu.root,
  })
  running = await assemble({ ...config, separation: 'none' }, { log: () => undefined, leastAgeMs: 0 })
  await until('the connection', () => feishu.isConnected())
  feishu.say('/lang en')
  await until('English', () => feishu.texts().some((text) => text.includes('writes English')))
  const cardWith = (label: string, words: string): Promise<Sent> =>
    until(`a card with ${label}`, () =>
      feishu.sent().find((sent) => sent.text.includes(words) && sent.buttons.flat().includes(label)),
    )
  const heard = feishu.say('/hooks on')
  const typed = await cardWith('Yes, do it', '/hooks on')
  const used = { value: valueOf(typed, 'Yes, do it'), id: typed.id }
  feishu.tap('Yes, do it')
  await until('the switch', () => running.gatekeeper.state().isOn)
  feishu.say('/hooks show ./wait.sh')
  const card = await cardWith('Approve', './wait.sh')
  world = { feishu, card, approve: valueOf(card, 'Approve'), used, heard }
})
afterAll(async () => {
  await running.stop()
  await world.feishu.stop()
  await rm(root, { recursive: true, force: true })
})

/** A message with any sender. */
const said = ({ feishu }: World, sender: object): unknown =>
  feishu.inject({
    event_type: 'im.message.receive_v1',
    event: {
      sender: { sender_type: 'user', ...sender },
      message: {
        message_id: `om_${crypto.randomUUID()}`,
        chat_id: feishu.chatOf(),
        chat_type: 'p2p',
        create_time: String(Date.now()),
        message_type: 'text',
        content: '{"text": "/hooks off"}',
      },
    },
  })
const refusals = async (): Promise<readonly (string | undefined)[]> =>
  (await running.store.records({ limit: 1000, kinds: ['refusal'] })).map(({ reason }) => reason)
const dated = (ms: number) => ({ create_time: String(Date.now() + ms), update_time: String(Date.now() + ms) })
const approveLine = '/hooks approve on_stop ./wait.sh'

const forgeries: readonly {
  readonly what: string
  readonly reason: string
  /** Who the record names. Absent: the owner. */
  readonly who?: string
  send(world: World): unknown
}[] = [
  {
    what: 'a stranger with the name of the owner',
    reason: 'not_owner',
    who: mallory.open_id,
    send: ({ feishu }) => feishu.say('/hooks off', mallory),
  },
  {
    what: 'the id of the owner in every field but the one that counts',
    reason: 'not_owner',
    who: mallory.open_id,
    send: (here) =>
      said(here, {
        sender_id: {
          open_id: mallory.open_id,
          union_id: here.feishu.owner.open_id,
          user_id: here.feishu.owner.open_id,
        },
        open_id: here.feishu.owner.open_id,
      }),
  },
  {
    what: 'an app under the id of the owner',
    reason: 'from_bot',
    send: (here) => said(here, { sender_id: { open_id: here.feishu.owner.open_id }, sender_type: 'app' }),
  },
  {
    what: 'the owner in a group',
    reason: 'not_private',
    send: ({ feishu }) => feishu.say('/hooks off', feishu.owner, { chat_id: team }),
  },
  {
    what: 'an edited message',
    reason: 'edited',
    send: ({ feishu }) =>
      feishu.say('/hooks off', feishu.owner, { update_time: String(Date.now() + 60_000) }),
  },
  {
    what: 'messages that were forwarded together',
    reason: 'forwarded',
    send: ({ feishu }) => feishu.send('merge_forward', { text: '/hooks off' }),
  },
  {
    what: 'a card of another bot',
    reason: 'not_text',
    send: ({ feishu }) => feishu.send('interactive', { text: '/hooks off' }),
  },
  {
    what: 'a text beside a picture',
    reason: 'captioned',
    send: ({ feishu }) =>
      feishu.send('post', {
        content: [[{ tag: 'img', image_key: 'img_1' }], [{ tag: 'text', text: '/hooks off' }]],
      }),
  },
  {
    what: 'an approval of an hour ago',
    reason: 'too_old',
    send: ({ feishu }) => feishu.say(approveLine, feishu.owner, dated(-hourMs)),
  },
  {
    what: 'an approval of the next hour',
    reason: 'in_future',
    send: ({ feishu }) => feishu.say(approveLine, feishu.owner, dated(hourMs)),
  },
  {
    what: 'a message once more, in another event',
    reason: 'repeated',
    send: ({ feishu, heard }) => feishu.say('/hooks off', feishu.owner, { message_id: heard }),
  },
  {
    what: 'a tap of a stranger in the chat of the owner',
    reason: 'not_owner',
    who: mallory.open_id,
    send: ({ feishu, approve, card }) => feishu.press(approve, card.id, mallory),
  },
  {
    what: 'a tap in a group',
    reason: 'not_private',
    send: ({ feishu, approve, card }) =>
      feishu.press(approve, card.id, feishu.owner, {
        context: { open_message_id: card.id, open_chat_id: team },
      }),
  },
  {
    what: 'a tap of an hour ago',
    reason: 'too_old',
    send: ({ feishu, approve, card }) =>
      feishu.inject({
        event_type: 'card.action.trigger',
        header: { create_time: String((Date.now() - hourMs) * 1000) },
        event: {
          operator: { open_id: feishu.owner.open_id },
          action: { value: approve, tag: 'button' },
          context: { open_message_id: card.id, open_chat_id: feishu.chatOf() },
        },
      }),
  },
  {
    what: 'the value of a yes in a field that somebody fills in',
    reason: 'not_text',
    send: ({ feishu, approve, card }) =>
      feishu.press(approve, card.id, feishu.owner, { action: { value: approve, tag: 'input' } }),
  },
  {
    what: 'a yes once more',
    reason: 'used',
    send: ({ feishu, used }) => feishu.press(used.value, used.id),
  },
  {
    what: 'a command in place of the value',
    reason: 'unknown',
    send: ({ feishu, card }) => feishu.press({ press: '/hooks off' }, card.id),
  },
]

describe('nothing on Feishu but the own tap of an owner changes the gate', () => {
  test.each(forgeries)('$what: $reason', async ({ reason, who, send }) => {
    const { feishu } = world
    const { revision } = running.gatekeeper.state()
    const before = (await refusals()).length
    send(world)
    const expected = `${reason} from feishu:${who ?? feishu.owner.open_id}`
    await until(expected, async () => (await refusals()).slice(0, -before || undefined).includes(expected))
    expect(running.gatekeeper.state()).toMatchObject({ isOn: true, revision })
    expect(running.gatekeeper.state().approvals.size).toBe(0)
    expect(feishu.texts(feishu.chatOf(mallory))).toEqual([])
  })

  test('an event that comes again is carried out once, and the yes still counts', async () => {
    const { feishu, approve, card } = world
    const id = feishu.press(approve, card.id)
    feishu.repeat(id)
    await until('the approval', () => running.gatekeeper.state().approvals.size === 1)
    await until('the refusal', async () => (await refusals())[0]?.startsWith('repeated from'))
    expect(running.gatekeeper.state().approvals.size).toBe(1)
  })
})
